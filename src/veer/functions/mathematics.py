"""Mathematical functions of numbers: roots, logarithms, rounding, bits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import (
    ROUND_CEILING,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    Decimal,
)
from typing import Any

from veer.errors import IllFormedError
from veer.functions import arithmetic, strict
from veer.functions.registry import (
    ANY_ZERO,
    NOT_NULLABLE,
    NULLABLE,
    NULLABLE_IF_ANY,
    PARTIAL,
    PLAIN,
    PROPAGATE,
    PURE,
    SETTLED,
    STRICT,
    TOTAL,
    TYPED,
    Argument,
    Failure,
    Meaning,
    Nulls,
    Resolved,
    scalar,
)
from veer.functions.traits import (
    Domain,
    Evaluation,
    Infix,
    Older,
    Shown,
    SolverMeaning,
    WithoutAnsi,
)
from veer.functions.typing import cast_to, first_is, require_count, signature
from veer.ir import types as ty
from veer.settings import SPARK_4_3


def _sign(a: Any) -> float:
    """-1.0, 1.0, or the zero itself, which keeps its sign."""
    if a != a:
        return arithmetic.NAN
    return float((a > 0) - (a < 0)) if a else float(a)


scalar("sign signum", "Signum", signature(ty.DOUBLE, ty.DOUBLE), _sign)(
    PURE, STRICT, TOTAL, NULLABLE, SETTLED, Shown(capitals=("signum",)), ANY_ZERO
)


def _java_double(function: Callable[[float], float]) -> Callable[[float], float]:
    """A function of doubles as Java has it: infinity and NaN where Python raises."""

    def meaning(a: float) -> float:
        try:
            value = function(a)
        except OverflowError:
            return math.inf
        except ValueError:
            return arithmetic.NAN
        return arithmetic.NAN if value != value else value

    return meaning


scalar("sqrt", "Sqrt", signature(ty.DOUBLE, ty.DOUBLE), _java_double(math.sqrt))(
    PURE, STRICT, TOTAL, NULLABLE, Shown(capitals=("sqrt",)), ANY_ZERO
)
scalar("exp", "Exp", signature(ty.DOUBLE, ty.DOUBLE), _java_double(strict.exp))(
    PURE, STRICT, TOTAL, NULLABLE, Shown(capitals=("exp",)), ANY_ZERO
)


def _logarithm(function: Callable[[float], float]) -> Callable[[float], float | None]:
    """Null, not NaN, of what has no logarithm; of NaN it is NaN."""
    return lambda a: None if a <= 0 else _java_double(function)(a)


# Of 0.0 and of -0.0 they are null.
scalar("ln", "Log", signature(ty.DOUBLE, ty.DOUBLE), _logarithm(strict.log))(
    PURE, PROPAGATE, TOTAL, NULLABLE, ANY_ZERO
)
scalar("log10", "Log10", signature(ty.DOUBLE, ty.DOUBLE), _logarithm(strict.log10))(
    PURE, PROPAGATE, TOTAL, NULLABLE, Shown(capitals=("log10",)), ANY_ZERO
)
scalar("log2", "Log2", signature(ty.DOUBLE, ty.DOUBLE), _logarithm(strict.log2))(
    PURE, PROPAGATE, TOTAL, NULLABLE, Shown(capitals=("log2",)), ANY_ZERO
)


def _power(a: float, b: float) -> float:
    if b != b or (a != a and b != 0) or (abs(a) == 1 and math.isinf(b)):
        return arithmetic.NAN  # Java's pow, unlike C's, gives NaN for 1 ** NaN and 1 ** inf
    try:
        value = strict.power(a, b)
    except OverflowError:
        return math.copysign(math.inf, a if b % 2 == 1 else 1.0)
    except ValueError:
        if a == 0:
            return math.copysign(math.inf, a if b % 2 == 1 else 1.0)
        return arithmetic.NAN
    return arithmetic.NAN if value != value else value


scalar("power pow", "Pow", signature(ty.DOUBLE, ty.DOUBLE, ty.DOUBLE), _power)(
    PURE, STRICT, TOTAL, NULLABLE_IF_ANY, Shown(capitals=("power",))
)
scalar(
    "isnan",
    "IsNaN",
    signature(ty.BOOLEAN, (ty.DOUBLE, ty.FLOAT)),
    lambda a: a is not None and a != a,
)(PURE, Nulls.NEVER, TOTAL, NOT_NULLABLE, ANY_ZERO)


def _nanvl(a: float | None, b: float | None) -> float | None:
    """The second argument in the place of NaN, null where that is null."""
    return b if a is not None and a != a else a


def _nanvl_rule(args: Sequence[Argument]) -> Resolved:
    types = {a.type for a in args}
    common = ty.FLOAT if types == {ty.FLOAT} else ty.DOUBLE
    return signature(common, common, common)(args)


scalar("nanvl", "NaNvl", _nanvl_rule, _nanvl)(
    PURE, Nulls.CUSTOM, TOTAL, NULLABLE_IF_ANY, Evaluation.SECOND_IF_NAN, ANY_ZERO
)


ROUNDING = PURE, STRICT, PARTIAL, NULLABLE, SETTLED, TYPED, ANY_ZERO

# -- rounding --------------------------------------------------------------------------------


def _round_rule(args: Sequence[Argument]) -> Resolved:
    """ROUND keeps the type, but for decimals the scale shrinks to what is asked."""
    require_count(args, 1, 2)
    type_ = cast_to(args[0], ty.NumericType, 1)
    rest = tuple(cast_to(a, ty.INT, 2) for a in args[1:])
    places = 0
    if len(args) == 2:
        if not args[1].is_literal or not isinstance(args[1].value, int):
            raise IllFormedError("the number of places must be a constant")
        places = args[1].value
    if isinstance(type_, ty.DecimalType):
        digits = type_.precision - type_.scale + 1
        if places < 0:
            type_result = ty.DecimalType(min(max(digits, -places + 1), 38), 0)
        else:
            scale = min(type_.scale, places)
            type_result = ty.DecimalType(min(digits + scale, 38), scale)
        return Resolved((type_, *rest), type_result)
    return Resolved((type_, *rest), type_)


def _rounding(mode: str) -> Callable[..., Callable[..., Any]]:
    def meaning(_types: Sequence[ty.DataType], result: ty.DataType) -> Callable[..., Any]:
        def rounded(a: Any, places: int = 0) -> Any:
            match result:
                case ty.IntegralType():
                    if places >= 0:
                        return a
                    exact = Decimal(a).quantize(Decimal(1).scaleb(-places), mode, arithmetic.EXACT)
                    return arithmetic.fit_integer(int(exact), result)
                case ty.DecimalType():
                    exact = a.quantize(Decimal(1).scaleb(-places), mode, arithmetic.EXACT)
                    return arithmetic.fit_decimal(exact, result)
                case _:
                    if a != a or math.isinf(a):
                        return a
                    # Java goes through the shortest decimal text of the number as a double.
                    shortest = Decimal(repr(a))
                    exact = shortest.quantize(Decimal(1).scaleb(-places), mode, arithmetic.WIDE)
                    return arithmetic.fit_float(float(exact), result) if exact else 0.0

        return rounded

    return meaning


scalar("round", "Round", _round_rule, _rounding(ROUND_HALF_UP))(
    ROUNDING, Shown(1, ("0",)), WithoutAnsi.ROUNDED
)
scalar("bround", "BRound", _round_rule, _rounding(ROUND_HALF_EVEN))(
    ROUNDING, Shown(1, ("0",)), WithoutAnsi.ROUNDED
)


def _integer_part_rule(args: Sequence[Argument]) -> Resolved:
    """CEIL and FLOOR give a bigint, of decimals a decimal with a digit more for the carry."""
    (type_,) = signature(ty.LONG, (ty.DOUBLE, ty.DecimalType, ty.LONG))(args).arguments
    if isinstance(type_, ty.DecimalType):
        digits = type_.precision - type_.scale + (type_.scale > 0)
        return Resolved((type_,), ty.DecimalType(min(digits, 38), 0))
    return Resolved((type_,), ty.LONG)


def _integer_part(mode: str) -> Callable[..., Callable[..., Any]]:
    towards: Callable[[float], int] = math.ceil if mode == ROUND_CEILING else math.floor

    def meaning(_types: Sequence[ty.DataType], result: ty.DataType) -> Callable[..., Any]:
        def part(a: Any) -> Any:
            if isinstance(result, ty.DecimalType):
                return arithmetic.fit_decimal(
                    a.quantize(Decimal(1), mode, arithmetic.EXACT), result
                )
            if isinstance(a, float):
                if math.isinf(a):
                    raise Failure("ARITHMETIC_OVERFLOW")
                return arithmetic.fit_integer(
                    0 if a != a else towards(a), ty.LONG
                )  # NaN is 0 to Java
            return a

        return part

    return meaning


def cut_to_whole(towards: Callable[[float], int]) -> Meaning:
    """Doubles as whole numbers, the largest there is for those beyond."""
    return lambda *_: lambda a: arithmetic.float_to_long(towards(a) if math.isfinite(a) else a)


def _ceil_or_floor(names: str, spark: str, mode: str, towards: Callable[[float], int]) -> None:
    scalar(names, spark, _integer_part_rule, _integer_part(mode))(
        (*ROUNDING, Shown(capitals=(names.split()[0],)), WithoutAnsi.CUT),
        Older(SPARK_4_3, first_is(ty.DoubleType), cut_to_whole(towards), TOTAL),
    )


_ceil_or_floor("ceil ceiling", "Ceil", ROUND_CEILING, math.ceil)
_ceil_or_floor("floor", "Floor", ROUND_FLOOR, math.floor)

# -- bits ----------------------------------------------------------------------------------


def _integral_pair(args: Sequence[Argument]) -> Resolved:
    a, b = arithmetic.operands(args)
    if not isinstance(a, ty.IntegralType):
        raise IllFormedError(f"{a} is not an integer")
    return Resolved((a, b), a)


def _bit_of(args: Sequence[Argument]) -> Resolved:
    require_count(args, 2)
    operand = ty.LONG if isinstance(args[0].type, ty.NullType) else args[0].type
    if not isinstance(operand, ty.IntegralType):
        raise IllFormedError(f"no bit of {operand}")
    return Resolved((operand, ty.INT), ty.BYTE)


def _bit(types: Sequence[ty.DataType], result: ty.DataType) -> Callable[[int, int], int]:
    """The bit at a place, the lowest at 0; a place outside of the number fails."""
    operand, _ = types
    assert isinstance(operand, ty.IntegralType)
    width = ty.INTEGER_BITS[operand]

    def bit(value: int, place: int) -> int:
        if not 0 <= place < width:
            raise Failure("INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE")
        return value >> place & 1

    return bit


scalar("getbit bit_get", "BitwiseGet", _bit_of, _bit)(
    (PURE, STRICT, Domain.BIT_PLACE, NULLABLE_IF_ANY, SETTLED, TYPED),
    (SolverMeaning.BIT, WithoutAnsi.SAME),
)
scalar("&", "BitwiseAnd", _integral_pair, lambda a, b: a & b)(PLAIN, Infix("&"))
scalar("|", "BitwiseOr", _integral_pair, lambda a, b: a | b)(PLAIN, Infix("|"))
scalar("^", "BitwiseXor", _integral_pair, lambda a, b: a ^ b)(PLAIN, Infix("^"))


def _hex(value: Any) -> str:
    if isinstance(value, int):
        return format(value & (1 << 64) - 1, "X")
    return (value.encode() if isinstance(value, str) else value).hex().upper()


scalar("hex", "Hex", signature(ty.STRING, (ty.LONG, ty.BINARY, ty.STRING)), _hex)(PLAIN)
