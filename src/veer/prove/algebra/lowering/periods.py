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
from veer.ir import expr as ex, types as ty

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

    day: ex.Expr
    period: int
    key: ex.Expr

    @property
    def first(self) -> ex.Expr:
        """The first day of the period."""
        return _first(self.day, self.period)

    def of(self, first: ex.Expr) -> ex.Expr:
        """The key as it is computed of the first day of the period."""
        return _rebuilt(self.key, first, self.period)


def period_keys(keys: Sequence[ex.Expr]) -> list[PeriodKey | None]:
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


def _day(key: ex.Expr) -> ex.Expr | None:
    """The day that a key is a function of, by its period; None of other keys."""
    match key:
        case ex.Call("year" | "quarter" | "month" | "day" | "dayofyear" | "last_day", (day,)):
            return day
        case ex.Call("trunc", (day, ex.Literal(str() as unit))) if unit_of("trunc", unit) in UNITS:
            return day
        case ex.Call("date_trunc", (ex.Literal(str() as unit), moment)):
            name = unit_of("date_trunc", unit)
            return _day_of(moment) if name == "day" or name in UNITS else None
        case ex.Call("date_format", (moment, ex.Literal(str() as pattern))):
            fields = date_fields(pattern)
            return None if fields is None or frozenset(fields) not in WRITTEN else _day_of(moment)
        case ex.Cast(moment, ty.DateType()) if isinstance(
            moment.type, ty.TimestampType | ty.TimestampNtzType
        ):
            return key
        case _:
            return None


def _day_of(moment: ex.Expr) -> ex.Expr:
    match moment:
        case ex.Cast(arg) if isinstance(arg.type, ty.DateType):
            return arg
        case _:
            return ex.Cast(moment, ty.DATE)


def _period(keys: Iterable[ex.Expr]) -> int | None:
    """The period that keys of one day tell together, if they tell one."""
    told: int | None = None
    refining: list[str] = []
    for key in keys:
        if isinstance(key, ex.Call) and key.function in REFINING:
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


def _own_period(key: ex.Expr) -> int:
    """The period that one key tells."""
    match key:
        case ex.Call("year"):
            return YEAR
        case ex.Call("last_day"):
            return MONTH
        case ex.Call("trunc" | "date_trunc" as function, args):
            (unit,) = (a.value for a in args if isinstance(a, ex.Literal) and a.type == ty.STRING)
            return UNITS.get(unit_of(function, unit) or "", DAY)
        case ex.Call("date_format", (_, ex.Literal(str() as pattern))):
            return WRITTEN[frozenset(date_fields(pattern) or ())]
        case _:
            return DAY


def _first(day: ex.Expr, period: int) -> ex.Expr:
    if period == DAY:
        return day
    (unit,) = (name for name, p in UNITS.items() if p == period)
    return ex.Call("trunc", (day, ex.Literal(unit, ty.STRING)), ty.DATE)


def _rebuilt(key: ex.Expr, first: ex.Expr, period: int) -> ex.Expr:
    """A key computed of the first day of the period instead of any day of it."""
    match key:
        case ex.Call("trunc", (_, unit)):
            is_first = _own_period(key) == period
            return first if is_first else ex.Call("trunc", (first, unit), ty.DATE)
        case ex.Call("date_trunc", (unit, moment)):
            return ex.Call("date_trunc", (unit, ex.Cast(first, moment.type)), key.type)
        case ex.Call("date_format", (moment, pattern)):
            return ex.Call("date_format", (ex.Cast(first, moment.type), pattern), key.type)
        case ex.Call(function, (_,), type_):
            return ex.Call(function, (first,), type_)
        case _:
            return first
