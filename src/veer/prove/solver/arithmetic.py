"""Integer, date and exact decimal arithmetic as linear terms over Int and Real.

ANSI arithmetic fails the run where a result does not fit its type, so wherever there is a result it
is the mathematical one; without ANSI it wraps around. That one version may fail where the other
does not is no question of values: `verification.failures` sees to it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import islice, permutations
from typing import Any, assert_never, final

import z3

from veer.expressions import exact_arithmetic
from veer.expressions.failing import can_fail
from veer.functions.registry import scalar_function
from veer.functions.traits import SolverMeaning
from veer.ir import expr as ex, types as ty
from veer.prove.solver.formula import MULTIPLIED
from veer.prove.solver.terms import Terms

MOST_REORDERED = 3  # factors of a product that is known to be the same in every order


@final
class Arithmetic:
    """Computes with the terms of one question; `number` gives the term of an expression."""

    def __init__(self, terms: Terms, number: Callable[[ex.Expr], Any]) -> None:
        self._terms = terms
        self._number = number
        # The unknown factors of a product by its id; z3 gives away ids of terms nobody holds, so
        # the product is kept alive with them.
        self._factors: dict[int, tuple[Any, list[Any]]] = {}

    def call(self, call: ex.Call) -> Any:
        """What a function gives for arguments that are not null; None if it is not computed here.

        What is not computed is left to be some function of its arguments, which is always sound.
        """
        types = (call.type, *(a.type for a in call.args))
        if not call.args:
            return None
        if all(isinstance(t, ty.IntegralType | ty.DateType) for t in types):
            return self._of_integers(call)
        if all(isinstance(t, ty.DecimalType) for t in types):
            return self._of_decimals(call)
        return None

    def exact(self, identity: str, args: tuple[ex.Expr, ...], type_: ty.DataType) -> Any:
        """A sum or product of numbers, without rounding: `ADDED` or `MULTIPLIED`."""
        values = [self._number(a) for a in args]
        if isinstance(type_, ty.DecimalType):
            values = [z3.ToReal(v) if z3.is_int(v) else v for v in values]
        if identity == MULTIPLIED:
            return reduce(self._product, values)
        return values[0] if len(values) == 1 else z3.Sum(values)

    def _of_integers(self, call: ex.Call) -> Any:
        """A function of whole numbers or days; None where its meaning is not linear arithmetic."""
        meaning = scalar_function(call.function).solver
        first, *rest = (self._number(a) for a in call.args)
        second = rest[0] if rest else None
        match meaning:
            case SolverMeaning.SUM:
                return first + second
            case SolverMeaning.DIFFERENCE | SolverMeaning.DAYS_BETWEEN:
                return first - second
            case SolverMeaning.PRODUCT:
                return self._product(first, second)
            case SolverMeaning.NEGATION:
                return -first
            case SolverMeaning.IDENTITY:
                return first
            case SolverMeaning.MAGNITUDE:
                return z3.If(first < 0, -first, first)
            case SolverMeaning.LOW_BITS:
                return _low_bits(call.type, first)  # of any number, perhaps a sum that is too large
            case SolverMeaning.WRAPPED_SUM:
                return self._wrapped(call, first + second)
            case SolverMeaning.WRAPPED_DIFFERENCE:
                return self._wrapped(call, first - second)
            case SolverMeaning.WRAPPED_PRODUCT:
                return self._wrapped(call, self._product(first, second))
            case SolverMeaning.WRAPPED_NEGATION:
                return self._wrapped(call, -first)
            case SolverMeaning.WRAPPED_MAGNITUDE:
                return self._wrapped(call, z3.If(first < 0, -first, first))
            case SolverMeaning.MODULUS:
                return first % second if exact_arithmetic.is_positive(call.args[1]) else None
            case SolverMeaning.DAYS_LATER:
                return first + second if exact_arithmetic.is_few_days(call.args[1]) else None
            case SolverMeaning.DAYS_EARLIER:
                return first - second if exact_arithmetic.is_few_days(call.args[1]) else None
            case SolverMeaning.WHOLE_QUOTIENT | SolverMeaning.REMAINDER:
                return self._division(call.function, meaning, first, second)
            case SolverMeaning.BIT:
                return None if can_fail(call) else self._bit(first, second)
            case (
                SolverMeaning.UNINTERPRETED
                | SolverMeaning.QUOTIENT
                | SolverMeaning.MONTHS_LATER
                | SolverMeaning.INTERVAL_LATER
                | SolverMeaning.TIME_BETWEEN
                | SolverMeaning.YEAR
                | SolverMeaning.QUARTER
                | SolverMeaning.MONTH
                | SolverMeaning.DAY_OF_MONTH
                | SolverMeaning.DAY_OF_YEAR
                | SolverMeaning.DAY_OF_WEEK
                | SolverMeaning.WEEKDAY
                | SolverMeaning.LAST_DAY
                | SolverMeaning.HOUR
                | SolverMeaning.MINUTE
                | SolverMeaning.SECOND
                | SolverMeaning.TRUNCATED_DATE
                | SolverMeaning.TRUNCATED_MOMENT
                | SolverMeaning.DATE_OF_PARTS
                | SolverMeaning.TEXT_OF_MOMENT
                | SolverMeaning.SECONDS
                | SolverMeaning.PREFIX
                | SolverMeaning.FIRST_PRESENT
                | SolverMeaning.GREATEST
                | SolverMeaning.LEAST
            ):
                return None
            case _:
                assert_never(meaning)

    def _of_decimals(self, call: ex.Call) -> Any:
        """A function of decimals where nothing rounds, else None."""
        meaning = scalar_function(call.function).solver
        args = [self._number(a) for a in call.args]
        if meaning is SolverMeaning.SUM and exact_arithmetic.is_exact_sum(call):
            return args[0] + args[1]
        if meaning is SolverMeaning.DIFFERENCE and exact_arithmetic.is_exact_sum(call):
            return args[0] - args[1]
        if meaning is SolverMeaning.PRODUCT and exact_arithmetic.is_exact_product(call):
            return self._product(args[0], args[1])
        if meaning is SolverMeaning.NEGATION and exact_arithmetic.is_exact_negation(call):
            return -args[0]
        if meaning is SolverMeaning.MAGNITUDE and exact_arithmetic.is_exact_negation(call):
            return z3.If(args[0] < 0, -args[0], args[0])
        return None

    def _wrapped(self, call: ex.Call, exact: Any) -> Any:
        """The number that the low bits of an exact result stand for."""
        half = 1 << (ty.INTEGER_BITS[call.type] - 1)
        for arg in call.args:
            if isinstance(arg, ex.RowColumn):
                value = self._number(arg)
                self._terms.axioms.append(z3.And(value >= -half, value < half))
        return _low_bits(call.type, exact)

    def _bit(self, number: Any, place: Any) -> Any:
        """The binary digit at a constant place, of the two's complement."""
        # The solver's division rounds down, as shifting does.
        size = z3.IntVal(2 ** z3.simplify(place).as_long(), self._terms.context)
        return (number / size) % 2

    def _division(self, function: str, meaning: SolverMeaning, a: Any, b: Any) -> Any:
        """Division of integers truncates toward zero, its remainder has the dividend's sign."""
        b = z3.simplify(b)
        if not z3.is_int_value(b) or b.as_long() == 0:
            return self._terms.apply(("divide", function), (a, b), self._terms.integer)
        # The solver rounds down for a positive divisor: so divide magnitudes, then set the sign.
        size = z3.IntVal(abs(b.as_long()), self._terms.context)
        quotient = z3.If(a >= 0, a / size, -((-a) / size))
        if meaning is SolverMeaning.REMAINDER:
            return a - quotient * size
        return quotient if b.as_long() > 0 else -quotient

    # -- products: linear where one factor is a constant, else some function of the factors ---------

    def _product(self, a: Any, b: Any) -> Any:
        """Polynomials multiplied out; a product of unknowns is a function of them in one order."""
        expanded = z3.simplify(a * b, som=True)
        terms = expanded.children() if z3.is_add(expanded) else [expanded]
        monomials = [self._monomial(term) for term in terms]
        return monomials[0] if len(monomials) == 1 else z3.Sum(monomials)

    def _monomial(self, term: Any) -> Any:
        """A constant times a product of unknowns.

        Equal bags of unknowns give one term: multiplication is commutative and associative. Of the
        product's value no more is assumed, so nonlinear arithmetic, which solvers do not decide,
        never arises.
        """
        factors: list[Any] = []
        for factor in term.children() if z3.is_mul(term) else [term]:
            factors += self._factors.get(factor.get_id(), (factor, [factor]))[1]
        constants = [f for f in factors if z3.is_int_value(f) or z3.is_rational_value(f)]
        unknowns = sorted(
            (f for f in factors if not any(f is c for c in constants)), key=lambda f: f.get_id()
        )
        if len(unknowns) < 2:
            return z3.Product(factors) if len(factors) > 1 else factors[0]
        product = reduce(self._multiplied, unknowns)
        if product.get_id() not in self._factors:
            self._factors[product.get_id()] = (product, unknowns)
            if len(unknowns) <= MOST_REORDERED:
                # Factors that the question says are equal may be sorted otherwise.
                for order in islice(permutations(unknowns), 1, None):
                    reordered = reduce(self._multiplied, order)
                    self._terms.axioms.append(self._terms.equal(product, reordered))
        return z3.Product([*constants, product]) if constants else product

    def _multiplied(self, a: Any, b: Any) -> Any:
        return self._terms.apply(("product", str(a.sort())), (a, b), a.sort())


def _low_bits(type_: ty.DataType, exact: Any) -> Any:
    half = 1 << (ty.INTEGER_BITS[type_] - 1)
    return (exact + half) % (2 * half) - half
