"""Functions of dates and timestamps: moving them, their parts, the time of the run."""

from __future__ import annotations

import calendar
import math
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from veer.errors import IllFormedError, UnsupportedError
from veer.functions import moments
from veer.functions.arithmetic import EXACT, float_to_long
from veer.functions.moments import add_months, make_date
from veer.functions.registry import (
    FAILING,
    NOT_NULLABLE,
    NULLABLE,
    NULLABLE_IF_ANY,
    PARTIAL,
    PLAIN,
    PROPAGATE,
    PURE,
    RUN_CONSTANT,
    SETTLED,
    STRICT,
    TOTAL,
    TYPED,
    Argument,
    Failure,
    Resolved,
    scalar,
)
from veer.functions.traits import Evaluation, Infix, Shown, SolverMeaning, WithoutAnsi, ZoneUse
from veer.functions.typing import DATETIMES, cast_to, exactly, require_count, signature
from veer.ir import types as ty
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
    resolved = signature(ty.DATE, ty.DATE, (ty.INT, ty.SHORT, ty.BYTE))(args)
    if isinstance(args[1].type, ty.StringType) and not current().ansi:
        raise UnsupportedError("a number of days given as text in a session without ANSI")
    if (
        not isinstance(args[1].type, ty.StringType | ty.NullType)
        and args[1].type != resolved.arguments[1]
    ):
        raise IllFormedError(f"argument 2 is {args[1].type}, expected int")
    return resolved


scalar("date_add dateadd", "DateAdd", _days_rule, moments.add_days)(
    FAILING, Shown(renamed=("dateadd",)), SolverMeaning.DAYS_LATER, WithoutAnsi.SAME
)
scalar("date_sub", "DateSub", _days_rule, lambda d, n: moments.add_days(d, -n))(
    FAILING, SolverMeaning.DAYS_EARLIER, WithoutAnsi.SAME
)
scalar("datediff date_diff", "DateDiff", signature(ty.INT, ty.DATE, ty.DATE), _days_between)(
    PLAIN, SolverMeaning.DAYS_BETWEEN
)
scalar("add_months", "AddMonths", signature(ty.DATE, ty.DATE, ty.INT), add_months)(
    FAILING, SolverMeaning.MONTHS_LATER, WithoutAnsi.SAME
)
BETWEEN = signature(ty.DOUBLE, ty.TIMESTAMP, ty.TIMESTAMP, ty.BOOLEAN, optional=1)
scalar("months_between", "MonthsBetween", BETWEEN, _months_between)(
    PURE, STRICT, TOTAL, NULLABLE_IF_ANY, Shown(2, ("true",)), ZoneUse.ARGUMENT
)


def _last_day(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


scalar("last_day", "LastDay", signature(ty.DATE, ty.DATE), _last_day)(PLAIN, SolverMeaning.LAST_DAY)


def _next_day(value: date, name: str) -> date | None:
    """The first such weekday after the date, by its name in English or its first two or three letters."""
    names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    full = [n.upper() for n in calendar.day_name]
    upper = name.upper()
    for index, short in enumerate(names):
        if upper in (short, full[index], full[index][:3]):
            return moments.add_days(value, (index - value.weekday() - 1) % 7 + 1)
    raise Failure("ILLEGAL_DAY_OF_WEEK")


scalar("next_day", "NextDay", signature(ty.DATE, ty.DATE, ty.STRING), _next_day)(
    PURE, STRICT, PARTIAL, NULLABLE, SETTLED, WithoutAnsi.NULL
)


def _make_date(year: int, month: int, day: int) -> date:
    # The calendar repeats every 400 years: whether there is such a day in a year beyond Python's.
    if make_date(2000 + year % 400, month, day) is None:
        raise Failure("DATETIME_FIELD_OUT_OF_BOUNDS")
    return moments.calendar_date(year, month, day)


scalar("make_date", "MakeDate", signature(ty.DATE, ty.INT, ty.INT, ty.INT), _make_date)(
    FAILING, SolverMeaning.DATE_OF_PARTS, WithoutAnsi.NULL
)


def _plus_interval_rule(args: Sequence[Argument]) -> Resolved:
    """A date or timestamp plus an interval."""
    require_count(args, 2)
    moment, interval = args[0].type, args[1].type
    if moment not in DATETIMES:
        raise IllFormedError(f"argument 1 is {moment}, expected a date or timestamp")
    if isinstance(interval, ty.YearMonthIntervalType):
        return Resolved((moment, interval), moment)
    if isinstance(interval, ty.DayTimeIntervalType):
        if moment == ty.DATE and (interval.first, interval.last) != ("day", "day"):
            moment = ty.TIMESTAMP
        return Resolved((moment, interval), moment)
    raise IllFormedError(f"argument 2 is {interval}, expected an interval")


def _plus_interval(types: Sequence[ty.DataType], result: ty.DataType) -> Callable[..., Any]:
    if isinstance(types[1], ty.YearMonthIntervalType):
        return add_months
    return lambda moment, delta: moments.in_calendar(lambda: moment + delta)


scalar("add_interval", "", _plus_interval_rule, _plus_interval)(
    FAILING, TYPED, Infix("+"), SolverMeaning.INTERVAL_LATER, WithoutAnsi.SAME
)


def _difference_rule(args: Sequence[Argument]) -> Resolved:
    """Dates differ by days; beside a timestamp a date becomes one."""
    require_count(args, 2)
    a, b = (cast_to(x, DATETIMES, i) for i, x in enumerate(args, 1))
    if a == b == ty.DATE:
        return Resolved((a, b), ty.DayTimeIntervalType("day", "day"))
    wider = ty.TIMESTAMP_NTZ if ty.TIMESTAMP not in (a, b) else ty.TIMESTAMP
    return Resolved((wider, wider), ty.DayTimeIntervalType("day", "second"))


scalar("subtract_moments", "", _difference_rule, lambda a, b: a - b)(
    PLAIN, Infix("-"), SolverMeaning.TIME_BETWEEN, ZoneUse.SHOWN
)

# -- parts -----------------------------------------------------------------------------------

DAY_PART = signature(ty.INT, ty.DATE)
CLOCK_PART = signature(ty.INT, (ty.TIMESTAMP, ty.TIMESTAMP_NTZ))

scalar("year", "Year", DAY_PART, lambda d: d.year)(PLAIN, SolverMeaning.YEAR, extracts=("year",))
scalar("quarter", "Quarter", DAY_PART, lambda d: (d.month + 2) // 3)(
    PLAIN, SolverMeaning.QUARTER, extracts=("quarter",)
)
scalar("month", "Month", DAY_PART, lambda d: d.month)(
    PLAIN, SolverMeaning.MONTH, extracts=("month",)
)
scalar("day dayofmonth", "DayOfMonth", DAY_PART, lambda d: d.day)(
    PLAIN, SolverMeaning.DAY_OF_MONTH, extracts=("day", "days")
)
scalar("dayofweek", "DayOfWeek", DAY_PART, lambda d: d.isoweekday() % 7 + 1)(
    PLAIN, SolverMeaning.DAY_OF_WEEK, extracts=("dayofweek", "dow")
)
scalar("weekday", "WeekDay", DAY_PART, lambda d: d.weekday())(PLAIN, SolverMeaning.WEEKDAY)
scalar("dayofyear", "DayOfYear", DAY_PART, lambda d: d.timetuple().tm_yday)(
    PLAIN, SolverMeaning.DAY_OF_YEAR, extracts=("dayofyear", "doy")
)
scalar("weekofyear", "WeekOfYear", DAY_PART, lambda d: d.isocalendar()[1])(
    PLAIN, extracts=("weekofyear", "week")
)
scalar("hour", "Hour", CLOCK_PART, lambda t: t.hour)(
    PLAIN, SolverMeaning.HOUR, ZoneUse.SHOWN, extracts=("hour",)
)
scalar("minute", "Minute", CLOCK_PART, lambda t: t.minute)(
    PLAIN, SolverMeaning.MINUTE, ZoneUse.SHOWN, extracts=("minute",)
)
scalar("second", "Second", CLOCK_PART, lambda t: t.second)(
    PLAIN, SolverMeaning.SECOND, ZoneUse.SHOWN
)

_TRUNCATED: dict[str, Callable[[Any], Any]] = {
    "year": lambda d: d.replace(month=1, day=1),
    "quarter": lambda d: d.replace(month=(d.month - 1) // 3 * 3 + 1, day=1),
    "month": lambda d: d.replace(day=1),
    "week": lambda d: d - timedelta(days=d.weekday()),
}
_UNITS = {
    **dict.fromkeys(("year", "yyyy", "yy"), "year"),
    **dict.fromkeys(("month", "mon", "mm"), "month"),
    **{unit: unit for unit in ("quarter", "week")},
}
_WITHIN = ("hour", "minute", "second", "microsecond")  # of a day
_CLOCK = {unit: dict.fromkeys(_WITHIN[i:], 0) for i, unit in enumerate(("day", *_WITHIN[:3]))}
_CLOCK["dd"] = _CLOCK["day"]


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
    return None if name is None else moments.in_calendar(lambda: _TRUNCATED[name](value))


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
    return moments.in_calendar(lambda: _TRUNCATED[name](midnight))  # type: ignore[no-any-return]


scalar("trunc", "TruncDate", signature(ty.DATE, ty.DATE, ty.STRING), _trunc)(
    PURE, PROPAGATE, TOTAL, NULLABLE, SETTLED, Evaluation.UNIT_FIRST, SolverMeaning.TRUNCATED_DATE
)


scalar(
    "date_trunc", "TruncTimestamp", signature(ty.TIMESTAMP, ty.STRING, ty.TIMESTAMP), date_trunc
)(PURE, PROPAGATE, TOTAL, NULLABLE, SETTLED, Evaluation.UNIT_FIRST, SolverMeaning.TRUNCATED_MOMENT)


def _timestamp_seconds(seconds: int | float | Decimal) -> datetime | None:
    """Floats are cut to microseconds and saturate; of exact numbers more digits than that fail."""
    if isinstance(seconds, float):
        return moments.from_micros(float_to_long(seconds * 1e6)) if math.isfinite(seconds) else None
    micros = seconds * 1_000_000 if isinstance(seconds, int) else EXACT.scaleb(seconds, 6)
    if micros != int(micros) or not -(2**63) <= micros < 2**63:
        raise Failure("ARITHMETIC_OVERFLOW")
    return moments.from_micros(int(micros))


SECONDS = exactly(ty.TIMESTAMP, ty.NumericType)
scalar("timestamp_seconds", "SecondsToTimestamp", SECONDS, _timestamp_seconds)(
    PURE, PROPAGATE, PARTIAL, NULLABLE_IF_ANY, SETTLED, WithoutAnsi.SAME, ZoneUse.SAME
)

# -- the time of the run ---------------------------------------------------------------------

scalar("current_date curdate", "CurrentDate", signature(ty.DATE), lambda: moments.RUN_DATE)(
    RUN_CONSTANT, STRICT, TOTAL, NOT_NULLABLE
)
scalar(
    "current_timestamp now",
    "CurrentTimestamp Now",
    signature(ty.TIMESTAMP),
    lambda: moments.RUN_TIME,
)(RUN_CONSTANT, STRICT, TOTAL, NOT_NULLABLE, ZoneUse.SAME)
