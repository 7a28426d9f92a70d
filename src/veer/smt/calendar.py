"""Parts of dates and timestamps as terms: weeks and times of day by division, months by cases.

A date is the number of its day, a timestamp that of its microsecond, both in UTC:

    cast(t AS date)            t div (microseconds of a day), from 1970-01-01 on
    date_trunc('hour', t)      t - t mod (microseconds of an hour)
    dayofweek(d)               d mod 7 + 1
    year(d) >= 2014            exactly where d >= 2014-01-01
    month(d), trunc(d, 'MM')   some functions of the day, with their values in every month of the
                               years that the question speaks of

Spark's calendar is Python's, in both directions without end.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple, final

import z3

from veer.functions.dates import unit_of
from veer.functions.registry import scalar_function
from veer.functions.traits import SolverMeaning
from veer.model.expr import Call, Cast, Expr, Literal
from veer.model.types import (
    DateType,
    DayTimeIntervalType,
    TimestampNtzType,
    TimestampType,
    YearMonthIntervalType,
)
from veer.smt.exact import is_few_days
from veer.smt.terms import Terms

EPOCH_DAY = dt.date(1970, 1, 1).toordinal()
SECOND = 1_000_000
CLOCK = {"second": SECOND, "minute": 60 * SECOND, "hour": 3600 * SECOND, "day": 86400 * SECOND}
DAY = CLOCK["day"]
MOMENTS = (TimestampType, TimestampNtzType)
MOST_MONTHS = 12_000  # added to a date
MOST_YEARS = 24  # of which all months are told
# How many days after its beginning a period has ended, at the latest.
LONGEST = {"month": 31, "quarter": 92, "year": 366}


class _Part(NamedTuple):
    """A function of the day whose values are told month by month."""

    name: str  # the solver's name of the part, or the period whose first day it gives
    months: int  # that are added, in `later`


YEAR, MONTH, QUARTER, DAY_OF_MONTH, DAY_OF_YEAR, LAST_DAY = (
    _Part(name, 0) for name in ("year of", "month of", "quarter of", "day of", "days in", "last of")
)


class _Month(NamedTuple):
    """A month: its year, its number, its first day and that of the next month."""

    year: int
    number: int
    first: int
    end: int


@final
class Calendar:
    """The parts of dates and timestamps in one question; `axioms` says what they are.

    `number` gives the term of an expression that is not null.
    """

    def __init__(self, terms: Terms, number: Callable[[Expr], Any]) -> None:
        self._terms = terms
        self._number = number
        self._parts: dict[tuple[_Part, int], tuple[Any, Any]] = {}  # days and their parts, as terms

    # -- casts ---------------------------------------------------------------------------------

    def cast(self, cast: Cast) -> Any:
        """A date as timestamp, a timestamp as date; None for other casts."""
        match cast.arg.type, cast.type:
            case DateType(), TimestampType() | TimestampNtzType():
                return self._midnight(self._number(cast.arg))
            case ((TimestampType() | TimestampNtzType()), DateType()):
                return self._day_of(cast.arg)
            case ((TimestampType() | TimestampNtzType()), (TimestampType() | TimestampNtzType())):
                return self._number(cast.arg)
            case _:
                return None

    def _day_of(self, moment: Expr) -> Any:
        """The number of the day of a date or timestamp."""
        if isinstance(moment.type, DateType):
            return self._number(moment)
        if isinstance(moment, Cast) and isinstance(moment.arg.type, (DateType, *MOMENTS)):
            return self._day_of(moment.arg)
        # The solver rounds down, so does Spark.
        return self._number(moment) / self._integer(DAY) + EPOCH_DAY

    def _midnight(self, day: Any) -> Any:
        return (day - EPOCH_DAY) * DAY

    def _integer(self, value: int) -> Any:
        return z3.IntVal(value, self._terms.context)

    # -- functions -----------------------------------------------------------------------------

    def call(self, call: Call) -> Any:
        """What a function gives for arguments that are not null; None if it is not computed here.

        Each of these functions is null exactly if an argument is.
        """
        meaning = scalar_function(call.function).solver
        if meaning in (SolverMeaning.TRUNCATED_DATE, SolverMeaning.TRUNCATED_MOMENT):
            return self._truncated(call, meaning)
        if meaning in (SolverMeaning.MONTHS_LATER, SolverMeaning.INTERVAL_LATER):
            return self._later(*call.args)
        if meaning is SolverMeaning.TIME_BETWEEN:
            difference = self._number(call.args[0]) - self._number(call.args[1])
            return difference * DAY if isinstance(call.args[0].type, DateType) else difference
        arg = call.args[0] if call.args else None
        if arg is None:
            return None
        if isinstance(arg.type, DateType):
            return self._day_part(meaning, self._number(arg))
        return self._clock_part(meaning, arg) if isinstance(arg.type, MOMENTS) else None

    def _clock_part(self, meaning: SolverMeaning, arg: Expr) -> Any:
        match meaning:
            case SolverMeaning.HOUR:
                return self._number(arg) / self._integer(CLOCK["hour"]) % 24
            case SolverMeaning.MINUTE:
                return self._number(arg) / self._integer(CLOCK["minute"]) % 60
            case SolverMeaning.SECOND:
                return self._number(arg) / self._integer(SECOND) % 60
            case _:
                return None

    def _day_part(self, meaning: SolverMeaning, day: Any) -> Any:
        match meaning:
            case SolverMeaning.DAY_OF_WEEK:  # Sunday is 1; day 7 was one
                return day % 7 + 1
            case SolverMeaning.WEEKDAY:  # Monday is 0
                return (day + 6) % 7
            case SolverMeaning.YEAR:
                return self._part(YEAR, day)
            case SolverMeaning.QUARTER:
                return self._part(QUARTER, day)
            case SolverMeaning.MONTH:
                return self._part(MONTH, day)
            case SolverMeaning.DAY_OF_MONTH:
                return self._part(DAY_OF_MONTH, day)
            case SolverMeaning.DAY_OF_YEAR:
                return self._part(DAY_OF_YEAR, day)
            case SolverMeaning.LAST_DAY:
                return self._part(LAST_DAY, day)
            case _:
                return None

    def _truncated(self, call: Call, meaning: SolverMeaning) -> Any:
        """The beginning of a day, hour, week or month in which a moment lies."""
        is_date = meaning is SolverMeaning.TRUNCATED_DATE
        moment, unit = call.args if is_date else reversed(call.args)
        if not isinstance(unit, Literal) or unit.value is None:
            return None
        name = unit_of(call.function, unit.value)
        if name is None:
            return None
        if name in CLOCK:
            value = self._number(moment)
            return value - value % CLOCK[name]
        if name not in ("week", *LONGEST):
            return None
        first = self._first_day(name, self._day_of(moment))
        return first if is_date else self._midnight(first)

    def _first_day(self, period: str, day: Any) -> Any:
        return day - (day + 6) % 7 if period == "week" else self._part(_Part(period, 0), day)

    def _later(self, moment: Expr, amount: Expr) -> Any:
        """A constant interval, or number of months, after a moment."""
        if not isinstance(amount, Literal) or amount.value is None:
            return None
        if isinstance(amount.type, DayTimeIntervalType):
            return self._time_later(moment, amount.value)
        if isinstance(amount.type, YearMonthIntervalType) or is_few_days(amount):
            return self._months_later(moment, int(amount.value))
        return None

    def _time_later(self, moment: Expr, amount: dt.timedelta) -> Any:
        micros = amount // dt.timedelta(microseconds=1)
        if isinstance(moment.type, DateType):
            return self._number(moment) + micros // DAY if micros % DAY == 0 else None
        return self._number(moment) + micros

    def _months_later(self, moment: Expr, months: int) -> Any:
        if abs(months) > MOST_MONTHS:
            return None
        day = self._part(_Part("later", months), self._day_of(moment))
        if isinstance(moment.type, DateType):
            return day
        return self._midnight(day) + self._number(moment) % DAY

    def _part(self, part: _Part, day: Any) -> Any:
        term = self._terms.apply(("calendar", *part), (day,), self._terms.integer)
        self._parts[part, day.get_id()] = (day, term)
        return term

    # -- what is known of the parts ----------------------------------------------------------------

    def axioms(self, integers: Iterable[int], years: Iterable[int]) -> list[Any]:
        """What the parts met are, in the years of constants, and those that are constants.

        A year is n if it is at least n and not at least n + 1, hence the two beginnings for each
        integer: enough to decide every comparison of a year with a literal.
        """
        asked = {n for n in integers if 1 <= n < dt.MAXYEAR}
        names = {part.name for part, _ in self._parts}
        met = {*years, *(n for n in asked if n >= 1000 and YEAR.name in names)}
        axioms: list[Any] = []
        for (part, _), (day, term) in self._parts.items():
            told = _told_years(part, met)
            axioms += self._always(part, day, term)
            bounds = {n + d for n in (*told, *(asked if part == YEAR else ())) for d in (0, 1)}
            for n in sorted(b for b in bounds if b <= dt.MAXYEAR):
                first = dt.date(n, 1, 1).toordinal()
                value = n if part == YEAR else _value_on(part, n)
                if value is not None:
                    axioms.append((term >= value) == (day >= first))
            for month in _months(told) if part != YEAR else ():
                value = self._value_in(part, month, day)
                if value is not None:
                    inside = z3.And(day >= month.first, day < month.end)
                    axioms.append(z3.Implies(inside, term == value))
        return axioms

    def _always(self, part: _Part, day: Any, term: Any) -> Iterator[Any]:
        """What holds of a part of every date."""
        match part.name:
            case MONTH.name:
                yield z3.And(term >= 1, term <= 12)
            case QUARTER.name:
                yield z3.And(term >= 1, term <= 4)
            case DAY_OF_MONTH.name:
                yield z3.And(term >= 1, term <= 31)
            case DAY_OF_YEAR.name:
                yield z3.And(term >= 1, term <= 366)
            case LAST_DAY.name:
                yield z3.And(term >= day, term < day + 31)
            case period if period in LONGEST:
                yield z3.And(term <= day, term > day - LONGEST[period])

    def _value_in(self, part: _Part, month: _Month, day: Any) -> Any:
        """A part of the days of one month; None if it is not known."""
        quarter = (month.number + 2) // 3
        match part.name:
            case MONTH.name:
                return month.number
            case QUARTER.name:
                return quarter
            case DAY_OF_MONTH.name:
                return day - month.first + 1
            case DAY_OF_YEAR.name:
                return day - dt.date(month.year, 1, 1).toordinal() + 1
            case LAST_DAY.name:
                return month.end - 1
            case "month":
                return month.first
            case "quarter":
                return dt.date(month.year, quarter * 3 - 2, 1).toordinal()
            case "year":
                return dt.date(month.year, 1, 1).toordinal()
            case _:
                return self._value_later(part.months, month, day)

    def _value_later(self, months: int, month: _Month, day: Any) -> Any:
        """The same day of another month, or its last day where that month is shorter."""
        target = _month_after(month.year, month.number, months)
        if target is None:
            return None
        same = target.first + (day - month.first)
        return z3.If(same < target.end, same, self._integer(target.end - 1))


def _told_years(part: _Part, years: Iterable[int]) -> list[int]:
    """Years of which all months are told; a date that months are added to may be earlier."""
    shift = -(-abs(part.months) // 12)
    told = {n + d for n in years for d in (0, shift, -shift)}
    return sorted(n for n in told if 1 <= n < dt.MAXYEAR)[:MOST_YEARS]


def _value_on(part: _Part, year: int) -> int | None:
    """The part of the first day of a year, for parts that grow with the day."""
    first = dt.date(year, 1, 1)
    match part.name:
        case "month" | "quarter" | "year":
            return first.toordinal()
        case LAST_DAY.name:
            return first.replace(day=31).toordinal()
        case "later":
            target = _month_after(year, 1, part.months)
            return None if target is None else target.first
        case _:
            return None


def _month_after(year: int, number: int, months: int) -> _Month | None:
    """The month so many months later, if Python's calendar has it and the next one."""
    total = year * 12 + number - 1 + months
    if not 12 <= total < dt.MAXYEAR * 12:
        return None
    year, month = divmod(total, 12)
    first = dt.date(year, month + 1, 1)
    end = dt.date(year + month // 11, (month + 1) % 12 + 1, 1)
    return _Month(year, month + 1, first.toordinal(), end.toordinal())


def _months(years: Iterable[int]) -> Iterator[_Month]:
    for year in years:
        firsts = [dt.date(year, month, 1).toordinal() for month in range(1, 13)]
        end = dt.date(year + 1, 1, 1).toordinal()
        for number, (first, following) in enumerate(pairwise([*firsts, end]), 1):
            yield _Month(year, number, first, following)
