"""Dates and timestamps: `datetime.date`, and naive `datetime.datetime` in UTC.

The session time zone of the interpreter is UTC. Python's calendar goes from the year 1 to 9999,
Spark's further: a value outside raises `UnsupportedError`, so that such a run decides nothing.
"""

from __future__ import annotations

import calendar
import math
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeVar

from veer.errors import IllFormedError, UnsupportedError
from veer.functions.arithmetic import EXACT, float_to_long
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
from veer.functions.traits import Called, Evaluation, Folding, Infix, SolverMeaning
from veer.functions.typing import DATETIMES, cast_to, exactly, signature
from veer.model.types import (
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    INT,
    LONG,
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

T = TypeVar("T")
EPOCH = datetime(1970, 1, 1)
# What current_date and current_timestamp are in every run of the interpreter: a moment to come, so
# that a witness which depends on it can still be met.
RUN_DATE = date(2041, 1, 15)
RUN_TIME = datetime(2041, 1, 15, 12, 30, 45, 123456)
OUTSIDE = "a date outside the years 1 to 9999 is not interpreted"

# -- text ------------------------------------------------------------------------------------

_DATE = re.compile(r"([+-]?\d{4,7})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T].*)?)?)?", re.ASCII | re.DOTALL)
_TIMESTAMP = re.compile(
    r"([+-]?\d{4,6})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T](\d{1,2})(?::(\d{1,2})"
    r"(?::(\d{1,2})(?:\.(\d*))?\s*([A-Za-z+-].*)?)?)?)?)?)?",
    re.ASCII | re.DOTALL,
)
_TIME_ONLY = re.compile(r"T?\d{1,2}:\d{1,2}.*", re.ASCII | re.DOTALL)
_OFFSET = re.compile(r"[+-](\d{1,2})(?::?(\d{2})|:(\d))?(?::(\d{2}))?", re.ASCII)
WHITESPACE = "".join(map(chr, range(0x21)))  # what Spark trims from text before casting


def parse_date(text: str) -> date | None:
    """What `CAST(text AS DATE)` reads, None if it cannot."""
    found = _DATE.fullmatch(text.strip(WHITESPACE))
    if found is None:
        return None
    year, month, day = int(found[1]), int(found[2] or 1), int(found[3] or 1)
    return (
        None
        if make_date(2000 + year % 400, month, day) is None
        else calendar_date(year, month, day)
    )


def calendar_date(year: int, month: int, day: int) -> date:
    """A day that exists, unless it is outside the interpreter's calendar."""
    if not 1 <= year <= 9999:
        raise UnsupportedError(OUTSIDE)
    return date(year, month, day)


def make_date(year: int, month: int, day: int) -> date | None:
    """A date, or None where there is no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def parse_timestamp(text: str, *, local: bool = False) -> datetime | None:
    """What `CAST(text AS TIMESTAMP)` reads in UTC, None if it cannot.

    With `local`, as for TIMESTAMP_NTZ, a zone in the text is read and ignored.
    """
    stripped = text.strip(WHITESPACE)
    found = _TIMESTAMP.fullmatch(stripped)
    if found is None:
        if not local and _TIME_ONLY.fullmatch(stripped):
            raise UnsupportedError("a time without a date, read as of today, is not interpreted")
        return None
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    micros = int((fraction or "").ljust(6, "0")[:6] or 0)
    try:
        shown = datetime(
            2000 + int(year) % 400,
            int(month or 1),
            int(day or 1),
            int(hour or 0),
            int(minute or 0),
            int(second or 0),
            micros,
        )
        offset = zone_offset(zone)
    except ValueError:
        return None
    calendar_date(int(year), 1, 1)
    shown = shown.replace(year=int(year))
    return shown if local else _in_calendar(lambda: shown - offset)


def zone_offset(zone: str | None) -> timedelta:
    """Offset of a zone suffix of a timestamp text."""
    if zone is None or zone in ("Z", "UTC", "GMT"):
        return timedelta(0)
    if zone[0].isalpha():
        raise UnsupportedError(f"the time zone {zone!r} is not interpreted")
    found = _OFFSET.fullmatch(zone)
    if found is None:
        raise ValueError(zone)
    hours, minutes, seconds = int(found[1]), int(found[2] or found[3] or 0), int(found[4] or 0)
    offset = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    if offset > timedelta(hours=18) or minutes > 59 or seconds > 59:
        raise ValueError(zone)
    return -offset if zone[0] == "-" else offset


def date_text(value: date) -> str:
    """What `CAST(value AS STRING)` writes."""
    return f"{value.year:04d}-{value.month:02d}-{value.day:02d}"


def timestamp_text(value: datetime) -> str:
    """What `CAST(value AS STRING)` writes: the fraction without trailing zeros."""
    fraction = f".{value.microsecond:06d}".rstrip("0") if value.microsecond else ""
    return f"{date_text(value)} {value:%H:%M:%S}{fraction}"


def micros_of(value: datetime) -> int:
    """Microseconds since the epoch."""
    return (value - EPOCH) // timedelta(microseconds=1)


def from_micros(micros: int) -> datetime:
    """The instant that many microseconds after the epoch."""
    return _in_calendar(lambda: EPOCH + timedelta(microseconds=micros))


def _in_calendar(make: Callable[[], T]) -> T:
    try:
        return make()
    except (OverflowError, ValueError):
        raise UnsupportedError(OUTSIDE) from None


# -- arithmetic ------------------------------------------------------------------------------


def add_days(value: date, days: int) -> date:
    """The date that many days later."""
    return _in_calendar(lambda: value + timedelta(days=days))


def add_months(value: Any, months: int) -> Any:
    """The same day of another month, or its last day where that month is shorter."""
    total = value.year * 12 + value.month - 1 + months
    year, month = divmod(total, 12)
    return _in_calendar(
        lambda: value.replace(
            year=year, month=month + 1, day=min(value.day, calendar.monthrange(year, month + 1)[1])
        )
    )


def _days_between(end: date, start: date) -> int:
    return (end - start).days


def _months_between(a: datetime, b: datetime, round_off: bool = True) -> float:
    months = (a.year - b.year) * 12 + a.month - b.month
    last_a, last_b = (calendar.monthrange(d.year, d.month)[1] for d in (a, b))
    if a.day == b.day or (a.day == last_a and b.day == last_b):
        return float(months)
    in_month = [
        (d - datetime(d.year, d.month, d.day)) // timedelta(seconds=1) + d.day * 86400
        for d in (a, b)
    ]
    value = months + (in_month[0] - in_month[1]) / (31 * 86400.0)
    if not round_off:
        return value
    return float(Decimal(repr(value)).quantize(Decimal("1e-8"), "ROUND_HALF_UP"))


def _days_rule(args: Sequence[Argument]) -> Resolved:
    """The number of days is an int or shorter, or text; no other number is cast."""
    resolved = signature(DATE, DATE, (INT, SHORT, BYTE))(args)
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
)
scalar(
    "months_between",
    signature(DOUBLE, TIMESTAMP, TIMESTAMP, BOOLEAN, optional=1),
    _months_between,
    PURE,
    STRICT,
    TOTAL,
    spark=("MonthsBetween",),
)
scalar(
    "last_day",
    signature(DATE, DATE),
    lambda d: d.replace(day=calendar.monthrange(d.year, d.month)[1]),
    PURE,
    STRICT,
    TOTAL,
    spark=("LastDay",),
)


def _next_day(value: date, name: str) -> date | None:
    names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    full = [n.upper() for n in calendar.day_name]
    upper = name.upper()
    for index, short in enumerate(names):
        if upper in (short, full[index], full[index][:3]):
            return add_days(value, (index - value.weekday() - 1) % 7 + 1)
    raise Failure("ILLEGAL_DAY_OF_WEEK")


scalar(
    "next_day", signature(DATE, DATE, STRING), _next_day, PURE, STRICT, PARTIAL, spark=("NextDay",)
)


def _make_date(year: int, month: int, day: int) -> date:
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
    return lambda moment, delta: _in_calendar(lambda: moment + delta)


scalar(
    "add_interval",
    _plus_interval_rule,
    _plus_interval,
    PURE,
    STRICT,
    PARTIAL,
    typed=True,
    sql=Infix("+"),
)


def _difference_rule(args: Sequence[Argument]) -> Resolved:
    a, b = (cast_to(x, DATETIMES, i) for i, x in enumerate(args, 1))
    if a == b == DATE:
        return Resolved((a, b), DayTimeIntervalType("day", "day"))
    wider = TIMESTAMP_NTZ if TIMESTAMP not in (a, b) else TIMESTAMP
    return Resolved((wider, wider), DayTimeIntervalType("day", "second"))


scalar(
    "subtract_moments", _difference_rule, lambda a, b: a - b, PURE, STRICT, TOTAL, sql=Infix("-")
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
)
scalar("weekday", DAY_PART, lambda d: d.weekday(), PURE, STRICT, TOTAL, spark=("WeekDay",))
scalar(
    "dayofyear",
    DAY_PART,
    lambda d: d.timetuple().tm_yday,
    PURE,
    STRICT,
    TOTAL,
    spark=("DayOfYear",),
    extracts=("dayofyear", "doy"),
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
)
scalar(
    "hour", CLOCK_PART, lambda t: t.hour, PURE, STRICT, TOTAL, spark=("Hour",), extracts=("hour",)
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
)
scalar("second", CLOCK_PART, lambda t: t.second, PURE, STRICT, TOTAL, spark=("Second",))

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


def knows_unit(function: str, unit: str) -> bool:
    """Whether TRUNC or DATE_TRUNC gives a value for the unit; else null, its argument unread."""
    finer = ("microsecond", "millisecond", *_CLOCK) if function == "date_trunc" else ()
    return unit.lower() in (*_UNITS, *finer)


def _trunc(value: date, unit: str) -> date | None:
    name = _UNITS.get(unit.lower())
    return None if name is None else _in_calendar(lambda: _TRUNCATED[name](value))


def _date_trunc(unit: str, value: datetime) -> datetime | None:
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
    return _in_calendar(lambda: _TRUNCATED[name](midnight))  # type: ignore[no-any-return]


scalar(
    "trunc",
    signature(DATE, DATE, STRING),
    _trunc,
    PURE,
    Nulls.PROPAGATE,
    TOTAL,
    spark=("TruncDate",),
    evaluation=Evaluation.UNIT_FIRST,
)


scalar(
    "date_trunc",
    signature(TIMESTAMP, STRING, TIMESTAMP),
    _date_trunc,
    PURE,
    Nulls.PROPAGATE,
    TOTAL,
    spark=("TruncTimestamp",),
    evaluation=Evaluation.UNIT_FIRST,
)

# -- patterns --------------------------------------------------------------------------------

_FORMATS = {
    "yyyy": "%Y",
    "MM": "%m",
    "dd": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
    "MMM": "%b",
    "MMMM": "%B",
    "EEE": "%a",
    "EEEE": "%A",
    "DDD": "%j",
    "hh": "%I",
    "a": "%p",
}


@lru_cache(maxsize=128)
def pattern_parts(pattern: str) -> tuple[tuple[str, str], ...]:
    """A datetime pattern as (kind, text) pieces; refused where it is not modelled."""
    parts: list[tuple[str, str]] = []
    for found in re.finditer(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+", pattern):
        text = found[0]
        if found[1] is not None:
            parts.append(("text", found[1].replace("''", "'") or "'"))
        elif found[2] is None:
            parts.append(("text", text))
        elif text in _FORMATS or set(text) <= {"S"} or text in ("y", "M", "d", "H", "m", "s"):
            parts.append(("field", text))
        else:
            raise UnsupportedError(f"datetime pattern {pattern!r}: {text!r} is not modelled")
    return tuple(parts)


def format_moment(value: date, pattern: str) -> str:
    """DATE_FORMAT."""
    moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
    out: list[str] = []
    for kind, text in pattern_parts(pattern):
        if kind == "text":
            out.append(text)
        elif set(text) == {"S"}:
            out.append(f"{moment.microsecond:06d}".ljust(9, "0")[: len(text)])
        elif text == "yyyy":
            out.append(f"{moment.year:04d}")
        elif len(text) == 1 and text != "a":
            short = {
                "y": "year",
                "M": "month",
                "d": "day",
                "H": "hour",
                "m": "minute",
                "s": "second",
            }
            out.append(str(getattr(moment, short[text])))
        else:
            out.append(moment.strftime(_FORMATS[text]))
    return "".join(out)


_READERS = {
    "yyyy": r"(?P<year>\d{4})",
    "y": r"(?P<year>\d{1,6})",
    "MM": r"(?P<month>\d{2})",
    "M": r"(?P<month>\d{1,2})",
    "dd": r"(?P<day>\d{2})",
    "d": r"(?P<day>\d{1,2})",
    "HH": r"(?P<hour>\d{2})",
    "H": r"(?P<hour>\d{1,2})",
    "mm": r"(?P<minute>\d{2})",
    "m": r"(?P<minute>\d{1,2})",
    "ss": r"(?P<second>\d{2})",
    "s": r"(?P<second>\d{1,2})",
}


def parse_moment(text: str, pattern: str) -> datetime:
    """Read a moment by a pattern, or fail as Spark does under ANSI."""
    regex = []
    for kind, part in pattern_parts(pattern):
        if kind == "text":
            regex.append(re.escape(part))
        elif part in _READERS:
            regex.append(_READERS[part])
        elif set(part) == {"S"}:
            regex.append(rf"(?P<fraction>\d{{{len(part)}}})")
        else:
            raise UnsupportedError(f"reading by datetime pattern {pattern!r} is not modelled")
    try:
        found = re.fullmatch("".join(regex), text, re.ASCII)
    except re.error:
        raise UnsupportedError(f"datetime pattern {pattern!r} is not modelled") from None
    if found is None:
        raise Failure("CANNOT_PARSE_TIMESTAMP")
    parts = {k: int(v) for k, v in found.groupdict().items() if k != "fraction"}
    fraction = found.groupdict().get("fraction", "").ljust(6, "0")[:6]
    try:
        return datetime(
            parts.get("year", 1970),
            parts.get("month", 1),
            parts.get("day", 1),
            parts.get("hour", 0),
            parts.get("minute", 0),
            parts.get("second", 0),
            int(fraction or 0),
        )
    except ValueError:
        raise Failure("CANNOT_PARSE_TIMESTAMP") from None


scalar(
    "date_format",
    signature(STRING, (TIMESTAMP, TIMESTAMP_NTZ), STRING),
    format_moment,
    PURE,
    STRICT,
    PARTIAL,
    spark=("DateFormatClass",),
)


def _read_with_pattern(target: DataType) -> Callable[[str, str], Any]:
    if target == DATE:
        return lambda text, pattern: parse_moment(text, pattern).date()
    return parse_moment


scalar(
    "to_date_by",
    signature(DATE, STRING, STRING),
    _read_with_pattern(DATE),
    PURE,
    STRICT,
    PARTIAL,
    sql=Called("to_date"),
)


def _text_rule(args: Sequence[Argument]) -> Resolved:
    """Text and a pattern; numbers, which have a meaning without pattern, have none with one."""
    if isinstance(args[0].type, NumericType):
        raise IllFormedError(f"argument 1 is {args[0].type}, expected text")
    return signature(TIMESTAMP, STRING, STRING)(args)


scalar(
    "to_timestamp_by",
    _text_rule,
    _read_with_pattern(TIMESTAMP),
    PURE,
    STRICT,
    PARTIAL,
    sql=Called("to_timestamp"),
)
DEFAULT_PATTERN = "yyyy-MM-dd HH:mm:ss"


def _unix_timestamp(value: Any, pattern: str = DEFAULT_PATTERN) -> int:
    if isinstance(value, str):
        value = parse_moment(value, pattern)
    elif not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    micros = micros_of(value)
    seconds = abs(micros) // 1_000_000  # towards zero, unlike a cast
    return seconds if micros >= 0 else -seconds


scalar(
    "unix_timestamp",
    exactly(LONG, (STRING, DATE, TIMESTAMP, TIMESTAMP_NTZ), STRING, optional=1),
    _unix_timestamp,
    PURE,
    STRICT,
    PARTIAL,
    aliases=("to_unix_timestamp",),
    spark=(
        "ToUnixTimestamp",
        "UnixTimestamp",
    ),
)
scalar(
    "from_unixtime",
    signature(STRING, LONG, STRING, optional=1),
    lambda n, p=DEFAULT_PATTERN: format_moment(from_micros(n * 1_000_000), p),
    PURE,
    STRICT,
    PARTIAL,
    spark=("FromUnixTime",),
)


def _timestamp_seconds(seconds: int | float | Decimal) -> datetime | None:
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
