"""Numbers: operators and mathematical functions, with ANSI overflow and decimal rounding."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from decimal import (
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    Context,
    Decimal,
)
from typing import Any

from veer.errors import IllFormedError
from veer.functions.registry import (
    SCALAR,
    Argument,
    Failure,
    Nulls,
    Resolved,
    Rule,
    scalar,
)
from veer.functions.typing import (
    adjusted,
    cast_to,
    common_type,
    decimal_of,
    first_type,
    signature,
)
from veer.model.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DOUBLE,
    FLOAT,
    INT,
    INTEGER_BITS,
    LONG,
    STRING,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    FractionalType,
    IntegralType,
    NullType,
    NumericType,
    StringType,
    YearMonthIntervalType,
)

EXACT = Context(prec=120)
WIDE = Context(prec=400)  # holds every double to 38 places
NEGATING = Context(prec=34, rounding=ROUND_HALF_EVEN)  # Scala negates within 34 digits
NAN = float("nan")  # the one NaN object: tuples and dictionaries compare by identity first
INTERVALS = (DayTimeIntervalType, YearMonthIntervalType)


def to_float32(value: float) -> float:
    """Round to single precision, as Spark's float does after every operation."""
    try:
        rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return NAN if math.isnan(rounded) else rounded


def fit_integer(value: int, type_: DataType) -> int:
    """The value, or ARITHMETIC_OVERFLOW where the type cannot hold it."""
    limit = 1 << (INTEGER_BITS[type_] - 1)
    if -limit <= value < limit:
        return value
    raise Failure("ARITHMETIC_OVERFLOW")


def wrap(value: int, type_: DataType) -> int:
    """The value as Java computes it: modulo 64 bits for bigint, else modulo 32 bits."""
    size = 1 << max(INTEGER_BITS[type_], 32)
    return (value + size // 2) % size - size // 2


def fit_decimal(value: Decimal, type_: DecimalType, rounding: str = ROUND_HALF_UP) -> Decimal:
    """Round to the type's scale; NUMERIC_VALUE_OUT_OF_RANGE where the digits do not fit."""
    rounded = value.quantize(Decimal(1).scaleb(-type_.scale), rounding, WIDE)
    if rounded and rounded.adjusted() >= type_.precision - type_.scale:
        raise Failure("NUMERIC_VALUE_OUT_OF_RANGE")
    return rounded if rounded else rounded.copy_abs()  # decimals have no negative zero


def fit_float(value: float, type_: DataType) -> float:
    """Single precision where the type is, and the one NaN object."""
    if value != value:
        return NAN
    return to_float32(value) if type_ == FLOAT else value


# -- the four operations ---------------------------------------------------------------------

DecimalRule = Callable[[DecimalType, DecimalType], DecimalType]


def _decimal_sum(a: DecimalType, b: DecimalType) -> DecimalType:
    scale = max(a.scale, b.scale)
    return adjusted(max(a.precision - a.scale, b.precision - b.scale) + scale + 1, scale)


def _decimal_product(a: DecimalType, b: DecimalType) -> DecimalType:
    return adjusted(a.precision + b.precision + 1, a.scale + b.scale)


def _decimal_quotient(a: DecimalType, b: DecimalType) -> DecimalType:
    scale = max(6, a.scale + b.precision + 1)
    return adjusted(a.precision - a.scale + b.scale + scale, scale)


def _decimal_remainder(a: DecimalType, b: DecimalType) -> DecimalType:
    scale = max(a.scale, b.scale)
    return adjusted(min(a.precision - a.scale, b.precision - b.scale) + scale, scale)


def operands(args: Sequence[Argument]) -> tuple[DataType, DataType]:
    """The types two operands take under ANSI promotion; decimals keep their own."""
    if len(args) != 2:
        raise IllFormedError(f"{len(args)} arguments, expected 2")
    a, b = args
    fractional = DOUBLE in (a.type, b.type) or FLOAT in (a.type, b.type)
    if not fractional and isinstance(a.type, DecimalType) and isinstance(b.type, NumericType):
        return a.type, decimal_of(b)
    if not fractional and isinstance(b.type, DecimalType) and isinstance(a.type, NumericType):
        return decimal_of(a), b.type
    common = common_type(args)
    if isinstance(common, StringType):
        raise IllFormedError("arithmetic on two texts")
    if not isinstance(common, (NumericType, *INTERVALS)):
        common = cast_to(Argument(common), NumericType, 1)
    return common, common


def arithmetic(decimal_rule: DecimalRule) -> Rule:
    """The typing of + - * %."""

    def rule(args: Sequence[Argument]) -> Resolved:
        a, b = operands(args)
        if isinstance(a, DecimalType) and isinstance(b, DecimalType):
            return Resolved((a, b), decimal_rule(a, b))
        return Resolved((a, b), a)

    return rule


def _numeric_only(rule: Rule) -> Rule:
    def checked(args: Sequence[Argument]) -> Resolved:
        resolved = rule(args)
        if not isinstance(resolved.result, NumericType):
            raise IllFormedError(f"{resolved.result} is not numeric")
        return resolved

    return checked


def operation(
    integers: Callable[[int, int], int],
    decimals: Callable[[Decimal, Decimal], Decimal],
    floats: Callable[[float, float], float],
) -> Callable[[Sequence[DataType], DataType], Callable[..., Any]]:
    """Meaning of an operation from its exact version in each number system."""

    def meaning(_types: Sequence[DataType], result: DataType) -> Callable[..., Any]:
        match result:
            case IntegralType():
                return lambda a, b: fit_integer(integers(a, b), result)
            case DecimalType():
                return lambda a, b: fit_decimal(decimals(a, b), result)
            case FractionalType():
                return lambda a, b: fit_float(floats(a, b), result)
            case _:
                return integers  # intervals

    return meaning


def _nonzero(b: Any) -> Any:
    if b == 0:
        raise Failure("DIVIDE_BY_ZERO")
    return b


def _truncated_quotient(a: int, b: int) -> int:
    quotient: int = abs(a) // abs(_nonzero(b))
    return quotient if (a < 0) == (b < 0) else -quotient


def _truncated_remainder(a: int, b: int) -> int:
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
    _nonzero(b)
    if math.isinf(a) or a != a or b != b:
        return NAN
    return math.fmod(a, b)


def _multiply_floats(a: float, b: float) -> float:
    return a * b


scalar(
    "+",
    arithmetic(_decimal_sum),
    operation(lambda a, b: a + b, EXACT.add, lambda a, b: a + b),
    typed=True,
    can_fail=True,
    aliases=["add"],
)
scalar(
    "-",
    arithmetic(_decimal_sum),
    operation(lambda a, b: a - b, EXACT.subtract, lambda a, b: a - b),
    typed=True,
    can_fail=True,
)
scalar(
    "*",
    _numeric_only(arithmetic(_decimal_product)),
    operation(
        lambda a, b: a * b,
        Context(prec=39, rounding=ROUND_HALF_UP).multiply,
        _multiply_floats,
    ),
    typed=True,
    can_fail=True,
)
scalar(
    "%",
    _numeric_only(arithmetic(_decimal_remainder)),
    operation(_truncated_remainder, lambda a, b: EXACT.remainder(a, _nonzero(b)), _float_remainder),
    typed=True,
    can_fail=True,
    aliases=["mod"],
)


def _quotient_rule(args: Sequence[Argument]) -> Resolved:
    a, b = operands(args)
    if isinstance(a, DecimalType) and isinstance(b, DecimalType):
        return Resolved((a, b), _decimal_quotient(a, b))
    if not isinstance(a, NumericType):
        raise IllFormedError(f"{a} is not numeric")
    return Resolved((DOUBLE, DOUBLE), DOUBLE)


scalar(
    "/",
    _quotient_rule,
    operation(_truncated_quotient, _decimal_divide, _float_divide),
    typed=True,
    can_fail=True,
)


def _div_rule(args: Sequence[Argument]) -> Resolved:
    a, b = operands(args)
    if isinstance(a, DecimalType):
        return Resolved((a, b), LONG)
    if isinstance(a, IntegralType):
        return Resolved((LONG, LONG), LONG)
    raise IllFormedError(f"div needs integers or decimals, got {a}")


def _integral_divide(a: Any, b: Any) -> int:
    if isinstance(a, Decimal):
        exact = Context(prec=120, rounding=ROUND_DOWN).divide_int(a, _nonzero(b))
        return fit_integer(int(exact), LONG)
    return fit_integer(_truncated_quotient(a, b), LONG)


scalar("div", _div_rule, _integral_divide, can_fail=True)


def _positive_modulo(_types: Sequence[DataType], result: DataType) -> Callable[..., Any]:
    def pmod(a: Any, b: Any) -> Any:
        _nonzero(b)
        if isinstance(result, FractionalType) and not isinstance(result, DecimalType):
            r = _float_remainder(a, b)
            return fit_float(_float_remainder(r + b, b) if r < 0 else r, result)
        if isinstance(result, DecimalType):
            exact = EXACT.remainder(a, b)
            wrapped = EXACT.remainder(exact + b, b) if exact < 0 else exact
            return fit_decimal(wrapped, result)
        r = _truncated_remainder(a, b)
        return _truncated_remainder(wrap(r + b, result), b) if r < 0 else r

    return pmod


scalar(
    "pmod",
    _numeric_only(arithmetic(_decimal_remainder)),
    _positive_modulo,
    typed=True,
    can_fail=True,
)


# -- one argument ----------------------------------------------------------------------------


def _unary(function: Callable[[Any], Any]) -> Callable[..., Callable[..., Any]]:
    def meaning(_types: Sequence[DataType], result: DataType) -> Callable[..., Any]:
        if isinstance(result, IntegralType):
            return lambda a: fit_integer(function(a), result)
        if isinstance(result, DecimalType):
            return lambda a: fit_decimal(function(a), result)
        return lambda a: NAN if a != a else function(a)

    return meaning


def _negate(a: Any) -> Any:
    return NEGATING.minus(a) if isinstance(a, Decimal) else -a


def _absolute(a: Any) -> Any:
    if isinstance(a, Decimal):
        return NEGATING.minus(a) if a < 0 else a
    return abs(a)


SIGNED = (NumericType, DayTimeIntervalType, YearMonthIntervalType)
scalar("negative", signature(first_type, SIGNED), _unary(_negate), typed=True, can_fail=True)
scalar("positive", signature(first_type, SIGNED), lambda a: a)
scalar("abs", signature(first_type, SIGNED), _unary(_absolute), typed=True, can_fail=True)


def _sign(a: Any) -> float:
    if a != a:
        return NAN
    return float((a > 0) - (a < 0)) if a else float(a)


scalar("sign", signature(DOUBLE, DOUBLE), _sign, aliases=["signum"])


def _java_double(function: Callable[[float], float]) -> Callable[[float], float]:
    def meaning(a: float) -> float:
        try:
            value = function(a)
        except OverflowError:
            return math.inf
        except ValueError:
            return NAN
        return NAN if value != value else value

    return meaning


for _name, _function in {"sqrt": math.sqrt, "exp": math.exp}.items():
    scalar(_name, signature(DOUBLE, DOUBLE), _java_double(_function))


def _logarithm(function: Callable[[float], float]) -> Callable[[float], float | None]:
    return lambda a: None if a <= 0 else _java_double(function)(a)


for _name, _function in {"ln": math.log, "log10": math.log10, "log2": math.log2}.items():
    scalar(_name, signature(DOUBLE, DOUBLE), _logarithm(_function), Nulls.PROPAGATE)


def _power(a: float, b: float) -> float:
    if b != b or (a != a and b != 0) or (abs(a) == 1 and math.isinf(b)):
        return NAN  # Java's pow, unlike C's, gives NaN for 1 ** NaN and 1 ** inf
    try:
        value = math.pow(a, b)
    except OverflowError:
        return math.copysign(math.inf, a if b % 2 == 1 else 1.0)
    except ValueError:
        if a == 0:
            return math.copysign(math.inf, a if b % 2 == 1 else 1.0)
        return NAN
    return NAN if value != value else value


scalar("power", signature(DOUBLE, DOUBLE, DOUBLE), _power, aliases=["pow"])
scalar(
    "isnan", signature(BOOLEAN, (DOUBLE, FLOAT)), lambda a: a is not None and a != a, Nulls.NEVER
)


def _nanvl(a: float | None, b: float | None) -> float | None:
    return b if a is not None and a != a else a


def _nanvl_rule(args: Sequence[Argument]) -> Resolved:
    types = {a.type for a in args}
    common = FLOAT if types == {FLOAT} else DOUBLE
    return signature(common, common, common)(args)


scalar("nanvl", _nanvl_rule, _nanvl, Nulls.CUSTOM)


# -- rounding --------------------------------------------------------------------------------


def _round_rule(args: Sequence[Argument]) -> Resolved:
    """ROUND keeps the type, but for decimals the scale shrinks to what is asked."""
    if len(args) not in (1, 2):
        raise IllFormedError(f"{len(args)} arguments, expected 1 or 2")
    type_ = cast_to(args[0], NumericType, 1)
    rest = tuple(cast_to(a, INT, 2) for a in args[1:])
    places = 0
    if len(args) == 2:
        if not args[1].is_literal or not isinstance(args[1].value, int):
            raise IllFormedError("the number of places must be a constant")
        places = args[1].value
    if isinstance(type_, DecimalType):
        digits = type_.precision - type_.scale + 1
        if places < 0:
            type_result = DecimalType(min(max(digits, -places + 1), 38), 0)
        else:
            scale = min(type_.scale, places)
            type_result = DecimalType(min(digits + scale, 38), scale)
        return Resolved((type_, *rest), type_result)
    return Resolved((type_, *rest), type_)


def _rounding(mode: str) -> Callable[..., Callable[..., Any]]:
    def meaning(_types: Sequence[DataType], result: DataType) -> Callable[..., Any]:
        def rounded(a: Any, places: int = 0) -> Any:
            match result:
                case IntegralType():
                    if places >= 0:
                        return a
                    exact = Decimal(a).quantize(Decimal(1).scaleb(-places), mode, EXACT)
                    return fit_integer(int(exact), result)
                case DecimalType():
                    exact = a.quantize(Decimal(1).scaleb(-places), mode, EXACT)
                    return fit_decimal(exact, result)
                case _:
                    if a != a or math.isinf(a):
                        return a
                    # Java goes through the shortest decimal text of the number as a double.
                    shortest = Decimal(repr(a))
                    exact = shortest.quantize(Decimal(1).scaleb(-places), mode, WIDE)
                    return fit_float(float(exact), result) if exact else 0.0

        return rounded

    return meaning


def float32_text(value: float) -> str:
    """The shortest decimal text that reads back as the same single-precision number."""
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if to_float32(float(text)) == value:
            return text
    return repr(value)


scalar("round", _round_rule, _rounding(ROUND_HALF_UP), typed=True, can_fail=True)
scalar("bround", _round_rule, _rounding(ROUND_HALF_EVEN), typed=True, can_fail=True)


def _integer_part_rule(args: Sequence[Argument]) -> Resolved:
    (type_,) = signature(LONG, (DOUBLE, DecimalType, LONG))(args).arguments
    if isinstance(type_, DecimalType):
        digits = type_.precision - type_.scale + (type_.scale > 0)
        return Resolved((type_,), DecimalType(min(digits, 38), 0))
    return Resolved((type_,), LONG)


def _integer_part(mode: str) -> Callable[..., Callable[..., Any]]:
    towards: Callable[[float], int] = math.ceil if mode == ROUND_CEILING else math.floor

    def meaning(_types: Sequence[DataType], result: DataType) -> Callable[..., Any]:
        def part(a: Any) -> Any:
            if isinstance(result, DecimalType):
                return fit_decimal(a.quantize(Decimal(1), mode, EXACT), result)
            if isinstance(a, float):
                if math.isinf(a):
                    raise Failure("ARITHMETIC_OVERFLOW")
                return fit_integer(0 if a != a else towards(a), LONG)
            return a

        return part

    return meaning


def float_to_long(a: float) -> int:
    """Java's (long) conversion: NaN is 0, out of range saturates."""
    if a != a:
        return 0
    limit = 1 << 63
    return max(-limit, min(limit - 1, int(a) if math.isfinite(a) else (limit if a > 0 else -limit)))


scalar(
    "ceil",
    _integer_part_rule,
    _integer_part(ROUND_CEILING),
    typed=True,
    can_fail=True,
    aliases=["ceiling"],
)
scalar("floor", _integer_part_rule, _integer_part(ROUND_FLOOR), typed=True, can_fail=True)


# -- TRY versions: null instead of failure -----------------------------------------------------


def _trying(name: str, base: str) -> None:
    function = SCALAR[base]

    def meaning(types: Sequence[DataType], result: DataType) -> Callable[..., Any]:
        inner = function.meaning(types, result)

        def tried(a: Any, b: Any) -> Any:
            try:
                return inner(a, b)
            except Failure:
                return None

        return tried

    scalar(name, function.rule, meaning, Nulls.PROPAGATE, typed=True)


for _name, _base in {
    "try_add": "+",
    "try_subtract": "-",
    "try_multiply": "*",
    "try_divide": "/",
    "try_mod": "%",
}.items():
    _trying(_name, _base)


def _integral_pair(args: Sequence[Argument]) -> Resolved:
    a, b = operands(args)
    if not isinstance(a, IntegralType):
        raise IllFormedError(f"{a} is not an integer")
    return Resolved((a, b), a)


def _bit_of(args: Sequence[Argument]) -> Resolved:
    if len(args) != 2:
        raise IllFormedError(f"{len(args)} arguments, expected 2")
    operand = LONG if isinstance(args[0].type, NullType) else args[0].type
    if not isinstance(operand, IntegralType):
        raise IllFormedError(f"no bit of {operand}")
    return Resolved((operand, INT), BYTE)


def _bit(types: Sequence[DataType], result: DataType) -> Callable[[int, int], int]:
    """The bit at a place, the lowest at 0; a place outside of the number fails."""
    operand, _ = types
    assert isinstance(operand, IntegralType)
    width = INTEGER_BITS[operand]

    def bit(value: int, place: int) -> int:
        if not 0 <= place < width:
            raise Failure("INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE")
        return value >> place & 1

    return bit


scalar("getbit", _bit_of, _bit, typed=True, can_fail=True, aliases=("bit_get",))
scalar("&", _integral_pair, lambda a, b: a & b)
scalar("|", _integral_pair, lambda a, b: a | b)
scalar("^", _integral_pair, lambda a, b: a ^ b)


def _hex(value: Any) -> str:
    if isinstance(value, int):
        return format(value & (1 << 64) - 1, "X")
    return (value.encode() if isinstance(value, str) else value).hex().upper()


scalar("hex", signature(STRING, (LONG, BINARY, STRING)), _hex)
