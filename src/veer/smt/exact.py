"""Where arithmetic is exact: numbers without rounding, dates within their range."""

from __future__ import annotations

from typing import Any, NamedTuple

import z3

from veer.functions.traits import SolverMeaning
from veer.model.expr import Call, Expr, Literal
from veer.model.types import (
    ByteType,
    DataType,
    DecimalType,
    IntegerType,
    IntegralType,
    LongType,
    ShortType,
)

EXACT_DOUBLE = 2**53
MOST_SCALE = 500  # bits behind the point; doubles have more, less tiny ones
NEGATED_EXACTLY = 34  # digits; Spark rounds longer decimals when it negates them
MOST_DAYS = 1_000_000  # added to a date that stays in the range of dates


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


def is_positive(expr: Expr) -> bool:
    """Whether an expression is a constant above zero."""
    return isinstance(expr, Literal) and isinstance(expr.value, int) and expr.value > 0


def is_few_days(expr: Expr) -> bool:
    """Whether a number of days does not lead out of the range in which days are counted."""
    match expr:
        case Literal(int() as days):
            return abs(days) <= MOST_DAYS
        case _:
            return False


def is_exact_sum(call: Call) -> bool:
    """Whether a decimal sum keeps every digit: Spark's own type for it is not cut off."""
    a, b, result = (e.type for e in (*call.args, call))
    assert isinstance(a, DecimalType) and isinstance(b, DecimalType)
    assert isinstance(result, DecimalType)
    scale = max(a.scale, b.scale)
    whole = max(a.precision - a.scale, b.precision - b.scale)
    return result.scale == scale and result.precision - result.scale >= whole + 1


def is_exact_negation(call: Call) -> bool:
    """Whether a decimal is negated without rounding."""
    type_ = call.type
    assert isinstance(type_, DecimalType)
    return call.args[0].type == type_ and type_.precision <= NEGATED_EXACTLY


def is_exact_product(call: Call) -> bool:
    """Whether a decimal product keeps every digit."""
    a, b, result = (e.type for e in (*call.args, call))
    assert isinstance(a, DecimalType) and isinstance(b, DecimalType)
    assert isinstance(result, DecimalType)
    whole = a.precision - a.scale + b.precision - b.scale
    return result.scale == a.scale + b.scale and result.precision - result.scale >= whole


DIGITS: dict[type[DataType], int] = {ByteType: 3, ShortType: 5, IntegerType: 10, LongType: 19}


def holds_exactly(given: DataType, target: DecimalType) -> bool:
    """Whether every value of a type is a decimal of the target type."""
    whole = target.precision - target.scale
    if isinstance(given, IntegralType):
        return whole >= DIGITS[type(given)]
    if isinstance(given, DecimalType):
        return target.scale >= given.scale and whole >= given.precision - given.scale
    return False
