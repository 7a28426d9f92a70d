"""Functions of dates and timestamps: moving them, their parts, the time of the run."""

from __future__ import annotations

import calendar
import math
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from veer.errors import IllFormedError, UnsupportedError
from veer.functions.arithmetic import EXACT, float_to_long
from veer.functions.moments import (
    RUN_DATE,
    RUN_TIME,
    add_days,
    add_months,
    calendar_date,
    from_micros,
    in_calendar,
    make_date,
)
from veer.functions.registry import (
    PARTIAL,
    PURE,
    STRICT,
    TOTAL,
    Argument,
    Failure,
    Kind,
    Nulls,
    Resolved,
    scalar,
)
from veer.functions.traits import Evaluation, Folding, Infix, Shown, SolverMeaning
from veer.functions.typing import DATETIMES, cast_to, exactly, signature
from veer.model.types import (
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    INT,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DayTimeIntervalType,
    NullType,
    NumericType,
    StringType,
    YearMonthIntervalType,
)
from veer.settings import current


def _days_between(end: date, start: date) -> int:
    return (end - start).days


def _months_between(a: datetime, b: datetime, round_off: bool = True) -> float:
    """Months between two moments of UTC."""
    return months_between(a, b, (_seconds_of_day(a), _seconds_of_day(b)), round_off)


def _seconds_of_day(moment: datetime) -> int:
    return (moment - datetime(moment.year, moment.month, moment.day)) // timedelta(seconds=1)


def months_between(a: date, b: date, seconds: tuple[int, int], round_off: bool) -> float:
    """Whole if both are on the same day of the month or both on the last; else months of 31 days.

    `seconds` are those since the beginning of either day.
    """
    months = (a.year - b.year) * 12 + a.month - b.month
    last_a, last_b = (calendar.monthrange(d.year, d.month)[1] for d in (a, b))
    if a.day == b.day or (a.day == last_a and b.day == last_b):
        return float(months)
    value = months + ((a.day - b.day) * 86400 + seconds[0] - seconds[1]) / (31 * 86400.0)
    if not round_off:
        return value
    return float(Decimal(repr(value)).quantize(Decimal("1e-8"), "ROUND_HALF_UP"))


def _days_rule(args: Sequence[Argument]) -> Resolved:
    """The number of days is an int or shorter, or text; no other number is cast."""
    resolved = signature(DATE, DATE, (INT, SHORT, BYTE))(args)
    if isinstance(args[1].type, StringType) and not current().ansi:
        raise UnsupportedError("a number of days given as text in a session without ANSI")
    if (
        not isinstance(args[1].type, StringType | NullType)
        and args[1].type != resolved.arguments[1]
    ):
        raise IllFormedError(f"argument 2 is {args[1].type}, expected int")
    return resolved


scalar(
    "date_add",
    _days_rule,
    add_days,
    PURE,
    STRICT,
    PARTIAL,
    aliases=("dateadd",),
    spark=("DateAdd",),
    shown=Shown(renamed=("dateadd",)),
    solver=SolverMeaning.DAYS_LATER,
    folding=Folding.SETTLED,
)
scalar(
    "date_sub",
    _days_rule,
    lambda d, n: add_days(d, -n),
    PURE,
    STRICT,
    PARTIAL,
    spark=("DateSub",),
    solver=SolverMeaning.DAYS_EARLIER,
    folding=Folding.SETTLED,
)
scalar(
    "datediff",
    signature(INT, DATE, DATE),
    _days_between,
    PURE,
    STRICT,
    TOTAL,
    aliases=("date_diff",),
    spark=("DateDiff",),
    solver=SolverMeaning.DAYS_BETWEEN,
    folding=Folding.SETTLED,
)
scalar(
    "add_months",
    signature(DATE, DATE, INT),
    add_months,
    PURE,
    STRICT,
    PARTIAL,
    spark=("AddMonths",),
    folding=Folding.SETTLED,
    solver=SolverMeaning.MONTHS_LATER,
)
scalar(
    "months_between",
    signature(DOUBLE, TIMESTAMP, TIMESTAMP, BOOLEAN, optional=1),
    _months_between,
    PURE,
    STRICT,
    TOTAL,
    spark=("MonthsBetween",),
    shown=Shown(2, ("true",)),
)
scalar(
    "last_day",
    signature(DATE, DATE),
    lambda d: d.replace(day=calendar.monthrange(d.year, d.month)[1]),
    PURE,
    STRICT,
    TOTAL,
    spark=("LastDay",),
    folding=Folding.SETTLED,
    solver=SolverMeaning.LAST_DAY,
)


def _next_day(value: date, name: str) -> date | None:
    """The first such weekday after the date, by its name in English or its first two or three letters."""
    names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    full = [n.upper() for n in calendar.day_name]
    upper = name.upper()
    for index, short in enumerate(names):
        if upper in (short, full[index], full[index][:3]):
            return add_days(value, (index - value.weekday() - 1) % 7 + 1)
    raise Failure("ILLEGAL_DAY_OF_WEEK")


scalar(
    "next_day",
    signature(DATE, DATE, STRING),
    _next_day,
    PURE,
    STRICT,
    PARTIAL,
    spark=("NextDay",),
    folding=Folding.SETTLED,
)


def _make_date(year: int, month: int, day: int) -> date:
    # The calendar repeats every 400 years: whether there is such a day in a year beyond Python's.
    if make_date(2000 + year % 400, month, day) is None:
        raise Failure("DATETIME_FIELD_OUT_OF_BOUNDS")
    return calendar_date(year, month, day)


scalar(
    "make_date",
    signature(DATE, INT, INT, INT),
    _make_date,
    PURE,
    STRICT,
    PARTIAL,
    spark=("MakeDate",),
    folding=Folding.SETTLED,
    solver=SolverMeaning.DATE_OF_PARTS,
)


def _plus_interval_rule(args: Sequence[Argument]) -> Resolved:
    """A date or timestamp plus an interval."""
    if len(args) != 2:
        raise IllFormedError(f"{len(args)} arguments, expected 2")
    moment, interval = args[0].type, args[1].type
    if moment not in DATETIMES:
        raise IllFormedError(f"argument 1 is {moment}, expected a date or timestamp")
    if isinstance(interval, YearMonthIntervalType):
        return Resolved((moment, interval), moment)
    if isinstance(interval, DayTimeIntervalType):
        if moment == DATE and (interval.first, interval.last) != ("day", "day"):
            moment = TIMESTAMP
        return Resolved((moment, interval), moment)
    raise IllFormedError(f"argument 2 is {interval}, expected an interval")


def _plus_interval(types: Sequence[DataType], result: DataType) -> Callable[..., Any]:
    if isinstance(types[1], YearMonthIntervalType):
        return add_months
    return lambda moment, delta: in_calendar(lambda: moment + delta)


scalar(
    "add_interval",
    _plus_interval_rule,
    _plus_interval,
    PURE,
    STRICT,
    PARTIAL,
    typed=True,
    sql=Infix("+"),
    folding=Folding.SETTLED,
    solver=SolverMeaning.INTERVAL_LATER,
)


def _difference_rule(args: Sequence[Argument]) -> Resolved:
    """Dates differ by days; beside a timestamp a date becomes one."""
    a, b = (cast_to(x, DATETIMES, i) for i, x in enumerate(args, 1))
    if a == b == DATE:
        return Resolved((a, b), DayTimeIntervalType("day", "day"))
    wider = TIMESTAMP_NTZ if TIMESTAMP not in (a, b) else TIMESTAMP
    return Resolved((wider, wider), DayTimeIntervalType("day", "second"))


scalar(
    "subtract_moments",
    _difference_rule,
    lambda a, b: a - b,
    PURE,
    STRICT,
    TOTAL,
    sql=Infix("-"),
    folding=Folding.SETTLED,
    solver=SolverMeaning.TIME_BETWEEN,
)

# -- parts -----------------------------------------------------------------------------------

DAY_PART = signature(INT, DATE)
CLOCK_PART = signature(INT, (TIMESTAMP, TIMESTAMP_NTZ))

scalar(
    "year",
    DAY_PART,
    lambda d: d.year,
    PURE,
    STRICT,
    TOTAL,
    spark=("Year",),
    extracts=("year",),
    solver=SolverMeaning.YEAR,
    folding=Folding.SETTLED,
)
scalar(
    "quarter",
    DAY_PART,
    lambda d: (d.month + 2) // 3,
    PURE,
    STRICT,
    TOTAL,
    spark=("Quarter",),
    extracts=("quarter",),
    folding=Folding.SETTLED,
    solver=SolverMeaning.QUARTER,
)
scalar(
    "month",
    DAY_PART,
    lambda d: d.month,
    PURE,
    STRICT,
    TOTAL,
    spark=("Month",),
    extracts=("month",),
    folding=Folding.SETTLED,
    solver=SolverMeaning.MONTH,
)
scalar(
    "day",
    DAY_PART,
    lambda d: d.day,
    PURE,
    STRICT,
    TOTAL,
    aliases=("dayofmonth",),
    spark=("DayOfMonth",),
    extracts=("day", "days"),
    folding=Folding.SETTLED,
    solver=SolverMeaning.DAY_OF_MONTH,
)
scalar(
    "dayofweek",
    DAY_PART,
    lambda d: d.isoweekday() % 7 + 1,
    PURE,
    STRICT,
    TOTAL,
    spark=("DayOfWeek",),
    extracts=("dayofweek", "dow"),
    folding=Folding.SETTLED,
    solver=SolverMeaning.DAY_OF_WEEK,
)
scalar(
    "weekday",
    DAY_PART,
    lambda d: d.weekday(),
    PURE,
    STRICT,
    TOTAL,
    spark=("WeekDay",),
    folding=Folding.SETTLED,
    solver=SolverMeaning.WEEKDAY,
)
scalar(
    "dayofyear",
    DAY_PART,
    lambda d: d.timetuple().tm_yday,
    PURE,
    STRICT,
    TOTAL,
    spark=("DayOfYear",),
    extracts=("dayofyear", "doy"),
    folding=Folding.SETTLED,
    solver=SolverMeaning.DAY_OF_YEAR,
)
scalar(
    "weekofyear",
    DAY_PART,
    lambda d: d.isocalendar()[1],
    PURE,
    STRICT,
    TOTAL,
    spark=("WeekOfYear",),
    extracts=("weekofyear", "week"),
    folding=Folding.SETTLED,
)
scalar(
    "hour",
    CLOCK_PART,
    lambda t: t.hour,
    PURE,
    STRICT,
    TOTAL,
    spark=("Hour",),
    extracts=("hour",),
    folding=Folding.SETTLED,
    solver=SolverMeaning.HOUR,
)
scalar(
    "minute",
    CLOCK_PART,
    lambda t: t.minute,
    PURE,
    STRICT,
    TOTAL,
    spark=("Minute",),
    extracts=("minute",),
    folding=Folding.SETTLED,
    solver=SolverMeaning.MINUTE,
)
scalar(
    "second",
    CLOCK_PART,
    lambda t: t.second,
    PURE,
    STRICT,
    TOTAL,
    spark=("Second",),
    folding=Folding.SETTLED,
    solver=SolverMeaning.SECOND,
)

_TRUNCATED: dict[str, Callable[[Any], Any]] = {
    "year": lambda d: d.replace(month=1, day=1),
    "quarter": lambda d: d.replace(month=(d.month - 1) // 3 * 3 + 1, day=1),
    "month": lambda d: d.replace(day=1),
    "week": lambda d: d - timedelta(days=d.weekday()),
}
_UNITS = {
    "year": "year",
    "yyyy": "year",
    "yy": "year",
    "quarter": "quarter",
    "month": "month",
    "mon": "month",
    "mm": "month",
    "week": "week",
}
_CLOCK = {
    "day": {"hour": 0, "minute": 0, "second": 0, "microsecond": 0},
    "dd": {"hour": 0, "minute": 0, "second": 0, "microsecond": 0},
    "hour": {"minute": 0, "second": 0, "microsecond": 0},
    "minute": {"second": 0, "microsecond": 0},
    "second": {"microsecond": 0},
}


def unit_of(function: str, unit: str) -> str | None:
    """The unit that TRUNC or DATE_TRUNC takes a name for, by its own name; None if for none."""
    lowered = unit.lower()
    if function != "trunc" and lowered in ("microsecond", "millisecond", *_CLOCK):
        return "day" if lowered == "dd" else lowered
    return _UNITS.get(lowered)


def knows_unit(function: str, unit: str) -> bool:
    """Whether TRUNC or DATE_TRUNC gives a value for the unit; else null, its argument unread."""
    return unit_of(function, unit) is not None


def _trunc(value: date, unit: str) -> date | None:
    name = _UNITS.get(unit.lower())
    return None if name is None else in_calendar(lambda: _TRUNCATED[name](value))


def date_trunc(unit: str, value: datetime) -> datetime | None:
    """The beginning of the unit that a moment is in; null if there is no such unit."""
    lowered = unit.lower()
    if lowered == "microsecond":
        return value
    if lowered == "millisecond":
        return value.replace(microsecond=value.microsecond // 1000 * 1000)
    if lowered in _CLOCK:
        return value.replace(**_CLOCK[lowered])  # type: ignore[arg-type]
    name = _UNITS.get(lowered)
    if name is None:
        return None
    midnight = value.replace(hour=0, minute=0, second=0, microsecond=0)
    return in_calendar(lambda: _TRUNCATED[name](midnight))  # type: ignore[no-any-return]


scalar(
    "trunc",
    signature(DATE, DATE, STRING),
    _trunc,
    PURE,
    Nulls.PROPAGATE,
    TOTAL,
    spark=("TruncDate",),
    evaluation=Evaluation.UNIT_FIRST,
    folding=Folding.SETTLED,
    solver=SolverMeaning.TRUNCATED_DATE,
)


scalar(
    "date_trunc",
    signature(TIMESTAMP, STRING, TIMESTAMP),
    date_trunc,
    PURE,
    Nulls.PROPAGATE,
    TOTAL,
    spark=("TruncTimestamp",),
    evaluation=Evaluation.UNIT_FIRST,
    folding=Folding.SETTLED,
    solver=SolverMeaning.TRUNCATED_MOMENT,
)


def _timestamp_seconds(seconds: int | float | Decimal) -> datetime | None:
    """Floats are cut to microseconds and saturate; of exact numbers more digits than that fail."""
    if isinstance(seconds, float):
        return from_micros(float_to_long(seconds * 1e6)) if math.isfinite(seconds) else None
    micros = seconds * 1_000_000 if isinstance(seconds, int) else EXACT.scaleb(seconds, 6)
    if micros != int(micros) or not -(2**63) <= micros < 2**63:
        raise Failure("ARITHMETIC_OVERFLOW")
    return from_micros(int(micros))


scalar(
    "timestamp_seconds",
    exactly(TIMESTAMP, NumericType),
    _timestamp_seconds,
    PURE,
    Nulls.PROPAGATE,
    PARTIAL,
    spark=("SecondsToTimestamp",),
    folding=Folding.SETTLED,
)

# -- the time of the run ---------------------------------------------------------------------

scalar(
    "current_date",
    signature(DATE),
    lambda: RUN_DATE,
    Kind.RUN_CONSTANT,
    STRICT,
    TOTAL,
    aliases=("curdate",),
    spark=("CurrentDate",),
)
scalar(
    "current_timestamp",
    signature(TIMESTAMP),
    lambda: RUN_TIME,
    Kind.RUN_CONSTANT,
    STRICT,
    TOTAL,
    aliases=("now",),
    spark=(
        "CurrentTimestamp",
        "Now",
    ),
)
