"""How casts of a session without ANSI are written, so that what means the same is one expression."""

from __future__ import annotations

from veer.errors import UnsupportedError
from veer.functions.typing import DATETIMES
from veer.model.types import (
    DATE,
    INTEGER_BITS,
    ArrayType,
    BinaryType,
    BooleanType,
    CastMode,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    MapType,
    NullType,
    NumericType,
    StringType,
    StructType,
    TimestampType,
)
from veer.settings import SPARK_4_0, SparkVersion


def legacy_cast_mode(given: DataType, target: DataType) -> CastMode:
    """How a cast of a session without ANSI is written: as one of ANSI or TRY if it means that."""
    if _never_fails(given, target):
        return CastMode.ANSI
    read = isinstance(given, StringType) and not isinstance(target, IntegralType)
    fitted = isinstance(given, NumericType | BooleanType) and isinstance(target, DecimalType)
    timed = isinstance(given, TimestampType) and isinstance(target, NumericType)
    atomic = not isinstance(target, ArrayType | MapType | StructType)
    return CastMode.TRY if (read and atomic) or fitted or timed else CastMode.LEGACY


def legacy_mode_in(spark: SparkVersion, given: DataType, target: DataType) -> CastMode:
    """As `legacy_cast_mode`, in some Spark: before 4.0 timestamps became integers of any width."""
    if spark < SPARK_4_0:
        if isinstance(given, TimestampType) and isinstance(target, IntegralType):
            return CastMode.LEGACY
        if _nested_times(given, target):
            raise UnsupportedError(f"a cast of {given} to {target} before Spark 4.0 without ANSI")
    return legacy_cast_mode(given, target)


def _nested_times(given: DataType, target: DataType) -> bool:
    match given, target:
        case ArrayType(a), ArrayType(b):
            return _becomes_integer(a, b)
        case StructType(a), StructType(b):
            return any(_becomes_integer(x, y) for (_, x), (_, y) in zip(a, b, strict=True))
        case MapType(), MapType():
            keys = _becomes_integer(given.key, target.key)
            return keys or _becomes_integer(given.value, target.value)
        case _:
            return False


def _becomes_integer(given: DataType, target: DataType) -> bool:
    timed = isinstance(given, TimestampType) and isinstance(target, IntegralType)
    return timed or _nested_times(given, target)


def keeps_values(given: DataType, target: DataType) -> bool:
    """Whether no value becomes null in a cast without ANSI, as Spark asks of keys of maps."""
    match given, target:
        case _ if given == target:
            return True
        case StringType(), _:
            return isinstance(target, BinaryType)
        case _, StringType():
            return True
        case IntegralType(), IntegralType() | FloatType() | DoubleType() | BooleanType():
            return True
        case FloatType() | DoubleType() | DecimalType(), FloatType() | DoubleType() | BooleanType():
            return True
        case BooleanType(), IntegralType() | FloatType() | DoubleType():
            return True
        case NumericType(), DecimalType():
            return _never_fails(given, target)
        case _:
            return given in DATETIMES and target in DATETIMES and target != DATE


def _never_fails(given: DataType, target: DataType) -> bool:
    """Whether all values are converted, and to the same in both modes."""
    match given, target:
        case _ if given == target:
            return True
        case NullType(), _:
            return True
        case _, StringType():
            return not holds_decimals(given)
        case IntegralType(), IntegralType():
            return INTEGER_BITS[given] <= INTEGER_BITS[target]
        case NumericType(), FloatType() | DoubleType():
            return True
        case (NumericType(), BooleanType()) | (BooleanType(), IntegralType()):
            return True
        case BooleanType(), FloatType() | DoubleType():
            return True
        case DecimalType(), DecimalType():
            whole = target.precision - target.scale >= given.precision - given.scale
            return whole and target.scale >= given.scale
        case IntegralType(), DecimalType():
            return target.precision - target.scale >= len(str(1 << (INTEGER_BITS[given] - 1)))
        case IntegralType(), TimestampType():
            return True
        case _:
            return given in DATETIMES and target in DATETIMES


def holds_decimals(type_: DataType) -> bool:
    """Whether there are decimals in the text of a value, which are written in two ways."""
    match type_:
        case ArrayType(element):
            return holds_decimals(element)
        case MapType():
            return holds_decimals(type_.key) or holds_decimals(type_.value)
        case StructType(fields):
            return any(holds_decimals(t) for _, t in fields)
        case _:
            return isinstance(type_, DecimalType)
