"""Functions that depend on the session's time zone, where it is not UTC: the zone is the last argument.

A front end writes `hour(ts)` as `hour(zoned.wall_clock(ts, 'Europe/Berlin'))`: what clocks show is a
timestamp without zone, for which all functions are known. What cannot be written that way is a
function of its own. None of them has laws: equal arguments give equal values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from veer.errors import IllFormedError
from veer.functions.dates import date_trunc, months_between, unit_of
from veer.functions.moment_patterns import DEFAULT_PATTERN, format_moment, whole_seconds
from veer.functions.moments import add_months, from_micros, in_calendar, written_timestamp
from veer.functions.registry import (
    PARTIAL,
    PROPAGATE,
    PURE,
    SCALAR,
    SETTLED,
    STRICT,
    TOTAL,
    TYPED,
    Argument,
    Failure,
    Resolved,
    Rule,
    Trait,
    scalar,
)
from veer.functions.traits import Called, Converted, Infix, InZone, ZoneUse
from veer.functions.typing import exactly, signature
from veer.functions.zone_rules import instant_of, offset_at, start_of_day, wall_clock
from veer.ir import types as ty

PREFIX = "zoned."
WALL_CLOCK = "zoned.wall_clock"
INSTANT = "zoned.instant"
START_OF_DAY = "zoned.start_of_day"
READ = "zoned.timestamp"
TRY_READ = "zoned.try_timestamp"
WITHIN_SECOND = ("second", "millisecond", "microsecond")  # units that are the same in all zones


def is_zoned(name: str) -> bool:
    """Whether a function is one of a time zone, which is its last argument."""
    return name.startswith(PREFIX)


def read_timestamp(text: str, zone: str) -> datetime:
    """What `CAST(text AS TIMESTAMP)` reads in a zone, which the text itself may name."""
    written = written_timestamp(text)
    if written is None:
        raise Failure("CAST_INVALID_INPUT")
    shown, offset = written
    if offset is None:
        return instant_of(shown, zone)
    return in_calendar(lambda: shown - offset)


def _try_read_timestamp(text: str, zone: str) -> datetime | None:
    try:
        return read_timestamp(text, zone)
    except Failure:
        return None


def _truncated(unit: str, instant: datetime, zone: str) -> datetime | None:
    """Hours and days keep the offset they can; weeks and longer begin as their first day does."""
    known = unit_of("date_trunc", unit)
    if known is None or known in WITHIN_SECOND:
        return date_trunc(unit, instant)
    beginning = date_trunc(unit, wall_clock(instant, zone))
    assert beginning is not None
    if known in ("minute", "hour", "day"):
        return instant_of(beginning, zone, offset_at(instant, zone))
    return start_of_day(beginning.date(), zone)


def _later(types: Sequence[ty.DataType], _result: ty.DataType) -> Callable[..., Any]:
    """Months and days move what clocks show, the rest of an interval is a length of time."""
    if isinstance(types[1], ty.YearMonthIntervalType):
        return lambda instant, months, zone: _moved(
            instant, zone, lambda shown: add_months(shown, months)
        )

    def later(instant: datetime, delta: timedelta, zone: str) -> datetime:
        days = abs(delta) // timedelta(days=1) * (1 if delta >= timedelta(0) else -1)
        rest = delta - timedelta(days=days)
        moved = instant
        if days:
            moved = _moved(instant, zone, lambda shown: shown + timedelta(days=days))
        return in_calendar(lambda: moved + rest)

    return later


def _moved(instant: datetime, zone: str, move: Callable[[datetime], datetime]) -> datetime:
    shown = wall_clock(instant, zone)
    return instant_of(in_calendar(lambda: move(shown)), zone, shown - instant)


def _months_between(a: datetime, b: datetime, *rest: Any) -> float:
    """As in UTC, of the days in the zone; what passed of a day is counted in seconds that passed."""
    *flags, zone = rest
    first, second = (wall_clock(moment, zone).date() for moment in (a, b))
    passed = _seconds_of_day(a, first, zone), _seconds_of_day(b, second, zone)
    return months_between(first, second, passed, flags[0] if flags else True)


def _seconds_of_day(instant: datetime, day: date, zone: str) -> int:
    return (instant - start_of_day(day, zone)) // timedelta(seconds=1)


def _formatted(instant: datetime, pattern: str, zone: str) -> str:
    return format_moment(wall_clock(instant, zone), pattern)


def _from_unixtime(seconds: int, *rest: str) -> str:
    *patterns, zone = rest
    pattern = patterns[0] if patterns else DEFAULT_PATTERN
    return _formatted(from_micros(seconds * 1_000_000), pattern, zone)


def _read_by_pattern(name: str) -> Callable[..., Any]:
    """Read what clocks show as in UTC, then the instant at which they show it."""
    base = name.rpartition("unix_timestamp")[0] + "to_timestamp_by"
    read = SCALAR[name if name.endswith("to_timestamp_by") else base].meaning((), ty.TIMESTAMP)

    def instant(text: str, *rest: str) -> Any:
        *patterns, zone = rest
        shown = read(text, patterns[0] if patterns else DEFAULT_PATTERN)
        if shown is None:
            return None
        moment = instant_of(shown, zone)
        return moment if name.endswith("to_timestamp_by") else whole_seconds(moment)

    return instant


def _with_zone(rule: Rule) -> Rule:
    """The rule of a function with a zone behind its arguments."""

    def zoned(args: Sequence[Argument]) -> Resolved:
        if not args or args[-1].type != ty.STRING:
            raise IllFormedError("the last argument is the time zone")
        resolved = rule(args[:-1])
        return Resolved((*resolved.arguments, ty.STRING), resolved.result)

    return zoned


def _zoned(name: str, meaning: Callable[..., Any], *traits: Trait) -> None:
    """Register the version of a function that means the same but for the zone."""
    base = SCALAR[name]
    assert isinstance(base.sql, Called | Infix)
    scalar(f"{PREFIX}{name}", "", _with_zone(base.rule), meaning)(
        (PURE, base.nulls, base.domain, InZone(base.sql), base.evaluation, base.folding, *traits)
    )


def register() -> None:
    """Register the functions of time zones; those of UTC must be there."""
    for name, result, given, meaning in (
        (WALL_CLOCK, ty.TIMESTAMP_NTZ, ty.TIMESTAMP, wall_clock),
        (INSTANT, ty.TIMESTAMP, ty.TIMESTAMP_NTZ, lambda shown, zone: instant_of(shown, zone)),
        (START_OF_DAY, ty.TIMESTAMP, ty.DATE, start_of_day),
    ):
        scalar(name, "", exactly(result, given, ty.STRING), meaning)(
            PURE, STRICT, TOTAL, SETTLED, InZone(Converted(str(result)))
        )
    rule = signature(ty.TIMESTAMP, ty.STRING, ty.STRING)
    scalar(READ, "", rule, read_timestamp)(
        PURE, STRICT, PARTIAL, SETTLED, InZone(Converted("timestamp"))
    )
    scalar(TRY_READ, "", rule, _try_read_timestamp)(
        PURE, PROPAGATE, TOTAL, InZone(Converted("timestamp", "TRY_CAST"))
    )
    _zoned("date_trunc", _truncated)
    _zoned("add_interval", _later, TYPED)
    _zoned("months_between", _months_between)
    _zoned("date_format", _formatted)
    _zoned("from_unixtime", _from_unixtime)
    for name in [f.name for f in SCALAR.values() if f.zone is ZoneUse.READ]:
        _zoned(name, _read_by_pattern(name))
