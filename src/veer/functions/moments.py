"""Dates and timestamps as values: `datetime.date`, and naive `datetime.datetime` in UTC.

The session time zone of the interpreter is UTC. Python's calendar goes from the year 1 to 9999,
Spark's further: a value outside raises `UnsupportedError`, so that such a run decides nothing.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any, TypeVar

from veer.errors import UnsupportedError

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
    match = _DATE.fullmatch(text.strip(WHITESPACE))
    if match is None:
        return None
    year, month, day = int(match[1]), int(match[2] or 1), int(match[3] or 1)
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
    written = written_timestamp(text, local=local)
    if written is None:
        return None
    shown, offset = written
    return shown if local or offset is None else in_calendar(lambda: shown - offset)


def written_timestamp(
    text: str, *, local: bool = False
) -> tuple[datetime, timedelta | None] | None:
    """What clocks show by a text, and how far they are ahead of UTC if it says so."""
    stripped = text.strip(WHITESPACE)
    match = _TIMESTAMP.fullmatch(stripped)
    if match is None:
        if not local and _TIME_ONLY.fullmatch(stripped):
            raise UnsupportedError("a time without a date, read as of today, is not interpreted")
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
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
        offset = None if zone is None else zone_offset(zone)
    except ValueError:
        return None
    calendar_date(int(year), 1, 1)
    return shown.replace(year=int(year)), offset


def zone_offset(zone: str) -> timedelta:
    """Offset of a zone suffix of a timestamp text."""
    if zone in ("Z", "UTC", "GMT"):
        return timedelta(0)
    if zone[0].isalpha():
        raise UnsupportedError(f"the time zone {zone!r} is not interpreted")
    match = _OFFSET.fullmatch(zone)
    if match is None:
        raise ValueError(zone)
    hours, minutes, seconds = int(match[1]), int(match[2] or match[3] or 0), int(match[4] or 0)
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
    return in_calendar(lambda: EPOCH + timedelta(microseconds=micros))


def in_calendar(make: Callable[[], T]) -> T:
    """A value that is computed, refused where it is outside of Python's calendar."""
    try:
        return make()
    except (OverflowError, ValueError):
        raise UnsupportedError(OUTSIDE) from None


# -- arithmetic ------------------------------------------------------------------------------


def add_days(value: date, days: int) -> date:
    """The date that many days later."""
    return in_calendar(lambda: value + timedelta(days=days))


def add_months(value: Any, months: int) -> Any:
    """The same day of another month, or its last day where that month is shorter."""
    total = value.year * 12 + value.month - 1 + months
    year, month = divmod(total, 12)
    return in_calendar(
        lambda: value.replace(
            year=year, month=month + 1, day=min(value.day, calendar.monthrange(year, month + 1)[1])
        )
    )
