"""Doubles whose number is known because nothing in their computation can have been rounded.

A double is a dyadic number: a whole number of units of some 2^-scale. While that whole number stays
within 53 bits and the scale within the exponent's range, IEEE 754 gives the exact result of a sum,
a difference or a product, and the solver may compute it. Beyond, a function of doubles is some
function of its arguments, and no law of arithmetic is assumed: addition is not associative then.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import z3

from veer.functions.registry import scalar_function
from veer.functions.traits import SolverMeaning
from veer.ir import expr as ex, types as ty

EXACT_DOUBLE = 2**53
MOST_SCALE = 500  # bits behind the point; doubles have more, less tiny ones
# What doubles compute without rounding while the result is short enough.
EXACT_ON_DYADICS = (SolverMeaning.SUM, SolverMeaning.DIFFERENCE, SolverMeaning.PRODUCT)


class Dyadic(NamedTuple):
    """A number that is at most `most` in units of 2^-scale, if what is given holds."""

    number: Any
    most: int
    scale: int
    given: tuple[Any, ...]

    def combined(self, meaning: SolverMeaning, other: Dyadic) -> Dyadic | None:
        """The sum, difference or product, if a double holds it."""
        given = (*self.given, *other.given)
        if meaning is SolverMeaning.PRODUCT:
            # A product of unknowns is not linear: exact, but nothing the solver decides.
            if not (z3.is_rational_value(self.number) or z3.is_rational_value(other.number)):
                return None
            number = self.number * other.number
            result = Dyadic(number, self.most * other.most, self.scale + other.scale, given)
        else:
            scale = max(self.scale, other.scale)
            most = (self.most << scale - self.scale) + (other.most << scale - other.scale)
            is_sum = meaning is SolverMeaning.SUM
            number = self.number + other.number if is_sum else self.number - other.number
            result = Dyadic(number, most, scale, given)
        return result if result.most <= EXACT_DOUBLE and result.scale <= MOST_SCALE else None


@final
@dataclass(frozen=True, slots=True)
class Dyadics:
    """Reads the numbers of doubles; `number` gives the term of an integer expression."""

    context: z3.Context
    number: Callable[[ex.Expr], Any]

    def of(self, expr: ex.Expr) -> Dyadic | None:
        """The number a double is, if nothing in its computation can have been rounded.

        This says nothing of the sign of a zero: 0.0 and -0.0 are the same number.
        """
        match expr:
            case ex.Cast(arg, ty.DoubleType()) if isinstance(
                arg.type, ty.IntegerType | ty.ShortType | ty.ByteType
            ):
                size = 2 ** (ty.INTEGER_BITS[arg.type] - 1)
                value = self.number(arg)
                return Dyadic(z3.ToReal(value), size, 0, (value >= -size, value < size))
            case ex.Literal(float() as value, ty.DoubleType()) if math.isfinite(value):
                above, below = value.as_integer_ratio()
                scale = below.bit_length() - 1
                literal = Dyadic(z3.Q(above, below, self.context), abs(above), scale, ())
                return literal if abs(above) <= EXACT_DOUBLE and scale <= MOST_SCALE else None
            case ex.Call(function, (left, right), ty.DoubleType()):
                meaning = scalar_function(function).solver
                if meaning is SolverMeaning.QUOTIENT:
                    return self._quotient(left, right)
                if meaning not in EXACT_ON_DYADICS:
                    return None
                a, b = self.of(left), self.of(right)
                return None if a is None or b is None else a.combined(meaning, b)
            case _:
                return None

    def _quotient(self, left: ex.Expr, right: ex.Expr) -> Dyadic | None:
        """A number divided by a power of two, which moves the point and rounds nothing."""
        match right:
            case ex.Literal(float() as by) if by >= 1 and math.frexp(by)[0] == 0.5:
                a = self.of(left)
                scale = math.frexp(by)[1] - 1
                if a is None or a.scale + scale > MOST_SCALE:
                    return None
                return Dyadic(a.number / int(by), a.most, a.scale + scale, a.given)
            case _:
                return None
