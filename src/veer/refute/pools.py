"""Values of each type that are worth trying: constants, those right beside them, and edges.

What a computation makes of a constant is often met by another: a sum, a difference, a product, a
day some days before, the hour or the month of that number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import combinations
from typing import Any, TypeVar

from veer.functions.arithmetic import NAN, fit_decimal, to_float32
from veer.functions.registry import Failure
from veer.functions.zone_rules import changes_of, is_computed
from veer.ir import types as ty

MOST_PRODUCTS = 12
MOST_NUMBERS = 6  # that are made into others
PLAIN_NUMBERS = (0, 1, 2, 3, 4, -1, 10)
PLAIN_TEXTS = ("", "a", "b", "A", "1", "x y")
DAY = timedelta(days=1)
AROUND_CHANGES = (-0.5, 0.5, -12, 12, 11.5)  # hours
PLAIN_DAYS = (date(2000, 1, 31), date(2000, 2, 29), date(1999, 12, 31))


def pool(type_: ty.DataType, values: Sequence[Any]) -> list[Any]:
    """Values of a type worth trying, those near the given constants more than once.

    Empty for types of which no value is known.
    """
    match type_:
        case ty.BooleanType():
            return [True, False]
        case ty.IntegralType():
            return _integers(type_, values)
        case ty.DecimalType():
            return _decimals(type_, values)
        case ty.FractionalType():
            return _floats(type_, values)
        case ty.StringType():
            return _texts(values)
        case ty.BinaryType():
            return [b"", b"a", b"b"]
        case ty.DateType():
            return _days(values)
        case ty.TimestampType() | ty.TimestampNtzType():
            return _moments(values)
        case ty.ArrayType(element):
            inner = [*pool(element, values)[:3], None]
            return [(), tuple(inner[:1]), tuple(inner[:2]), tuple(inner)]
        case ty.StructType(fields):
            columns = [pool(t, values) or [None] for _, t in fields]
            return [tuple(c[i % len(c)] for c in columns) for i in range(3)]
        case ty.MapType(key, value):
            keys, held = pool(key, values), pool(value, values) or [None]
            return [(), *(((k, held[0]),) for k in keys[:2])]
        case _:
            return []


def _integers(type_: ty.IntegralType, values: Sequence[Any]) -> list[int]:
    """Constants, their neighbours and products, and what sums and differences are met by."""
    limit = 1 << (ty.INTEGER_BITS[type_] - 1)
    numbers = [*_numbers(values), *_products(values)]
    near = [int(v) + d for v in numbers for d in (0, 1, -1)]
    tried = (*near, *near, *PLAIN_NUMBERS, *PLAIN_NUMBERS, *_combined(values))
    return [v for v in tried if -limit <= v < limit]


def _decimals(type_: ty.DecimalType, values: Sequence[Any]) -> list[Decimal]:
    """Constants and their neighbours in the last place, and where rounding turns."""
    unit = Decimal(1).scaleb(-type_.scale)
    near = [Decimal(v) + d * unit for v in _numbers(values) for d in (0, 1, -1)]
    halves = [5 * Decimal(1).scaleb(-place) for place in range(1, type_.scale + 1)]
    halves += [-half for half in halves]
    return _fitting([*near, *map(Decimal, PLAIN_NUMBERS), unit, *halves], type_)


def _floats(type_: ty.FractionalType, values: Sequence[Any]) -> list[float]:
    """Constants and numbers near them, both zeros, NaN."""
    near = [float(v) + d for v in _numbers(values) for d in (0.0, 0.5, -1.0)]
    floats = [*near, *map(float, PLAIN_NUMBERS), -0.0, 0.5, 0.25, -1.5, NAN]
    return [to_float32(v) for v in floats] if type_ == ty.FLOAT else floats


def _texts(values: Sequence[Any]) -> list[str]:
    """Constants, a little longer ones, and numbers as texts."""
    texts = [v for v in values if isinstance(v, str)]
    shown = [str(v) for v in values if isinstance(v, int | Decimal) and not isinstance(v, bool)]
    return [*texts, *texts, *(t + "a" for t in texts), *shown, *PLAIN_TEXTS]


def _days(values: Sequence[Any]) -> list[date]:
    """Constants, the days around them, and days that numbers name."""
    days = [v.date() if isinstance(v, datetime) else v for v in values if _is_day(v)]
    near = [d + timedelta(days=n) for d in days for n in (0, 1, -1) if date.min < d < date.max]
    near += [date(y, m, d) for y in _years(values) for m, d in ((1, 1), (12, 31))]
    near += [change.date() for change in _changes(values)]
    return [
        *near,
        *near,
        *near,
        *_days_of(values, days),
        *_anniversaries(values, days),
        *PLAIN_DAYS,
    ]


def _anniversaries(values: Sequence[Any], days: Sequence[date]) -> list[date]:
    """Days so many years before or after others as numbers say, and the days around them."""
    moved = []
    for day in days[:3]:
        for years in (sign * n for n in _small(values, 100) if n > 1 for sign in (-1, 1)):
            with suppress(ValueError):
                moved.append(day.replace(year=day.year + years))
    return [d for day in moved for d in (day, *_moved([day], DAY), *_moved([day], -DAY))]


def _moments(values: Sequence[Any]) -> list[datetime]:
    """Constants and a second later; the hours, minutes and seconds that numbers name."""
    moments = [
        v if isinstance(v, datetime) else datetime(v.year, v.month, v.day)
        for v in values
        if _is_day(v)
    ]
    moments += [datetime(y, 6, 30, 12) for y in _years(values)]
    near = [*moments, *_moved(moments, timedelta(seconds=1))]
    for change in _changes(values):
        near += [change + timedelta(hours=hours) for hours in AROUND_CHANGES]
    for distance in (v for v in values if isinstance(v, timedelta)):
        near += [*_moved(moments[:3], distance), *_moved(moments[:3], -distance)]
    near += [
        datetime(d.year, d.month, d.day, n % 24, n, n)
        for n, d in zip(_small(values, 60), PLAIN_DAYS * MOST_NUMBERS, strict=False)
    ]
    return [*near, datetime(2000, 1, 31, 12), datetime(1999, 12, 31, 23, 59, 59)]


def _changes(values: Sequence[Any]) -> list[datetime]:
    """Instants at which clocks change in the time zones among the constants."""
    zones = [v for v in dict.fromkeys(values) if isinstance(v, str) and is_computed(v)]
    return [change for zone in zones[:2] for change in changes_of(zone)[:2]]


def _products(values: Sequence[Any]) -> list[int]:
    """What is compared with a quotient is best met by a product."""
    numbers = [v for v in values if type(v) in (int, float, Decimal) and math.isfinite(v)]
    whole = [v for v in numbers if abs(v) > 1 and v == math.trunc(v)]
    products = [int(a) * int(b) for i, a in enumerate(whole) for b in whole[i + 1 :]]
    return products[:MOST_PRODUCTS]


def _combined(values: Sequence[Any]) -> list[int]:
    """What sums, differences, remainders and squares are met by; below zero too."""
    whole = [int(v) for v in _numbers(values) if v == math.trunc(v)][:MOST_NUMBERS]
    pairs = [n for a, b in combinations(whole, 2) for n in (a + b, a - b, b - a)]
    roots = [r for v in whole if 1 < v < 10**6 and (r := math.isqrt(v)) * r == v]
    combined = dict.fromkeys([*(-v for v in whole), *pairs, *roots, *(-r for r in roots)])
    return [v for v in combined if v not in PLAIN_NUMBERS]


def _small(values: Sequence[Any], most: int) -> list[int]:
    """The natural numbers below `most` among some values."""
    return [v for v in values if type(v) is int and 0 <= v < most][:MOST_NUMBERS]


def _is_day(value: Any) -> bool:
    return isinstance(value, date)  # a moment is one too


def _days_of(values: Sequence[Any], days: Sequence[date]) -> list[date]:
    """Days that numbers name: months, days of a year or a week; so many before or after others."""
    numbers = _small(values, 4000)
    named = [d for n in numbers if 1 <= n <= 12 for d in (date(2000, n, 1), date(2001, n, 28))]
    named += [
        date(y, 1, 1) + timedelta(n - 1) for n in numbers if 1 <= n <= 366 for y in (2000, 2001)
    ]
    if any(1 <= n <= 7 for n in numbers):
        named += [date(2023, 1, n) for n in range(1, 8)]  # a whole week
    named += [date(2021, 1, 3)] if 53 in numbers else []
    for day in days[:3]:
        for shift in (n + d for n in numbers for d in (0, 1, -1)):
            named += [*_moved([day], timedelta(shift)), *_moved([day], -timedelta(shift))]
    return list(dict.fromkeys(named))


Moment = TypeVar("Moment", date, datetime)


def _moved(moments: Iterable[Moment], by: timedelta) -> list[Moment]:
    """Days or times so much later, those that there are."""
    moved = []
    for moment in moments:
        with suppress(OverflowError):
            moved.append(moment + by)
    return moved


def numbered(type_: ty.DataType, base: Any, number: int) -> Any:
    """Another value for each number, near a value of the type; None where there are not so many."""
    match type_:
        case ty.IntegralType():
            limit = 1 << (ty.INTEGER_BITS[type_] - 1)
            value = (base or 0) + number
            return value if -limit <= value < limit else number
        case ty.DecimalType():
            unit = Decimal(1).scaleb(-type_.scale)
            fitting = _fitting([(base or Decimal(0)) + number * unit], type_)
            return fitting[0] if fitting else None
        case ty.FractionalType():
            return float(number if base is None or base != base else base + number)
        case ty.StringType():
            return (base or "") + f"{abs(number):02d}"
        case ty.DateType():
            return next(iter(_moved([base or PLAIN_DAYS[0]], timedelta(days=number))), None)
        case ty.TimestampType() | ty.TimestampNtzType():
            moment = base or datetime(2000, 1, 31, 12)
            return next(iter(_moved([moment], timedelta(hours=number))), None)
        case _:
            return None


def stepped(type_: ty.DataType, value: Any, distance: Any) -> Any:
    """A value at a distance from another, in units of its type; None where there is none."""
    match type_, value:
        case (ty.TimestampType() | ty.TimestampNtzType(), datetime()):
            by = distance if isinstance(distance, timedelta) else timedelta(seconds=int(distance))
            return next(iter(_moved([value], by)), None)
        case ty.DateType(), date():
            days = distance.days if isinstance(distance, timedelta) else int(distance)
            return next(iter(_moved([value], timedelta(days=days or 1))), None)
        case (ty.BooleanType(), bool()):
            return not value
        case _ if isinstance(distance, timedelta):
            return numbered(type_, value, distance.days or 1)
        case _:
            return numbered(type_, value, int(distance))


def distances(values: Sequence[Any]) -> list[Any]:
    """How far two values may be apart so that it shows: by little, by what constants say."""
    units = (timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), DAY)
    numbers = [v for v in _small(values, 100_000) if v]
    stated = [v for v in values if isinstance(v, timedelta)]
    stated += [n * unit for n in numbers for unit in units]
    near = [d + e for d in stated for e in (timedelta(0), units[0], -units[0])]
    return [1, 1, 2, *numbers, *units, *units, *near]


def _years(values: Iterable[Any]) -> list[int]:
    return [v for v in values if type(v) is int and 1900 <= v <= 2100][:3]


def _numbers(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, bool):
            continue
        if isinstance(value, int | Decimal) or (
            isinstance(value, float) and value == value and abs(value) < 1e15
        ):
            yield value
        elif isinstance(value, str) and re.fullmatch("-?[0-9]{1,14}", value):
            yield int(value)


def _fitting(values: Iterable[Decimal], type_: ty.DecimalType) -> list[Any]:
    fitting = []
    for value in values:
        try:
            fitting.append(fit_decimal(value, type_))
        except Failure:
            continue
    return fitting


def is_value(value: Any, type_: ty.DataType, nullable: bool) -> bool:
    """Whether a column of a type can hold a value chosen for another."""
    return nullable if value is None else fits(value, type_)


def fits(value: Any, type_: ty.DataType) -> bool:
    """Whether a value is one of its type, written as Spark would hold it."""
    if value is None:
        return True
    like = pool(type_, ())
    if not like or type(value) is not type(like[0]):
        return False
    match type_:
        case ty.IntegralType():
            limit = 1 << (ty.INTEGER_BITS[type_] - 1)
            return bool(-limit <= value < limit)
        case ty.DecimalType(precision, scale):
            digits = value.scaleb(scale)
            return bool(value.as_tuple().exponent == -scale and abs(digits) < 10**precision)
        case _ if type_ == ty.FLOAT:
            return bool(value != value or to_float32(value) == value)
        case _:
            return True
