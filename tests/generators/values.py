"""Random values per type, with the awkward ones in the majority."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import Context, Decimal
from random import Random
from typing import Any

from veer.functions.arithmetic import NAN, to_float32
from veer.ir.types import (
    INTEGER_BITS,
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    MapType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
)

NULL_SHARE = 0.25

FLOATS = (
    0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 0.1, 3.14159, 100.0, 1e-3, 9999999.0, 1e7, 1.5e10,
    -1e19, 1e20, 1e300, -1e300, 5e-324, NAN, float("inf"), float("-inf"),
)  # fmt: skip
STRINGS = (
    "", " ", "a", "A", "ab", "abc", "b", "aXbXc", "a,b,,c", ",", " a b ", "  pad  ", "foo bar",
    "ÄÖ", "ß", "日本語", "a%b", "a_b", "\\", "a\\b", "x.y", "1", "-1", "+7", "0", "12", " 12 ",
    "1.5", "-0.5", "1e2", ".5", "5.", "abc1", "NaN", "inf", "-Infinity", "true", "F", "no", "1L",
    "2020-02-29", "2021-2-3", "2021-02-30", "2021", "2020-01", "2020-01-31 12:34:56",
    "2020-01-31T12:34:56.789Z", "2020-01-31 12:34:56+01:00", "99999999999", "128", "99999", "a.b.c",
    "aaa", "Monday", "tue", "é", "\t", "a\nb", "😀x", "hello World",
)  # fmt: skip
DATES = (
    date(1970, 1, 1), date(1969, 12, 31), date(2000, 2, 29), date(2020, 2, 29), date(2021, 2, 28),
    date(2021, 3, 31), date(2021, 12, 31), date(2024, 1, 1), date(1900, 2, 28), date(2020, 1, 31),
    date(2019, 12, 30), date(2021, 1, 3), date(1582, 10, 15), date(1, 1, 1), date(9999, 12, 31),
)  # fmt: skip
TIMES = (
    timedelta(0), timedelta(hours=12, minutes=34, seconds=56), timedelta(microseconds=1),
    timedelta(hours=23, minutes=59, seconds=59, microseconds=999999), timedelta(milliseconds=120),
)  # fmt: skip


def random_value(random: Random, type_: DataType, null_share: float = NULL_SHARE) -> Any:
    """A value of the type as the interpreter represents it."""
    if random.random() < null_share:
        return None
    match type_:
        case BooleanType():
            return random.random() < 0.5
        case IntegralType():
            return _integer(random, INTEGER_BITS[type_])
        case DoubleType():
            return _float(random)
        case FloatType():
            return to_float32(_float(random))
        case DecimalType():
            return _decimal(random, type_)
        case StringType():
            return _string(random)
        case BinaryType():
            return random.choice([b"", b"a", b"abc", b"\x00\xff", b"ab"])
        case DateType():
            return _date(random)
        case TimestampType() | TimestampNtzType():
            day = _date(random)
            return datetime(day.year, day.month, day.day) + random.choice(TIMES)
        case ArrayType(element):
            return tuple(random_value(random, element) for _ in range(random.randrange(4)))
        case StructType(fields):
            return tuple(random_value(random, t) for _, t in fields)
        case MapType(key, value):
            return _map(random, key, value)
    raise NotImplementedError(f"no random values of {type_}")


def random_column(random: Random, type_: DataType, size: int) -> list[Any]:
    """A column with duplicates."""
    pool = [random_value(random, type_) for _ in range(max(1, size * 2 // 3))]
    return [random.choice(pool) if random.random() < 0.6 else random_value(random, type_)
            for _ in range(size)]  # fmt: skip


def random_rows(random: Random, types: Sequence[DataType], size: int) -> list[tuple[Any, ...]]:
    """Rows of these types."""
    columns = [random_column(random, t, size) for t in types]
    return [tuple(column[i] for column in columns) for i in range(size)]


def _integer(random: Random, bits: int) -> int:
    limit = 1 << (bits - 1)
    edges = (-limit, -limit + 1, limit - 1, limit - 2, limit // 2)
    small = random.randrange(-3, 8)
    return random.choice((small, small, small, random.choice(edges), random.randrange(-128, 128)))


def _float(random: Random) -> float:
    if random.random() < 0.7:
        return random.choice(FLOATS)
    return round(random.uniform(-100, 100), random.randrange(5))


def _decimal(random: Random, type_: DecimalType) -> Decimal:
    digits = random.choice((1, 2, type_.scale + 1, type_.precision))
    bound = 10 ** min(max(digits, 1), type_.precision)
    unscaled = random.choice((0, bound - 1, 1 - bound, random.randrange(bound), 5, 50, 15))
    if abs(unscaled) >= 10**type_.precision:
        unscaled = 0
    return Decimal(unscaled).scaleb(-type_.scale, Context(prec=60))


def _string(random: Random) -> str:
    if random.random() < 0.85:
        return random.choice(STRINGS)
    return "".join(random.choice("abAB 1%_,.x") for _ in range(random.randrange(6)))


def _date(random: Random) -> date:
    if random.random() < 0.6:
        return random.choice(DATES)
    return date(2020, 1, 1) + timedelta(days=random.randrange(-400, 800))


def _map(random: Random, key: DataType, value: DataType) -> tuple[tuple[Any, Any], ...]:
    # One entry at most: PySpark hands maps over as hash maps, their order is lost on the way.
    keys = [random_value(random, key, 0.0)] * random.randrange(2)
    return tuple((k, random_value(random, value)) for k in keys)
