"""What is known of what clocks show in a time zone, for all instants: days begin in order.

    ts >= TIMESTAMP '2024-05-31 22:00:00' UTC   <=>   in Berlin, the date of ts is from 2024-06-01 on

It holds where no hour that clocks show twice has midnight inside, which is so in the zones of
`DAYS_IN_ORDER` in all of their history. In a zone of one offset, clocks are that much ahead.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from typing import Any, final

import z3

from veer.errors import UnsupportedError
from veer.functions.zone_rules import DAYS_IN_ORDER, fixed_offset, start_of_day, wall_clock

EPOCH = dt.datetime(1970, 1, 1)
MICROSECOND = dt.timedelta(microseconds=1)
DAY = dt.timedelta(days=1)


@final
class WallClocks:
    """The instants in one question of which is asked what clocks show, and what that is."""

    def __init__(self, context: z3.Context) -> None:
        self._context = context
        self._noted: dict[tuple[str, int], tuple[Any, Any]] = {}  # instants and what is shown
        self._begun: dict[tuple[str, int], tuple[Any, Any]] = {}  # days and when they begin

    def note(self, zone: str, instant: Any, shown: Any) -> None:
        """Take in what clocks of a zone show at an instant, both as terms."""
        self._noted[zone, instant.get_id()] = (instant, shown)

    def note_day(self, zone: str, day: Any, begin: Any) -> None:
        """Take in when a day begins in a zone, both as terms."""
        self._begun[zone, day.get_id()] = (day, begin)

    def axioms(self, instants: Iterable[dt.datetime], days: Iterable[dt.date]) -> Iterator[Any]:
        """What is known of them beside these constants."""
        constants, dates = sorted(instants), sorted(days)
        for (zone, _), (instant, shown) in self._noted.items():
            offset = fixed_offset(zone)
            if offset is not None:
                yield shown == instant + offset // MICROSECOND
            elif zone in DAYS_IN_ORDER:
                for day, begin in sorted(_beginnings(zone, constants, dates)):
                    midnight = dt.datetime(day.year, day.month, day.day)
                    yield (instant >= self._micros(begin)) == (shown >= self._micros(midnight))

        for (zone, _), (day, begin) in self._begun.items():
            offset = fixed_offset(zone)
            if offset is not None:
                midnight = (day - EPOCH.toordinal()) * (DAY // MICROSECOND)
                yield begin == midnight - offset // MICROSECOND
            for known, instant in sorted(_beginnings(zone, constants, dates)):
                if zone in DAYS_IN_ORDER and _is_distinct(known, instant, zone):
                    yield (begin >= self._micros(instant)) == (day >= known.toordinal())
                    yield (begin > self._micros(instant)) == (day > known.toordinal())

    def _micros(self, moment: dt.datetime) -> Any:
        return z3.IntVal((moment - EPOCH) // MICROSECOND, self._context)


def _is_distinct(day: dt.date, begin: dt.datetime, zone: str) -> bool:
    """Whether the days around a day begin earlier and later: none of them is left out."""
    try:
        return start_of_day(day - DAY, zone) < begin < start_of_day(day + DAY, zone)
    except (UnsupportedError, OverflowError):
        return False


def _beginnings(
    zone: str, instants: Iterable[dt.datetime], days: Iterable[dt.date]
) -> set[tuple[dt.date, dt.datetime]]:
    """Days with the instants at which they begin: those named, and those that begin at constants."""
    found = set()
    for instant in instants:
        try:
            day = wall_clock(instant, zone).date()
            if start_of_day(day, zone) == instant:
                found.add((day, instant))
        except UnsupportedError:
            continue
    for day in (d for named in days if named < dt.date.max for d in (named, named + DAY)):
        try:
            found.add((day, start_of_day(day, zone)))
        except UnsupportedError:
            continue
    return found
