"""Conversions between types, as Spark does them under ANSI.

`cast_function(given, target, mode)` maps a non-null value to a value, to None where Spark gives
null, or raises `Failure` with Spark's error condition. At the end: how casts of a session without
ANSI are written, so that what means the same is one expression.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from veer.errors import UnsupportedError
from veer.functions import arithmetic, moments
from veer.functions.registry import Failure
from veer.functions.typing import DATETIMES
from veer.ir import types as ty
from veer.settings import SPARK_4_0, SparkVersion

Convert = Callable[[Any], Any]

TRUE_TEXTS = {"t", "true", "y", "yes", "1"}
FALSE_TEXTS = {"f", "false", "n", "no", "0"}
INVALID = "CAST_INVALID_INPUT"
OVERFLOW = "CAST_OVERFLOW"


@lru_cache(maxsize=4096)
def cast_function(given: ty.DataType, target: ty.DataType, mode: ty.CastMode) -> Convert:
    """The conversion from one type to another, of values that are not null.

    Under ANSI what cannot be converted fails the run, for TRY_CAST it becomes null. Without ANSI
    (`LEGACY`) numbers are cut to their low bits, texts read as far as Spark did before.
    """
    convert = (_legacy if mode is ty.CastMode.LEGACY else _conversion)(given, target)
    if mode == ty.CastMode.ANSI:
        return convert

    def tried(value: Any) -> Any:
        try:
            return convert(value)
        except Failure:
            return None

    return tried


def _conversion(given: ty.DataType, target: ty.DataType) -> Convert:
    """The conversion of values that are not null, failing as under ANSI: one case for a pair of types."""
    if given == target:
        return lambda v: v
    match given, target:
        case ty.NullType(), _:
            return lambda _: None
        case _, ty.StringType():
            return lambda v: text_of(v, given)
        case ty.StringType(), _:
            return _from_text(target)
        case ty.ArrayType(a), ty.ArrayType(b):
            inner = _nested(a, b)
            return lambda v: tuple(inner(x) for x in v)
        case ty.MapType(), ty.MapType():
            key, value = _nested(given.key, target.key), _nested(given.value, target.value)
            return lambda v: tuple((key(k), value(x)) for k, x in v)
        case ty.StructType(a), ty.StructType(b):
            parts = [_nested(x, y) for (_, x), (_, y) in zip(a, b, strict=True)]
            return lambda v: tuple(p(x) for p, x in zip(parts, v, strict=True))
        case ty.BooleanType(), ty.NumericType():
            return _to_number(target)
        case ty.NumericType(), ty.BooleanType():
            return lambda v: v != 0
        case ty.NumericType(), ty.NumericType():
            return _to_number(target)
        case ty.DateType(), ty.TimestampType() | ty.TimestampNtzType():
            return lambda v: datetime(v.year, v.month, v.day)
        case ((ty.TimestampType() | ty.TimestampNtzType()), ty.DateType()):
            return lambda v: v.date()
        case (
            (ty.TimestampType() | ty.TimestampNtzType()),
            (ty.TimestampType() | ty.TimestampNtzType()),
        ):
            return lambda v: v
        case ty.TimestampType(), ty.NumericType():
            return _timestamp_to_number(target)
        case ty.NumericType(), ty.TimestampType():
            return _number_to_timestamp
        case (ty.DayTimeIntervalType(), ty.DayTimeIntervalType()):
            return lambda v: v
        case (ty.YearMonthIntervalType(), ty.YearMonthIntervalType()):
            return lambda v: v
        case _:
            raise UnsupportedError(f"cast from {given} to {target} is not interpreted")


def _legacy(given: ty.DataType, target: ty.DataType) -> Convert:
    """The conversion as it was before ANSI, null where there is none."""
    match given, target:
        case ty.StringType(), ty.IntegralType():
            return lambda v: _read_truncated(v, target)
        case ty.FloatType() | ty.DoubleType(), ty.IntegralType():
            return lambda v: arithmetic.wrapped(
                _saturated(v, max(ty.INTEGER_BITS[target], 32)), target
            )
        case ty.NumericType(), ty.IntegralType():
            return lambda v: arithmetic.wrapped(int(v), target)
        case ty.TimestampType(), ty.BooleanType():
            return lambda v: moments.micros_of(v) != 0
        case ty.TimestampType(), ty.IntegralType():  # before Spark 4.0
            return lambda v: arithmetic.wrapped(moments.micros_of(v) // 1_000_000, target)
        case ty.DateType(), ty.NumericType() | ty.BooleanType():
            return lambda _: None
        case _, ty.StringType():
            return lambda v: text_of(v, given, plain=False)
        case ty.ArrayType(a), ty.ArrayType(b):
            inner = _legacy_nested(a, b)
            return lambda v: tuple(inner(x) for x in v)
        case ty.StructType(a), ty.StructType(b):
            parts = [_legacy_nested(x, y) for (_, x), (_, y) in zip(a, b, strict=True)]
            return lambda v: tuple(p(x) for p, x in zip(parts, v, strict=True))
        case ty.MapType(), ty.MapType():
            key = _legacy_nested(given.key, target.key)
            value = _legacy_nested(given.value, target.value)
            return lambda v: tuple((key(k), value(x)) for k, x in v)
        case _:
            return _conversion(given, target)


def _legacy_nested(given: ty.DataType, target: ty.DataType) -> Convert:
    inner = cast_function(given, target, legacy_cast_mode(given, target))
    return lambda v: None if v is None else inner(v)


def _read_truncated(text: str, type_: ty.DataType) -> int | None:
    """Digits with a sign, up to a point; null if that is no number of the type."""
    found = _TRUNCATED.fullmatch(text.strip(moments.WHITESPACE))
    if found is None or not any(found.groups()) or len(found[0]) > 4000:
        return None
    value = int(f"{found['sign']}{found['whole'] or 0}")
    return value if arithmetic.wrapped(value, type_) == value else None


def _saturated(value: float, bits: int) -> int:
    """Java's conversion to a whole number: NaN is 0, the largest where it is too large."""
    limit = 1 << (bits - 1)
    return max(-limit, min(limit - 1, arithmetic.float_to_long(value)))


def _nested(given: ty.DataType, target: ty.DataType) -> Convert:
    """The conversion of elements, fields and map values, which may be null."""
    inner = _conversion(given, target)
    return lambda v: None if v is None else inner(v)


# -- numbers -----------------------------------------------------------------------------------


def _to_number(target: ty.DataType) -> Convert:
    match target:
        case ty.IntegralType():
            limit = 1 << (ty.INTEGER_BITS[target] - 1)
            return lambda v: _to_integer(v, limit)
        case ty.DecimalType():
            return lambda v: _to_decimal(v, target)
        case ty.FloatType():
            return lambda v: arithmetic.to_float32(_widened(v))
        case _:
            return _widened


def _to_integer(value: Any, limit: int) -> int:
    if isinstance(value, float) and not math.isfinite(value):
        raise Failure(OVERFLOW)
    whole = int(value)  # towards zero, for floats and decimals alike
    if not -limit <= whole < limit:
        raise Failure(OVERFLOW)
    return whole


def _to_decimal(value: Any, target: ty.DecimalType) -> Decimal | None:
    if isinstance(value, float):
        if not math.isfinite(value):
            return None  # seen in Spark, also under ANSI
        value = java_decimal(value, single=False)
    return arithmetic.fit_decimal(Decimal(int(value) if isinstance(value, bool) else value), target)


def _widened(value: Any) -> float:
    return value if isinstance(value, float) else float(value)


def _timestamp_to_number(target: ty.DataType) -> Convert:
    """Seconds since the epoch: whole ones rounded down, others with their fraction."""
    number = _to_number(target)
    if isinstance(target, ty.IntegralType):
        return lambda v: number(moments.micros_of(v) // 1_000_000)
    if isinstance(target, ty.DecimalType):
        return lambda v: number(Decimal(moments.micros_of(v)).scaleb(-6))
    return lambda v: number(float(moments.micros_of(v)) / 1e6)


def _number_to_timestamp(value: Any) -> datetime | None:
    """Seconds since the epoch, cut to microseconds; neither infinity nor NaN is a time."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Failure(INVALID)
        return moments.from_micros(arithmetic.float_to_long(value * 1e6))
    return moments.from_micros(
        int(value * 1_000_000 if isinstance(value, int) else arithmetic.EXACT.scaleb(value, 6))
    )


# -- from text ---------------------------------------------------------------------------------

_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_TRUNCATED = re.compile(r"(?P<sign>[+-]?)(?P<whole>\d*)(?P<rest>\.\d*)?", re.ASCII)
_DOUBLE = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[dDfF]?", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")  # any script's digits
_HEXADECIMAL = re.compile(r"[+-]?0[xX].*[pP].*", re.DOTALL)
_SPECIAL = {
    "inf": math.inf,
    "+inf": math.inf,
    "infinity": math.inf,
    "+infinity": math.inf,
    "-inf": -math.inf,
    "-infinity": -math.inf,
    "nan": arithmetic.NAN,
}


def _from_text(target: ty.DataType) -> Convert:
    match target:
        case ty.BooleanType():
            return _read_boolean
        case ty.IntegralType():
            limit = 1 << (ty.INTEGER_BITS[target] - 1)
            return lambda v: _read_integer(v, limit)
        case ty.DoubleType():
            return _read_double
        case ty.FloatType():
            return lambda v: arithmetic.to_float32(_read_double(v))
        case ty.DecimalType():
            return lambda v: _read_decimal(v, target)
        case ty.BinaryType():
            return str.encode
        case ty.DateType():
            return lambda v: _or_invalid(moments.parse_date(v))
        case ty.TimestampType():
            return lambda v: _or_invalid(moments.parse_timestamp(v))
        case ty.TimestampNtzType():
            return lambda v: _or_invalid(moments.parse_timestamp(v, local=True))
        case _:
            raise UnsupportedError(f"cast from string to {target} is not interpreted")


def _or_invalid(value: Any) -> Any:
    if value is None:
        raise Failure(INVALID)
    return value


def _read_boolean(text: str) -> bool:
    lowered = text.strip(moments.WHITESPACE).lower()
    if lowered in TRUE_TEXTS:
        return True
    if lowered in FALSE_TEXTS:
        return False
    raise Failure(INVALID)


def _read_integer(text: str, limit: int) -> int:
    """Digits with a sign; ANSI reads neither fractions nor exponents as integers."""
    stripped = text.strip(moments.WHITESPACE)
    if _INTEGER.fullmatch(stripped) is None or len(stripped) > 4000:
        raise Failure(INVALID)
    value = int(stripped)
    if not -limit <= value < limit:
        raise Failure(INVALID)
    return value


def _read_double(text: str) -> float:
    """As Java reads it: a type suffix is allowed, infinity and NaN in any letter case."""
    stripped = text.strip(moments.WHITESPACE)
    special = _SPECIAL.get(stripped.lower())
    if special is not None:
        return special
    if _HEXADECIMAL.fullmatch(stripped):
        raise UnsupportedError("hexadecimal floating point numbers are not interpreted")
    if _DOUBLE.fullmatch(stripped) is None:
        raise Failure(INVALID)
    return float(stripped.rstrip("dDfF"))


def _read_decimal(text: str, target: ty.DecimalType) -> Decimal:
    stripped = text.strip(moments.WHITESPACE)
    if _DECIMAL.fullmatch(stripped) is None:
        raise Failure(INVALID)
    try:
        return arithmetic.fit_decimal(Decimal(stripped), target)
    except InvalidOperation:
        raise Failure("NUMERIC_VALUE_OUT_OF_RANGE") from None


# -- to text -----------------------------------------------------------------------------------


def text_of(value: Any, type_: ty.DataType, *, plain: bool = True) -> str:
    """What `CAST(value AS STRING)` writes; decimals plainly, or small ones with an exponent."""
    match type_:
        case ty.BooleanType():
            return "true" if value else "false"
        case ty.FloatType() | ty.DoubleType():
            return java_float_text(value, single=type_ == ty.FLOAT)
        case ty.DecimalType():
            return format(value, "f") if plain else str(value)
        case ty.DateType():
            return moments.date_text(value)
        case ty.TimestampType() | ty.TimestampNtzType():
            return moments.timestamp_text(value)
        case ty.BinaryType():
            return str(value.decode("utf-8", "replace"))
        case ty.ArrayType(element):
            return "[" + ", ".join(_part(v, element, plain) for v in value) + "]"
        case ty.StructType(fields):
            parts = zip(value, fields, strict=True)
            return "{" + ", ".join(_part(v, t, plain) for v, (_, t) in parts) + "}"
        case ty.MapType():
            pairs = (
                f"{_part(k, type_.key, plain)} -> {_part(v, type_.value, plain)}" for k, v in value
            )
            return "{" + ", ".join(pairs) + "}"
        case ty.IntegralType() | ty.StringType():
            return str(value)
        case _:
            raise UnsupportedError(f"text of {type_} is not interpreted")


def _part(value: Any, type_: ty.DataType, plain: bool) -> str:
    return "null" if value is None else text_of(value, type_, plain=plain)


def java_decimal(value: float, *, single: bool) -> Decimal:
    """The shortest decimal that reads back as the finite number, as Java writes it.

    Before version 19 Java wrote large numbers, powers of two and subnormal numbers with more
    digits than needed: those are refused.
    """
    shortest = Decimal(arithmetic.float32_text(value) if single else repr(value))
    if shortest == Decimal(value):
        return shortest
    size, least = abs(value), 2.0 ** (-126 if single else -1022)
    if size == (2.0**-149 if single else 2.0**-1074):
        return Decimal(f"{value:.1e}")  # Java writes at least two digits, the nearest ones
    if size >= 2 ** (24 if single else 53) or size < least or math.frexp(size)[0] == 0.5:
        raise UnsupportedError(f"the text of {value!r} depends on the version of Java")
    return shortest


def java_float_text(value: float, *, single: bool) -> str:
    """Java's text of a floating point number: plain from 1e-3 to 1e7, else with exponent."""
    if value != value:
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0.0" if math.copysign(1, value) < 0 else "0.0"
    sign, digits, exponent = java_decimal(value, single=single).as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    assert isinstance(exponent, int)
    point = len(digits) + exponent  # position of the decimal point in `text`
    minus = "-" if sign else ""
    if 1e-3 <= abs(value) < 1e7:
        if point <= 0:
            return f"{minus}0.{'0' * -point}{text}"
        whole = text[:point].ljust(point, "0")
        return f"{minus}{whole}.{text[point:] or '0'}"
    return f"{minus}{text[0]}.{text[1:] or '0'}E{point - 1}"


# -- casts of sessions without ANSI --------------------------------------------------------------


def legacy_cast_mode(given: ty.DataType, target: ty.DataType) -> ty.CastMode:
    """How a cast of a session without ANSI is written: as one of ANSI or TRY if it means that."""
    if _never_fails(given, target):
        return ty.CastMode.ANSI
    read = isinstance(given, ty.StringType) and not isinstance(target, ty.IntegralType)
    fitted = isinstance(given, ty.NumericType | ty.BooleanType) and isinstance(
        target, ty.DecimalType
    )
    timed = isinstance(given, ty.TimestampType) and isinstance(target, ty.NumericType)
    atomic = not isinstance(target, ty.ArrayType | ty.MapType | ty.StructType)
    return ty.CastMode.TRY if (read and atomic) or fitted or timed else ty.CastMode.LEGACY


def legacy_mode_in(spark: SparkVersion, given: ty.DataType, target: ty.DataType) -> ty.CastMode:
    """As `legacy_cast_mode`, in some Spark: before 4.0 timestamps became integers of any width."""
    if spark < SPARK_4_0:
        if isinstance(given, ty.TimestampType) and isinstance(target, ty.IntegralType):
            return ty.CastMode.LEGACY
        if _nested_times(given, target):
            raise UnsupportedError(f"a cast of {given} to {target} before Spark 4.0 without ANSI")
    return legacy_cast_mode(given, target)


def _nested_times(given: ty.DataType, target: ty.DataType) -> bool:
    match given, target:
        case ty.ArrayType(a), ty.ArrayType(b):
            return _becomes_integer(a, b)
        case ty.StructType(a), ty.StructType(b):
            return any(_becomes_integer(x, y) for (_, x), (_, y) in zip(a, b, strict=True))
        case ty.MapType(), ty.MapType():
            keys = _becomes_integer(given.key, target.key)
            return keys or _becomes_integer(given.value, target.value)
        case _:
            return False


def _becomes_integer(given: ty.DataType, target: ty.DataType) -> bool:
    timed = isinstance(given, ty.TimestampType) and isinstance(target, ty.IntegralType)
    return timed or _nested_times(given, target)


def keeps_values(given: ty.DataType, target: ty.DataType) -> bool:
    """Whether no value becomes null in a cast without ANSI, as Spark asks of keys of maps."""
    match given, target:
        case _ if given == target:
            return True
        case ty.StringType(), _:
            return isinstance(target, ty.BinaryType)
        case _, ty.StringType():
            return True
        case (
            ty.IntegralType(),
            ty.IntegralType() | ty.FloatType() | ty.DoubleType() | ty.BooleanType(),
        ):
            return True
        case (
            ty.FloatType() | ty.DoubleType() | ty.DecimalType(),
            ty.FloatType() | ty.DoubleType() | ty.BooleanType(),
        ):
            return True
        case ty.BooleanType(), ty.IntegralType() | ty.FloatType() | ty.DoubleType():
            return True
        case ty.NumericType(), ty.DecimalType():
            return _never_fails(given, target)
        case _:
            return given in DATETIMES and target in DATETIMES and target != ty.DATE


def _never_fails(given: ty.DataType, target: ty.DataType) -> bool:
    """Whether all values are converted, and to the same in both modes."""
    match given, target:
        case _ if given == target:
            return True
        case ty.NullType(), _:
            return True
        case _, ty.StringType():
            return not holds_decimals(given)
        case ty.IntegralType(), ty.IntegralType():
            return ty.INTEGER_BITS[given] <= ty.INTEGER_BITS[target]
        case ty.NumericType(), ty.FloatType() | ty.DoubleType():
            return True
        case (ty.NumericType(), ty.BooleanType()) | (ty.BooleanType(), ty.IntegralType()):
            return True
        case ty.BooleanType(), ty.FloatType() | ty.DoubleType():
            return True
        case ty.DecimalType(), ty.DecimalType():
            whole = target.precision - target.scale >= given.precision - given.scale
            return whole and target.scale >= given.scale
        case ty.IntegralType(), ty.DecimalType():
            return target.precision - target.scale >= len(str(1 << (ty.INTEGER_BITS[given] - 1)))
        case ty.IntegralType(), ty.TimestampType():
            return True
        case _:
            return given in DATETIMES and target in DATETIMES


def holds_decimals(type_: ty.DataType) -> bool:
    """Whether there are decimals in the text of a value, which are written in two ways."""
    match type_:
        case ty.ArrayType(element):
            return holds_decimals(element)
        case ty.MapType():
            return holds_decimals(type_.key) or holds_decimals(type_.value)
        case ty.StructType(fields):
            return any(holds_decimals(t) for _, t in fields)
        case _:
            return isinstance(type_, ty.DecimalType)
