"""Whether an operation fails the run on some of its arguments, as far as these are constants."""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from veer.expressions.text_conditions import constant_pattern
from veer.functions.registry import scalar_function
from veer.functions.traits import Domain
from veer.ir import expr as ex, ops, types as ty


def can_fail(expr: ex.Expr) -> bool:
    """Whether the operation itself fails on some non-null arguments."""
    match expr:
        case ex.Call():
            return _call_can_fail(expr)
        case ex.Cast():
            return cast_can_fail(expr)
        case ex.ScalarQuery(query):
            # More than one row fails; an aggregate over all rows gives exactly one.
            (below,) = query.inputs[query.sinks[0]]
            while isinstance(query.operators[below], ops.Project):
                below = query.inputs[below][0]
            return not isinstance(query.operators[below], ops.GlobalAggregate)
        case _:
            return False


def _call_can_fail(call: ex.Call) -> bool:
    """Whether the arguments of a call, as far as they are constants, may lie outside its domain."""
    domain = scalar_function(call.function).domain
    match domain:
        case Domain.TOTAL:
            return False
        case Domain.PARTIAL:
            return True
        case Domain.NONZERO_DIVISOR:
            return not _divides_by_a_constant(call)
        case Domain.QUOTIENT:
            return not (_divides_by_a_constant(call) and _quotient_fits(call))
        case Domain.BIT_PLACE:
            number, place = call.args
            if not isinstance(place, ex.Literal) or not isinstance(place.value, int):
                return True
            return not 0 <= place.value < ty.INTEGER_BITS[number.type]
        case Domain.PATTERN:
            return constant_pattern(call.args[1:]) is None
        case _:
            assert_never(domain)


def _divides_by_a_constant(call: ex.Call) -> bool:
    """Whether the divisor is a constant other than zero."""
    divisor = call.args[1]
    return isinstance(divisor, ex.Literal) and bool(divisor.value)


def _quotient_fits(call: ex.Call) -> bool:
    """Whether the result type holds every quotient by a constant other than zero.

    Not the smallest bigint by -1, and not a large decimal by a small one.
    """
    dividend, divisor = call.args
    assert isinstance(divisor, ex.Literal)
    match dividend.type, call.type:
        case _, ty.DoubleType() | ty.FloatType():
            return True
        case ty.IntegralType(), ty.LongType():
            return bool(divisor.value != -1) or _is_widened(dividend)
        case ty.DecimalType() as given, ty.LongType():
            return _largest(given) / abs(Fraction(divisor.value)) < 2**63
        case ty.DecimalType() as given, ty.DecimalType() as result:
            # The quotient is rounded to the scale of the result: by less than its last digit.
            quotient = _largest(given) / abs(Fraction(divisor.value))
            return quotient + _last_digit(result) <= _largest(result)
        case _:
            return False


def _is_widened(expr: ex.Expr) -> bool:
    """Whether an integer is one of a narrower type, so that it is not the smallest of its own."""
    if not isinstance(expr, ex.Cast) or not isinstance(expr.arg.type, ty.IntegralType):
        return False
    bits = ty.INTEGER_BITS
    return bits[expr.arg.type] < bits[expr.type]


def _largest(type_: ty.DecimalType) -> Fraction:
    """The largest decimal of a type."""
    return Fraction(10) ** (type_.precision - type_.scale) - _last_digit(type_)


def _last_digit(type_: ty.DecimalType) -> Fraction:
    return Fraction(1, 10**type_.scale)


def cast_can_fail(cast: ex.Cast) -> bool:
    """Whether a cast meets values its target type cannot hold."""
    given, target = cast.arg.type, cast.type
    if cast.mode is not ty.CastMode.ANSI or isinstance(cast.arg, ex.Literal):
        return False
    if isinstance(given, ty.NullType) or isinstance(target, ty.StringType) or given == target:
        return False
    if isinstance(given, ty.StringType | ty.BooleanType):
        return isinstance(given, ty.StringType)
    if isinstance(given, ty.NumericType) and isinstance(
        target, ty.DoubleType | ty.FloatType | ty.BooleanType
    ):
        return False
    if isinstance(given, ty.IntegralType) and isinstance(target, ty.EXACT_NUMBERS):
        return ty.digits(target)[0] < ty.digits(given)[0]
    if isinstance(given, ty.DecimalType) and isinstance(target, ty.DecimalType):
        return ty.digits(target)[0] < ty.digits(given)[0]
    moments = (ty.DateType, ty.TimestampType, ty.TimestampNtzType)
    return not (isinstance(given, moments) and isinstance(target, moments))
