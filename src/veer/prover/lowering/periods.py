"""Groups by year and month, or by anything else that tells just as much, as groups by period.

    GROUP BY year(d), month(d)           =>   GROUP BY trunc(d, 'MONTH') AS k, with year(k), month(k)
    GROUP BY date_format(t, 'yyyy-MM')   =>   the same of CAST(t AS DATE)

The first day of a period and what is told of the period determine each other, so the partition is
the same. Each of these functions is null exactly where the day is, so nulls are one group still.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from veer.functions.dates import unit_of
from veer.functions.moment_patterns import date_fields
from veer.model.expr import Call, Cast, Expr, Literal
from veer.model.types import DATE, STRING, DateType, TimestampNtzType, TimestampType

YEAR, QUARTER, MONTH, DAY = range(4)  # periods, the longest first
UNITS: Mapping[str, int] = MappingProxyType({"year": YEAR, "quarter": QUARTER, "month": MONTH})
# What fields of a pattern tell if these, and no more, are written.
WRITTEN: Mapping[frozenset[str], int] = MappingProxyType(
    {
        frozenset({"year"}): YEAR,
        frozenset({"year", "month"}): MONTH,
        frozenset({"year", "month", "day"}): DAY,
    }
)
# Of a day whose longer period is known, these tell a shorter one.
REFINING: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "quarter": (YEAR, QUARTER),
        "month": (YEAR, MONTH),
        "day": (MONTH, DAY),
        "dayofyear": (YEAR, DAY),
    }
)


class PeriodKey(NamedTuple):
    """A key that is a function of the period in which a day lies."""

    day: Expr
    period: int
    key: Expr

    @property
    def first(self) -> Expr:
        """The first day of the period."""
        return _first(self.day, self.period)

    def of(self, first: Expr) -> Expr:
        """The key as it is computed of the first day of the period."""
        return _rebuilt(self.key, first, self.period)


def period_keys(keys: Sequence[Expr]) -> list[PeriodKey | None]:
    """Keys that are parts of one day and together tell the period it is in; None of others."""
    days = [_day(key) for key in keys]
    found: list[PeriodKey | None] = [None] * len(keys)
    for day in dict.fromkeys(d for d in days if d is not None):
        period = _period([key for key, d in zip(keys, days, strict=True) if d == day])
        if period is not None:
            for place, (key, d) in enumerate(zip(keys, days, strict=True)):
                if d == day:
                    found[place] = PeriodKey(day, period, key)
    return found


def _day(key: Expr) -> Expr | None:
    """The day that a key is a function of, by its period; None of other keys."""
    match key:
        case Call("year" | "quarter" | "month" | "day" | "dayofyear" | "last_day", (day,)):
            return day
        case Call("trunc", (day, Literal(str() as unit))) if unit_of("trunc", unit) in UNITS:
            return day
        case Call("date_trunc", (Literal(str() as unit), moment)):
            name = unit_of("date_trunc", unit)
            return _day_of(moment) if name == "day" or name in UNITS else None
        case Call("date_format", (moment, Literal(str() as pattern))):
            fields = date_fields(pattern)
            return None if fields is None or frozenset(fields) not in WRITTEN else _day_of(moment)
        case Cast(moment, DateType()) if isinstance(moment.type, TimestampType | TimestampNtzType):
            return key
        case _:
            return None


def _day_of(moment: Expr) -> Expr:
    match moment:
        case Cast(arg) if isinstance(arg.type, DateType):
            return arg
        case _:
            return Cast(moment, DATE)


def _period(keys: Iterable[Expr]) -> int | None:
    """The period that keys of one day tell together, if they tell one."""
    told: int | None = None
    refining: list[str] = []
    for key in keys:
        if isinstance(key, Call) and key.function in REFINING:
            refining.append(key.function)
        else:
            own = _own_period(key)
            told = own if told is None else max(told, own)
    if told is None:
        return None
    for name in sorted(refining, key=lambda n: REFINING[n][1]):
        needed, given = REFINING[name]
        if told < needed:
            return None  # the day of a month that is not known
        told = max(told, given)
    return told


def _own_period(key: Expr) -> int:
    """The period that one key tells."""
    match key:
        case Call("year"):
            return YEAR
        case Call("last_day"):
            return MONTH
        case Call("trunc" | "date_trunc" as function, args):
            (unit,) = (a.value for a in args if isinstance(a, Literal) and a.type == STRING)
            return UNITS.get(unit_of(function, unit) or "", DAY)
        case Call("date_format", (_, Literal(str() as pattern))):
            return WRITTEN[frozenset(date_fields(pattern) or ())]
        case _:
            return DAY


def _first(day: Expr, period: int) -> Expr:
    if period == DAY:
        return day
    (unit,) = (name for name, p in UNITS.items() if p == period)
    return Call("trunc", (day, Literal(unit, STRING)), DATE)


def _rebuilt(key: Expr, first: Expr, period: int) -> Expr:
    """A key computed of the first day of the period instead of any day of it."""
    match key:
        case Call("trunc", (_, unit)):
            is_first = _own_period(key) == period
            return first if is_first else Call("trunc", (first, unit), DATE)
        case Call("date_trunc", (unit, moment)):
            return Call("date_trunc", (unit, Cast(first, moment.type)), key.type)
        case Call("date_format", (moment, pattern)):
            return Call("date_format", (Cast(first, moment.type), pattern), key.type)
        case Call(function, (_,), type_):
            return Call(function, (first,), type_)
        case _:
            return first
