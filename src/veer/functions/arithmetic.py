"""Numbers: operators and mathematical functions, with ANSI overflow and decimal rounding."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import (
    ROUND_DOWN,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    Context,
    Decimal,
)
from typing import Any

from veer.errors import IllFormedError
from veer.functions.registry import (
    ANY_ZERO,
    IEEE,
    NULLABLE,
    NULLABLE_IF_ANY,
    NUMERIC,
    PROPAGATE,
    PURE,
    SCALAR,
    SETTLED,
    STRICT,
    TOTAL,
    TYPED,
    Argument,
    Failure,
    Resolved,
    Rule,
    Trait,
    scalar,
)
from veer.functions.traits import (
    Coercion,
    Domain,
    Evaluation,
    Infix,
    Older,
    Prefix,
    SolverMeaning,
    WithoutAnsi,
)
from veer.functions.typing import (
    adjusted,
    cast_to,
    common_type,
    decimal_of,
    first_type,
    require_count,
    signature,
)
from veer.ir import types as ty
from veer.settings import SPARK_4_0, current

EXACT = Context(prec=120)
WIDE = Context(prec=400)  # holds every double to 38 places
NEGATING = Context(prec=34, rounding=ROUND_HALF_EVEN)  # Scala negates within 34 digits
NAN = float("nan")  # the one NaN object: tuples and dictionaries compare by identity first
INTERVALS = (ty.DayTimeIntervalType, ty.YearMonthIntervalType)


def to_float32(value: float) -> float:
    """Round to single precision, as Spark's float does after every operation."""
    try:
        rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return NAN if math.isnan(rounded) else rounded


def fitting_integer(type_: ty.DataType) -> Callable[[int], int]:
    """A function that gives a value, or ARITHMETIC_OVERFLOW where the type cannot hold it."""
    limit = 1 << (ty.INTEGER_BITS[type_] - 1)

    def fitted(value: int) -> int:
        if -limit <= value < limit:
            return value
        raise Failure("ARITHMETIC_OVERFLOW")

    return fitted


def fit_integer(value: int, type_: ty.DataType) -> int:
    """The value, or ARITHMETIC_OVERFLOW where the type cannot hold it."""
    return fitting_integer(type_)(value)


def fit_interval(value: Any, type_: ty.DataType) -> Any:
    """The length of time, or a failure where 32 bits of months or 64 of microseconds do not hold it."""
    months = isinstance(type_, ty.YearMonthIntervalType)
    amount, bits = (value, 31) if months else (value // timedelta(microseconds=1), 63)
    if -(1 << bits) <= amount < 1 << bits:
        return value
    raise Failure("INTERVAL_ARITHMETIC_OVERFLOW")


def wrap(value: int, type_: ty.DataType) -> int:
    """The value as Java computes it: modulo 64 bits for bigint, else modulo 32 bits."""
    size = 1 << max(ty.INTEGER_BITS[type_], 32)
    return (value + size // 2) % size - size // 2


def wrapped(value: int, type_: ty.DataType) -> int:
    """The number of the type that the low bits of a value stand for."""
    size = 1 << ty.INTEGER_BITS[type_]
    return (value + size // 2) % size - size // 2


def fit_decimal(value: Decimal, type_: ty.DecimalType, rounding: str = ROUND_HALF_UP) -> Decimal:
    """Round to the type's scale; NUMERIC_VALUE_OUT_OF_RANGE where the digits do not fit."""
    rounded = value.quantize(Decimal(1).scaleb(-type_.scale), rounding, WIDE)
    if rounded and rounded.adjusted() >= type_.precision - type_.scale:
        raise Failure("NUMERIC_VALUE_OUT_OF_RANGE")
    return rounded if rounded else rounded.copy_abs()  # decimals have no negative zero


def fit_float(value: float, type_: ty.DataType) -> float:
    """Single precision where the type is, and the one NaN object."""
    if value != value:
        return NAN
    return to_float32(value) if type_ == ty.FLOAT else value


def float32_text(value: float) -> str:
    """The shortest decimal text that reads back as the same single-precision number."""
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if to_float32(float(text)) == value:
            return text
    return repr(value)


def float_to_long(a: float) -> int:
    """Java's (long) conversion: NaN is 0, out of range saturates."""
    if a != a:
        return 0
    limit = 1 << 63
    return max(-limit, min(limit - 1, int(a) if math.isfinite(a) else (limit if a > 0 else -limit)))


# -- the four operations ---------------------------------------------------------------------

DecimalRule = Callable[[ty.DecimalType, ty.DecimalType], ty.DecimalType]


def _decimal_sum(a: ty.DecimalType, b: ty.DecimalType) -> ty.DecimalType:
    scale = max(a.scale, b.scale)
    return adjusted(max(a.precision - a.scale, b.precision - b.scale) + scale + 1, scale)


def _decimal_product(a: ty.DecimalType, b: ty.DecimalType) -> ty.DecimalType:
    return adjusted(a.precision + b.precision + 1, a.scale + b.scale)


def _decimal_quotient(a: ty.DecimalType, b: ty.DecimalType) -> ty.DecimalType:
    scale = max(6, a.scale + b.precision + 1)
    return adjusted(a.precision - a.scale + b.scale + scale, scale)


def _decimal_remainder(a: ty.DecimalType, b: ty.DecimalType) -> ty.DecimalType:
    scale = max(a.scale, b.scale)
    return adjusted(min(a.precision - a.scale, b.precision - b.scale) + scale, scale)


def operands(args: Sequence[Argument]) -> tuple[ty.DataType, ty.DataType]:
    """The types two operands take; decimals keep their own. Without ANSI text is a double."""
    require_count(args, 2)
    if not current().ansi:
        args = [Argument(ty.DOUBLE) if isinstance(a.type, ty.StringType) else a for a in args]
    a, b = args
    fractional = ty.DOUBLE in (a.type, b.type) or ty.FLOAT in (a.type, b.type)
    if not fractional and isinstance(a.type, ty.DecimalType) and isinstance(b.type, ty.NumericType):
        return a.type, decimal_of(b)
    if not fractional and isinstance(b.type, ty.DecimalType) and isinstance(a.type, ty.NumericType):
        return decimal_of(a), b.type
    common = common_type(args)
    if isinstance(common, ty.StringType):
        raise IllFormedError("arithmetic on two texts")
    if not isinstance(common, (ty.NumericType, *INTERVALS)):
        common = cast_to(Argument(common), ty.NumericType, 1)
    return common, common


def arithmetic(decimal_rule: DecimalRule) -> Rule:
    """The typing of + - * %."""

    def rule(args: Sequence[Argument]) -> Resolved:
        a, b = operands(args)
        if isinstance(a, ty.DecimalType) and isinstance(b, ty.DecimalType):
            return Resolved((a, b), decimal_rule(a, b))
        return Resolved((a, b), a)

    return rule


def giving(kind: type[ty.DataType], described: str, rule: Rule) -> Rule:
    """A typing rule for results of some kind alone: intervals have neither product nor remainder."""

    def checked(args: Sequence[Argument]) -> Resolved:
        resolved = rule(args)
        if not isinstance(resolved.result, kind):
            raise IllFormedError(f"{resolved.result} is not {described}")
        return resolved

    return checked


def operation(
    integers: Callable[[int, int], int],
    decimals: Callable[[Decimal, Decimal], Decimal],
    floats: Callable[[float, float], float],
) -> Callable[[Sequence[ty.DataType], ty.DataType], Callable[..., Any]]:
    """Meaning of an operation from its exact version in each number system."""

    def meaning(_types: Sequence[ty.DataType], result: ty.DataType) -> Callable[..., Any]:
        match result:
            case ty.IntegralType():
                fitted = fitting_integer(result)
                return lambda a, b: fitted(integers(a, b))
            case ty.DecimalType():
                return lambda a, b: fit_decimal(decimals(a, b), result)
            case ty.FractionalType():
                return lambda a, b: fit_float(floats(a, b), result)
            case _:
                return lambda a, b: fit_interval(integers(a, b), result)

    return meaning


def _nonzero(b: Any) -> Any:
    """A divisor; zero fails the run under ANSI, for floats too, -0.0 included."""
    if b == 0:
        raise Failure("DIVIDE_BY_ZERO")
    return b


def _truncated_quotient(a: int, b: int) -> int:
    """Rounded toward zero as in Java; Python rounds down."""
    quotient: int = abs(a) // abs(_nonzero(b))
    return quotient if (a < 0) == (b < 0) else -quotient


def _truncated_remainder(a: int, b: int) -> int:
    """With the sign of the dividend as in Java; Python takes the divisor's."""
    remainder: int = abs(a) % abs(_nonzero(b))
    return -remainder if a < 0 else remainder


def _float_divide(a: float, b: float) -> float:
    if b != b:
        return NAN
    return a / float(_nonzero(b))


def _decimal_divide(a: Decimal, b: Decimal) -> Decimal:
    # Spark divides to 38 digits after the point first, then rounds to the result's scale.
    exact = Context(prec=120, rounding=ROUND_DOWN).divide(a, _nonzero(b))
    return exact.quantize(Decimal(1).scaleb(-38), ROUND_HALF_UP, EXACT)


def _float_remainder(a: float, b: float) -> float:
    """IEEE's fmod, where Python would raise for an infinite dividend."""
    _nonzero(b)
    if math.isinf(a) or a != a or b != b:
        return NAN
    return math.fmod(a, b)


DIVIDING = PURE, STRICT, NULLABLE, ANY_ZERO, Evaluation.DIVISOR_FIRST
SUM = arithmetic(_decimal_sum)
PRODUCT = giving(ty.NumericType, "numeric", arithmetic(_decimal_product))
REMAINDER = giving(ty.NumericType, "numeric", arithmetic(_decimal_remainder))
_multiplied = operation(
    operator.mul, Context(prec=39, rounding=ROUND_HALF_UP).multiply, operator.mul
)
_remainder = operation(
    _truncated_remainder, lambda a, b: EXACT.remainder(a, _nonzero(b)), _float_remainder
)
_quotient = operation(_truncated_quotient, _decimal_divide, _float_divide)

scalar("+ add", "Add", SUM, operation(operator.add, EXACT.add, operator.add))(
    NUMERIC, Infix("+"), SolverMeaning.SUM, WithoutAnsi.WRAPPED
)
scalar("-", "Subtract", SUM, operation(operator.sub, EXACT.subtract, operator.sub))(
    NUMERIC, Infix("-"), SolverMeaning.DIFFERENCE, WithoutAnsi.WRAPPED
)
scalar("*", "Multiply", PRODUCT, _multiplied)(
    NUMERIC, Infix("*"), SolverMeaning.PRODUCT, WithoutAnsi.WRAPPED
)
scalar("% mod", "Remainder", REMAINDER, _remainder)(
    (*DIVIDING, Domain.NONZERO_DIVISOR, TYPED, SETTLED),
    (Infix("%"), SolverMeaning.REMAINDER, WithoutAnsi.ATTEMPT),
)


def _quotient_rule(args: Sequence[Argument]) -> Resolved:
    """`/` divides decimals as decimals and everything else, integers too, as doubles."""
    a, b = operands(args)
    if isinstance(a, ty.DecimalType) and isinstance(b, ty.DecimalType):
        return Resolved((a, b), _decimal_quotient(a, b))
    if not isinstance(a, ty.NumericType):
        raise IllFormedError(f"{a} is not numeric")
    return Resolved((ty.DOUBLE, ty.DOUBLE), ty.DOUBLE)


scalar("/", "Divide", _quotient_rule, _quotient)(
    (*DIVIDING, Domain.QUOTIENT, TYPED, IEEE),
    (Infix("/"), SolverMeaning.QUOTIENT, Coercion.DIVISION, WithoutAnsi.ATTEMPT),
)


def _div_rule(args: Sequence[Argument]) -> Resolved:
    """`div` gives a bigint, whatever integers or decimals it divides."""
    a, b = operands(args)
    if isinstance(a, ty.DecimalType):
        return Resolved((a, b), ty.LONG)
    if isinstance(a, ty.IntegralType):
        return Resolved((ty.LONG, ty.LONG), ty.LONG)
    raise IllFormedError(f"div needs integers or decimals, got {a}")


def _integral_divide(a: Any, b: Any) -> int:
    if isinstance(a, Decimal):
        exact = Context(prec=120, rounding=ROUND_DOWN).divide_int(a, _nonzero(b))
        return fit_integer(int(exact), ty.LONG)
    return fit_integer(_truncated_quotient(a, b), ty.LONG)


scalar("div", "IntegralDivide", _div_rule, _integral_divide)(
    (*DIVIDING, Domain.QUOTIENT, SETTLED),
    (Infix("div"), SolverMeaning.WHOLE_QUOTIENT, WithoutAnsi.OTHER),
)


def _positive_modulo(_types: Sequence[ty.DataType], result: ty.DataType) -> Callable[..., Any]:
    def pmod(a: Any, b: Any) -> Any:
        _nonzero(b)
        if isinstance(result, ty.FractionalType) and not isinstance(result, ty.DecimalType):
            r = _float_remainder(a, b)
            return fit_float(_float_remainder(r + b, b) if r < 0 else r, result)
        if isinstance(result, ty.DecimalType):
            exact = EXACT.remainder(a, b)
            wrapped = EXACT.remainder(exact + b, b) if exact < 0 else exact
            return fit_decimal(wrapped, result)
        r = _truncated_remainder(a, b)
        # Java adds the divisor in 32 or 64 bits, where the sum may wrap around.
        return _truncated_remainder(wrap(r + b, result), b) if r < 0 else r

    return pmod


scalar("pmod", "Pmod", REMAINDER, _positive_modulo)(
    (*DIVIDING, Domain.NONZERO_DIVISOR, TYPED, SETTLED),
    (SolverMeaning.MODULUS, WithoutAnsi.NULL),
)


# -- one argument ----------------------------------------------------------------------------


def _unary(function: Callable[[Any], Any]) -> Callable[..., Callable[..., Any]]:
    """A function of one number in its own type: -(-128) does not fit a tinyint and fails."""

    def meaning(_types: Sequence[ty.DataType], result: ty.DataType) -> Callable[..., Any]:
        if isinstance(result, ty.IntegralType):
            return lambda a: fit_integer(function(a), result)
        if isinstance(result, ty.DecimalType):
            return lambda a: fit_decimal(function(a), result)
        if isinstance(result, INTERVALS):
            return lambda a: fit_interval(function(a), result)
        return lambda a: NAN if a != a else function(a)

    return meaning


def _is_long(types: Sequence[ty.DataType]) -> bool:
    """Whether decimals have more digits than those to which Scala 2.13, and so Spark 4, negates."""
    return isinstance(types[0], ty.DecimalType) and types[0].precision > NEGATING.prec


def _negate_exactly(value: Decimal) -> Decimal:
    return value.copy_negate() if value else value


def _negate(a: Any) -> Any:
    return NEGATING.minus(a) if isinstance(a, Decimal) else -a


def _absolute(a: Any) -> Any:
    if isinstance(a, Decimal):
        return NEGATING.minus(a) if a < 0 else a
    return abs(a)


SIGNED = (ty.NumericType, ty.DayTimeIntervalType, ty.YearMonthIntervalType)
scalar("negative", "UnaryMinus", signature(first_type, SIGNED), _unary(_negate))(
    (*NUMERIC, Prefix("-"), SolverMeaning.NEGATION, WithoutAnsi.WRAPPED),
    Older(SPARK_4_0, _is_long, lambda *_: _negate_exactly),
)
scalar("positive", "UnaryPositive", signature(first_type, SIGNED), lambda a: a)(
    PURE, STRICT, TOTAL, NULLABLE_IF_ANY, IEEE, Prefix("+"), SolverMeaning.IDENTITY, ANY_ZERO
)
scalar("abs", "Abs", signature(first_type, SIGNED), _unary(_absolute))(
    (*NUMERIC, SolverMeaning.MAGNITUDE, WithoutAnsi.WRAPPED),
    Older(SPARK_4_0, _is_long, lambda *_: Decimal.copy_abs),
)


# -- TRY versions: null instead of failure -----------------------------------------------------


def _trying(name: str, base: str, *traits: Trait) -> None:
    """Register the version of a function that gives null where it would fail.

    Only its own failure is caught; an argument that fails does so all the same.
    """
    function = SCALAR[base]

    def meaning(types: Sequence[ty.DataType], result: ty.DataType) -> Callable[..., Any]:
        inner = function.meaning(types, result)

        def tried(a: Any, b: Any) -> Any:
            try:
                return inner(a, b)
            except Failure:
                return None

        return tried

    divides = function.evaluation is Evaluation.DIVISOR_FIRST
    order = Evaluation.TRIED_DIVISOR_FIRST if divides else Evaluation.IN_ORDER
    scalar(name, "", function.rule, meaning)(
        (PURE, PROPAGATE, TOTAL, NULLABLE, SETTLED, TYPED, ANY_ZERO),
        (order, Coercion.ATTEMPT, *traits),
        attempt_of=base,
    )


_trying("try_add", "+")
_trying("try_subtract", "-")
_trying("try_multiply", "*")
_trying("try_divide", "/")
_trying("try_mod", "%", SPARK_4_0)
