"""Parts of dates and timestamps as terms: weeks and times of day by division, months by cases.

A date is the number of its day, a timestamp that of its microsecond, both in UTC:

    cast(t AS date)            t div (microseconds of a day), from 1970-01-01 on
    date_trunc('hour', t)      t - t mod (microseconds of an hour)
    dayofweek(d)               d mod 7 + 1
    year(d) >= 2014            exactly where d >= 2014-01-01
    month(d), trunc(d, 'MM')   some functions of the day, with their values in every month of the
                               years that the question speaks of (`months`)

Of all years is known how the parts hang together: year and month tell the first day of the month,
which tells them in turn.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, final

import z3

from veer.expressions.exact_arithmetic import is_few_days
from veer.functions.dates import unit_of
from veer.functions.moment_patterns import date_fields
from veer.functions.registry import scalar_function
from veer.functions.traits import SolverMeaning
from veer.ir import expr as ex, types as ty
from veer.prove.solver.months import Part, PartKind, definitions, part_axioms, year_axioms
from veer.prove.solver.terms import Terms

EPOCH_DAY = dt.date(1970, 1, 1).toordinal()
SECOND = 1_000_000
MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 86400 * SECOND
CLOCK = MappingProxyType({"second": SECOND, "minute": MINUTE, "hour": HOUR, "day": DAY})
PERIODS = MappingProxyType(
    {
        "year": PartKind.FIRST_OF_YEAR,
        "quarter": PartKind.FIRST_OF_QUARTER,
        "month": PartKind.FIRST_OF_MONTH,
    }
)
PARTS: Mapping[SolverMeaning, PartKind] = MappingProxyType(
    {
        SolverMeaning.YEAR: PartKind.YEAR,
        SolverMeaning.QUARTER: PartKind.QUARTER,
        SolverMeaning.MONTH: PartKind.MONTH,
        SolverMeaning.DAY_OF_MONTH: PartKind.DAY_OF_MONTH,
        SolverMeaning.DAY_OF_YEAR: PartKind.DAY_OF_YEAR,
        SolverMeaning.LAST_DAY: PartKind.LAST_OF_MONTH,
    }
)
FIELDS = MappingProxyType(
    {"year": PartKind.YEAR, "month": PartKind.MONTH, "day": PartKind.DAY_OF_MONTH}
)
MOMENTS = (ty.TimestampType, ty.TimestampNtzType)
MOST_MONTHS = 12_000  # added to a date
EARLIEST = 1000  # integers from here on may be meant as years


@final
class Calendar:
    """The parts of dates and timestamps in one question; `axioms` says what they are.

    `number` gives the term of an expression that is not null.
    """

    def __init__(self, terms: Terms, number: Callable[[ex.Expr], Any]) -> None:
        self._terms = terms
        self._number = number
        self._parts: dict[tuple[Part, int], tuple[Any, Any]] = {}  # days and their parts, as terms
        self._writes_dates = False  # by patterns, or makes them of parts

    # -- casts ---------------------------------------------------------------------------------

    def cast(self, cast: ex.Cast) -> Any:
        """A date as timestamp, a timestamp as date or in seconds; None for other casts."""
        match cast.arg.type, cast.type:
            case ty.DateType(), ty.TimestampType() | ty.TimestampNtzType():
                return self._midnight(self._number(cast.arg))
            case ((ty.TimestampType() | ty.TimestampNtzType()), ty.DateType()):
                return self._day_of(cast.arg)
            case (
                (ty.TimestampType() | ty.TimestampNtzType()),
                (ty.TimestampType() | ty.TimestampNtzType()),
            ):
                return self._number(cast.arg)
            case ty.TimestampType(), ty.LongType():
                return self._number(cast.arg) / self._integer(SECOND)
            case _:
                return None

    def _day_of(self, moment: ex.Expr) -> Any:
        """The number of the day of a date or timestamp."""
        match moment:
            case ex.Cast(arg) if isinstance(arg.type, (ty.DateType, *MOMENTS)):
                return self._day_of(arg)
            case ex.Call() if isinstance(moment.type, MOMENTS):
                first = self._first_of_moment(moment)
                if first is not None:
                    return first
        if isinstance(moment.type, ty.DateType):
            return self._number(moment)
        # The solver rounds down, so does Spark.
        return self._number(moment) / self._integer(DAY) + EPOCH_DAY

    def _midnight(self, day: Any) -> Any:
        return (day - EPOCH_DAY) * DAY

    def _integer(self, value: int) -> Any:
        return z3.IntVal(value, self._terms.context)

    # -- functions -----------------------------------------------------------------------------

    def call(self, call: ex.Call) -> Any:
        """What a function gives for arguments that are not null; None if it is not computed here.

        Each of these functions is null exactly if an argument is.
        """
        meaning = scalar_function(call.function).solver
        match meaning, call.args:
            case SolverMeaning.TRUNCATED_DATE, (moment, ex.Literal(str() as unit)):
                return self._first_day(unit_of(call.function, unit), moment)
            case SolverMeaning.TRUNCATED_MOMENT, (ex.Literal(str() as unit), moment):
                return self._truncated(unit_of(call.function, unit), moment)
            case ((SolverMeaning.MONTHS_LATER | SolverMeaning.INTERVAL_LATER), (moment, amount)):
                return self._later(moment, amount)
            case SolverMeaning.TIME_BETWEEN, (end, start):
                difference = self._number(end) - self._number(start)
                return difference * DAY if isinstance(end.type, ty.DateType) else difference
            case SolverMeaning.DATE_OF_PARTS, (year, month, ex.Literal(int() as day)):
                # Each month has 28 days, and 29 may be none of it.
                self._writes_dates = True
                first = self._month_start(self._number(year), self._number(month))
                return first + (day - 1) if 1 <= day <= 28 else None
            case SolverMeaning.TEXT_OF_MOMENT, (moment, ex.Literal(str() as pattern)):
                return self._text(moment, pattern)
            case SolverMeaning.SECONDS, (moment,):
                return self._seconds(moment)
            case _, (moment,) if isinstance(moment.type, ty.DateType):
                return self._day_part(meaning, moment)
            case _, (moment,) if isinstance(moment.type, MOMENTS):
                return self._clock_part(meaning, moment)
            case _:
                return None

    def _clock_part(self, meaning: SolverMeaning, moment: ex.Expr) -> Any:
        match meaning:
            case SolverMeaning.HOUR:
                return self._number(moment) / self._integer(HOUR) % 24
            case SolverMeaning.MINUTE:
                return self._number(moment) / self._integer(MINUTE) % 60
            case SolverMeaning.SECOND:
                return self._number(moment) / self._integer(SECOND) % 60
            case _:
                return None

    def _day_part(self, meaning: SolverMeaning, moment: ex.Expr) -> Any:
        match meaning:
            case SolverMeaning.DAY_OF_WEEK:  # Sunday is 1; day 7 was one
                return self._day_of(moment) % 7 + 1
            case SolverMeaning.WEEKDAY:  # Monday is 0
                return (self._day_of(moment) + 6) % 7
            case _ if meaning in PARTS:
                return self._part(Part(PARTS[meaning]), self._day_of(moment))
            case _:
                return None

    def _seconds(self, moment: ex.Expr) -> Any:
        """Seconds since 1970, of timestamps rounded toward it; texts are not read here."""
        if isinstance(moment.type, ty.DateType):
            return self._midnight(self._number(moment)) / self._integer(SECOND)
        if not isinstance(moment.type, MOMENTS):
            return None
        value, size = self._number(moment), self._integer(SECOND)
        return z3.If(value >= 0, value / size, -((-value) / size))

    # -- beginnings ------------------------------------------------------------------------------

    def _truncated(self, unit: str | None, moment: ex.Expr) -> Any:
        """The beginning of a day, hour, week or month in which a timestamp lies."""
        size = CLOCK.get(unit or "")
        if size is not None:
            value = self._number(moment)
            return value - value % size
        first = self._first_day(unit, moment)
        return None if first is None else self._midnight(first)

    def _first_of_moment(self, call: ex.Call) -> Any:
        """The day of a truncated timestamp; None of other calls."""
        match scalar_function(call.function).solver, call.args:
            case SolverMeaning.TRUNCATED_MOMENT, (ex.Literal(str() as name), moment):
                unit = unit_of(call.function, name)
                return self._day_of(moment) if unit in CLOCK else self._first_day(unit, moment)
            case _:
                return None

    def _first_day(self, unit: str | None, moment: ex.Expr) -> Any:
        """The first day of the week, month, quarter or year in which a moment lies."""
        if unit == "week":
            day = self._day_of(moment)
            return day - (day + 6) % 7
        kind = PERIODS.get(unit or "")
        return None if kind is None else self._part(Part(kind), self._day_of(moment))

    def _month_start(self, year: Any, month: Any) -> Any:
        """The first day of a month of a year; of a month that does not exist, some day."""
        return self._terms.apply(("month start",), (year, month), self._terms.integer)

    # -- later moments ---------------------------------------------------------------------------

    def _later(self, moment: ex.Expr, amount: ex.Expr) -> Any:
        """A constant interval, or number of months, after a moment."""
        match amount:
            case ex.Literal(dt.timedelta() as time, ty.DayTimeIntervalType()):
                return self._time_later(moment, time)
            case ex.Literal(int() as months, ty.YearMonthIntervalType()):
                return self._months_later(moment, months)
            case ex.Literal(int() as months) if is_few_days(amount):
                return self._months_later(moment, months)
            case _:
                return None

    def _time_later(self, moment: ex.Expr, amount: dt.timedelta) -> Any:
        micros = amount // dt.timedelta(microseconds=1)
        if isinstance(moment.type, ty.DateType):
            return self._number(moment) + micros // DAY if micros % DAY == 0 else None
        return self._number(moment) + micros

    def _months_later(self, moment: ex.Expr, months: int) -> Any:
        if abs(months) > MOST_MONTHS:
            return None
        day = self._part(Part(PartKind.MONTHS_LATER, months), self._day_of(moment))
        if isinstance(moment.type, ty.DateType):
            return day
        return self._midnight(day) + self._number(moment) % DAY

    # -- texts -----------------------------------------------------------------------------------

    def _text(self, moment: ex.Expr, pattern: str) -> Any:
        """A date written by a pattern: a text that tells the fields it is made of, and only them."""
        names = date_fields(pattern)
        if names is None:
            return None
        self._writes_dates = True
        day = self._day_of(moment)
        fields = tuple(self._part(Part(FIELDS[name]), day) for name in names)
        text = self._terms.apply(("written", pattern), fields, self._terms.sort(ty.STRING))
        for name, field in zip(names, fields, strict=True):
            read = self._terms.apply(("read", name, pattern), (text,), self._terms.integer)
            self._terms.axioms.append(read == field)
        return text

    # -- what is known of the parts ----------------------------------------------------------------

    def _part(self, part: Part, day: Any) -> Any:
        key = ("part", part.kind.value, part.months)
        term = self._terms.apply(key, (day,), self._terms.integer)
        self._parts[part, day.get_id()] = (day, term)
        return term

    def axioms(self, integers: Iterable[int], years: Iterable[int]) -> list[Any]:
        """What the parts met are, in the years of constants, and those that are constants."""
        if not self._parts:
            return []
        numbers = sorted(integers)
        related = list(self._relations())
        has_years = any(part.kind is PartKind.YEAR for part, _ in self._parts)
        met = {*years, *(n for n in numbers if EARLIEST <= n <= dt.MAXYEAR and has_years)}
        axioms: list[Any] = []
        for (part, _), (day, term) in self._parts.items():
            axioms += part_axioms(part, day, term, met)
            if part.kind is PartKind.YEAR:
                axioms += year_axioms(day, term, numbers)
        return axioms + related

    def _relations(self) -> Iterator[Any]:
        """How the parts of a day hang together, where there are several."""
        kinds = {part.kind for part, _ in self._parts if part.kind is not PartKind.MONTHS_LATER}
        if len(kinds) + self._writes_dates < 2:
            return
        for day, of in self._by_day():
            yield from self._relations_of(day, of)

    def definitions(self) -> Iterator[Any]:
        """What the parts met are in all years, for finding days rather than for proofs."""
        for day, of in self._by_day():
            for kind in (PartKind.YEAR, PartKind.MONTH):
                of[kind] = self._part(Part(kind), day)
            yield from definitions(day, of)

    def _by_day(self) -> list[tuple[Any, dict[PartKind, Any]]]:
        """The days met, each with its parts; later days are no parts of it."""
        days: dict[int, tuple[Any, dict[PartKind, Any]]] = {}
        for (part, i), (day, term) in self._parts.items():
            if part.kind is not PartKind.MONTHS_LATER:
                days.setdefault(i, (day, {}))[1][part.kind] = term
        return list(days.values())

    def _relations_of(self, day: Any, of: Mapping[PartKind, Any]) -> Iterator[Any]:
        year, month, first = (
            self._part(Part(kind), day)
            for kind in (PartKind.YEAR, PartKind.MONTH, PartKind.FIRST_OF_MONTH)
        )
        quarter = (month + 2) / self._integer(3)
        yield from self._begins(first, year, month)
        for kind, term in of.items():
            match kind:
                case PartKind.QUARTER:
                    yield term == quarter
                case PartKind.DAY_OF_MONTH:
                    yield term == day - first + 1
                case PartKind.DAY_OF_YEAR:
                    yield term == day - self._month_start(year, self._integer(1)) + 1
                case PartKind.FIRST_OF_YEAR:
                    yield from self._begins(term, year, self._integer(1))
                case PartKind.FIRST_OF_QUARTER:
                    yield from self._begins(term, year, quarter * 3 - 2)
                case PartKind.LAST_OF_MONTH:
                    last = self._terms.apply(("last of",), (first,), self._terms.integer)
                    yield term == last
                    yield first == self._terms.apply(("first of",), (term,), self._terms.integer)
                case _:
                    pass  # said already, or not of one month

    def _begins(self, first: Any, year: Any, month: Any) -> Iterator[Any]:
        """A month of a year begins on one day, and no other month does."""
        yield first == self._month_start(year, month)
        yield year == self._terms.apply(("year begun",), (first,), self._terms.integer)
        yield month == self._terms.apply(("month begun",), (first,), self._terms.integer)
