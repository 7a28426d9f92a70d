"""Parts of dates whose values depend on the calendar: what they are, month by month.

A date is the number of its day. A part is some function of it; here is what holds of the part always,
where years begin, and in every month of some years. Spark's calendar is Python's, in both
directions without end.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from itertools import pairwise
from typing import Any, NamedTuple, assert_never

import z3

MOST_YEARS = 24  # of which all months are told


class PartKind(Enum):
    """Which part of a date."""

    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    DAY_OF_MONTH = "day of month"
    DAY_OF_YEAR = "day of year"
    FIRST_OF_YEAR = "first day of year"
    FIRST_OF_QUARTER = "first day of quarter"
    FIRST_OF_MONTH = "first day of month"
    LAST_OF_MONTH = "last day of month"
    MONTHS_LATER = "months later"


class Part(NamedTuple):
    """A part of a date, or the date so many months later."""

    kind: PartKind
    months: int = 0


class Month(NamedTuple):
    """A month: its year, its number, its first day and that of the next month."""

    year: int
    number: int
    first: int
    end: int

    @property
    def quarter(self) -> int:
        """The quarter that it is in."""
        return (self.number + 2) // 3


def part_axioms(part: Part, day: Any, term: Any, years: Iterable[int]) -> Iterator[Any]:
    """What a part of a day is, at any time and in some years."""
    yield from _always(part.kind, day, term)
    told = _told_years(part, years)
    for year in sorted({n + d for n in told for d in (0, 1)}):
        value = _value_at_beginning(part, year)
        if value is not None:
            yield (term >= value) == (day >= _first_day(year))
    if part.kind is not PartKind.YEAR:
        for month in _months(told):
            in_month = _value_in(part, month, day)
            if in_month is not None:
                inside = z3.And(day >= month.first, day < month.end)
                yield z3.Implies(inside, term == in_month)


def year_axioms(day: Any, year: Any, numbers: Iterable[int]) -> Iterator[Any]:
    """Where the years begin that are compared with numbers.

    A year is n if it is at least n and not at least n + 1, hence the two beginnings for each
    number: enough to decide every comparison of a year with a constant.
    """
    for n in sorted({n + d for n in numbers for d in (0, 1) if 1 <= n + d <= dt.MAXYEAR}):
        yield (year >= n) == (day >= _first_day(n))


def definitions(day: Any, of: Mapping[PartKind, Any]) -> Iterator[Any]:
    """What the parts of a day are, by the rules of the calendar; year and month are among them.

    True of every day. It takes divisions to say so: meant for finding days, not for proofs.
    """
    year, month = of[PartKind.YEAR], of[PartKind.MONTH]
    january = _beginning(year)
    leap = z3.And(year % 4 == 0, z3.Or(year % 100 != 0, year % 400 == 0))

    def begins(number: Any) -> Any:
        """The first day of a month of the year, or of January after it."""
        lengths = [31, z3.If(leap, 29, 28), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return january + z3.Sum([z3.If(number > m, n, 0) for m, n in enumerate(lengths, 1)])

    yield z3.And(month >= 1, month <= 12, begins(month) <= day, day < begins(month + 1))
    quarter = (month + 2) / z3.IntVal(3, day.ctx)
    values = {
        PartKind.QUARTER: quarter,
        PartKind.DAY_OF_MONTH: day - begins(month) + 1,
        PartKind.DAY_OF_YEAR: day - january + 1,
        PartKind.FIRST_OF_YEAR: january,
        PartKind.FIRST_OF_QUARTER: begins(quarter * 3 - 2),
        PartKind.FIRST_OF_MONTH: begins(month),
        PartKind.LAST_OF_MONTH: begins(month + 1) - 1,
    }
    for kind, term in of.items():
        if kind in values:
            yield term == values[kind]


def _beginning(year: Any) -> Any:
    """The first day of a year: 365 days for each before, and one more for each leap year."""
    before = year - 1
    every = [before / z3.IntVal(n, year.ctx) for n in (4, 100, 400)]  # rounded down
    return 365 * before + every[0] - every[1] + every[2] + 1


def _always(kind: PartKind, day: Any, term: Any) -> Iterator[Any]:
    match kind:
        case PartKind.QUARTER:
            yield z3.And(term >= 1, term <= 4)
        case PartKind.MONTH:
            yield z3.And(term >= 1, term <= 12)
        case PartKind.DAY_OF_MONTH:
            yield z3.And(term >= 1, term <= 31)
        case PartKind.DAY_OF_YEAR:
            yield z3.And(term >= 1, term <= 366)
        case PartKind.FIRST_OF_MONTH:
            yield z3.And(term <= day, term > day - 31)
        case PartKind.FIRST_OF_QUARTER:
            yield z3.And(term <= day, term > day - 92)
        case PartKind.FIRST_OF_YEAR:
            yield z3.And(term <= day, term > day - 366)
        case PartKind.LAST_OF_MONTH:
            yield z3.And(term >= day, term < day + 31)
        case PartKind.YEAR | PartKind.MONTHS_LATER:
            return
        case _:
            assert_never(kind)


def _told_years(part: Part, years: Iterable[int]) -> list[int]:
    """Years of which all months are told; a date that months are added to may be earlier."""
    shift = -(-abs(part.months) // 12)
    told = {n + d for n in years for d in (0, shift, -shift)}
    return sorted(n for n in told if 1 <= n < dt.MAXYEAR)[:MOST_YEARS]


def _value_at_beginning(part: Part, year: int) -> int | None:
    """The part of the first day of a year, for parts that grow with the day.

    On all days before the part is less.
    """
    match part.kind:
        case PartKind.YEAR:
            return year
        case PartKind.FIRST_OF_MONTH | PartKind.FIRST_OF_QUARTER | PartKind.FIRST_OF_YEAR:
            return _first_day(year)
        case PartKind.LAST_OF_MONTH:
            return _first_day(year) + 30
        case PartKind.MONTHS_LATER:
            target = _month_after(year, 1, part.months)
            return None if target is None else target.first
        case PartKind.QUARTER | PartKind.MONTH | PartKind.DAY_OF_MONTH | PartKind.DAY_OF_YEAR:
            return None
        case _:
            assert_never(part.kind)


def _value_in(part: Part, month: Month, day: Any) -> Any:
    """A part of the days of one month; None if it is not known."""
    match part.kind:
        case PartKind.YEAR:
            return month.year
        case PartKind.QUARTER:
            return month.quarter
        case PartKind.MONTH:
            return month.number
        case PartKind.DAY_OF_MONTH:
            return day - month.first + 1
        case PartKind.DAY_OF_YEAR:
            return day - _first_day(month.year) + 1
        case PartKind.FIRST_OF_YEAR:
            return _first_day(month.year)
        case PartKind.FIRST_OF_QUARTER:
            return dt.date(month.year, month.quarter * 3 - 2, 1).toordinal()
        case PartKind.FIRST_OF_MONTH:
            return month.first
        case PartKind.LAST_OF_MONTH:
            return month.end - 1
        case PartKind.MONTHS_LATER:
            return _value_later(part.months, month, day)
        case _:
            assert_never(part.kind)


def _value_later(months: int, month: Month, day: Any) -> Any:
    """The same day of another month, or its last day where that month is shorter."""
    target = _month_after(month.year, month.number, months)
    if target is None:
        return None
    same = target.first + (day - month.first)
    return z3.If(same < target.end, same, z3.IntVal(target.end - 1, day.ctx))


def _first_day(year: int) -> int:
    return dt.date(year, 1, 1).toordinal()


def _month_after(year: int, number: int, months: int) -> Month | None:
    """The month so many months later, if Python's calendar has it and the next one."""
    total = year * 12 + number - 1 + months
    if not 12 <= total < dt.MAXYEAR * 12:
        return None
    year, month = divmod(total, 12)
    first = dt.date(year, month + 1, 1)
    end = dt.date(year + month // 11, (month + 1) % 12 + 1, 1)
    return Month(year, month + 1, first.toordinal(), end.toordinal())


def _months(years: Iterable[int]) -> Iterator[Month]:
    for year in years:
        firsts = [dt.date(year, month, 1).toordinal() for month in range(1, 13)]
        for number, (first, end) in enumerate(pairwise([*firsts, _first_day(year + 1)]), 1):
            yield Month(year, number, first, end)
