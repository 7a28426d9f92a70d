"""Time zones: their names as Spark takes them, and what clocks showed there.

Java and Python have databases of their own, of different age. Nothing is computed where they may
differ: of zones that are not listed here, before 1970, and after the day from which a zone has rules
that older databases do not know.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from importlib.resources import files
from zoneinfo import ZoneInfo

from veer.errors import UnsupportedError
from veer.functions.moments import in_calendar

UTC_ZONE = "UTC"
# Names of zones that never had another offset than zero.
UTC_NAMES = frozenset(
    {"UTC", "UCT", "GMT", "GMT0", "UT", "Z", "Zulu", "Universal", "Greenwich"}
    | {"Etc/UTC", "Etc/UCT", "Etc/GMT", "Etc/GMT0", "Etc/GMT+0", "Etc/GMT-0", "Etc/Zulu"}
    | {"Etc/Universal", "Etc/Greenwich"}
)
NO_OFFSET = re.compile(r"(UTC|GMT|UT)?[+-](0|00|00:00|0000|00:00:00)")
OFFSET = re.compile(
    r"(?P<prefix>UTC|GMT|UT|)(?P<sign>[+-])"
    r"(?:(?P<h>\d{1,2})|(?P<hh>\d{1,2}):(?P<mm>\d{1,2})|(?P<hhmm>\d{4}))",
    re.ASCII,
)
# Three letters that Java knows as a zone: here a zone of that name, about which nothing is known.
_SHORT = """
    ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT EST HST IET IST JST MIT MST NET NST PLT
    PNT PRT PST SST VST
    """
SHORT_NAMES = frozenset(_SHORT.split())
NOT_IN_JAVA = frozenset({"Factory", "ROC"})
LARGEST_OFFSET = 18 * 60  # minutes
YEARS_OF_CHANGES = (2024, 2018, 2011, 2005)  # most zones had some in one of these years
FIRST = datetime(1970, 1, 1)
LAST = datetime.max
# Zones whose transitions since 1970 are those of Java's database (tests/spark/test_zones.py), and up
# to when: rules that changed lately are not in the databases of all versions of Java.
_KNOWN = """
    Europe/Amsterdam Europe/Athens Europe/Berlin Europe/Brussels Europe/Bucharest
    Europe/Budapest Europe/Copenhagen Europe/Dublin Europe/Helsinki Europe/Istanbul
    Europe/Lisbon Europe/London Europe/Madrid Europe/Moscow Europe/Oslo Europe/Paris
    Europe/Prague Europe/Rome Europe/Stockholm Europe/Vienna Europe/Warsaw Europe/Zurich
    America/New_York America/Chicago America/Denver America/Los_Angeles America/Phoenix
    America/Toronto America/Lima America/Argentina/Buenos_Aires US/Eastern US/Central
    US/Mountain US/Pacific Asia/Kolkata Asia/Calcutta Asia/Shanghai Asia/Tokyo Asia/Singapore
    Asia/Hong_Kong Asia/Seoul Asia/Dubai Asia/Jakarta Asia/Bangkok Australia/Sydney
    Australia/Melbourne Australia/Brisbane Australia/Perth Australia/Adelaide
    Australia/Lord_Howe Pacific/Auckland Pacific/Honolulu Africa/Johannesburg Africa/Lagos
    Africa/Nairobi
    """
KNOWN = dict.fromkeys(_KNOWN.split(), LAST) | {
    "America/Sao_Paulo": datetime(2019, 9, 1),
    "America/Mexico_City": datetime(2022, 9, 1),
    "Pacific/Apia": datetime(2021, 8, 1),
}

# Zones in which no hour that clocks show twice has midnight inside, in all of their history.
DAYS_IN_ORDER = frozenset(KNOWN) - {"America/Phoenix"}


# -- names -----------------------------------------------------------------------------------


def canonical_zone(name: str) -> str:
    """The zone that a value of `spark.sql.session.timeZone` means, by one name.

    Regions keep their names: what Spark writes of a zone's name differs between names of one zone.
    """
    if is_utc_name(name):
        return UTC_ZONE
    if offset := OFFSET.fullmatch(name):
        return _offset_name(name, offset)
    if name not in region_names() and name not in SHORT_NAMES:
        raise UnsupportedError(
            f"the time zone {name!r} is not known; write a region such as Europe/Berlin, or an "
            "offset such as +02:00"
        )
    return name


def is_utc_name(name: str) -> bool:
    """Whether a name is one of UTC."""
    return name in UTC_NAMES or NO_OFFSET.fullmatch(name) is not None


def _offset_name(name: str, offset: re.Match[str]) -> str:
    packed = offset["hhmm"] or ""
    hours = int(offset["h"] or offset["hh"] or packed[:2])
    minutes = int(offset["mm"] or packed[2:] or 0)
    if minutes > 59 or hours * 60 + minutes > LARGEST_OFFSET:
        raise UnsupportedError(f"the time zone {name!r} is none: offsets go up to 18 hours")
    return f"{offset['prefix']}{offset['sign']}{hours:02d}:{minutes:02d}"


@lru_cache(maxsize=1)
def region_names() -> frozenset[str]:
    """All regions there are, by their names."""
    names = (files("tzdata") / "zones").read_text(encoding="utf-8").split()
    return frozenset(names) - NOT_IN_JAVA


# -- clocks ----------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _rules(zone: str) -> tuple[tzinfo, datetime, datetime]:
    """The offsets of a zone, from when and until when they are known for certain."""
    if offset := OFFSET.fullmatch(zone):
        size = timedelta(hours=int(offset["hh"]), minutes=int(offset["mm"]))
        return timezone(-size if offset["sign"] == "-" else size), datetime.min, datetime.max
    if zone == UTC_ZONE:
        return UTC, datetime.min, datetime.max
    if zone not in KNOWN:
        raise UnsupportedError(f"what clocks show in the time zone {zone} is not interpreted")
    # The database of the package, not of the machine: the same wherever Veer runs.
    with files("tzdata.zoneinfo").joinpath(*zone.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=zone), FIRST, KNOWN[zone]


def _known(zone: str, moment: datetime) -> tzinfo:
    """The offsets of a zone, if they are known around a moment."""
    offsets, first, last = _rules(zone)
    near = timedelta(days=2)
    if first != datetime.min and moment < first + near:
        raise UnsupportedError(f"what clocks showed in {zone} before 1970 is not interpreted")
    if last != datetime.max and moment > last - near:
        raise UnsupportedError(
            f"what clocks show in {zone} from {last:%Y-%m} on is not interpreted"
        )
    return offsets


def wall_clock(instant: datetime, zone: str) -> datetime:
    """What clocks show in a zone at an instant."""
    offsets = _known(zone, instant)
    shown = in_calendar(lambda: instant.replace(tzinfo=UTC).astimezone(offsets))
    return shown.replace(tzinfo=None, fold=0)


def instant_of(shown: datetime, zone: str, preferred: timedelta | None = None) -> datetime:
    """The instant at which clocks show this, as Java's `LocalDateTime.atZone` tells.

    Of two the earlier one, unless the other has the preferred offset; a time that is left out is
    moved by as much as is left out.
    """
    offsets = _known(zone, shown)
    before, after = (shown.replace(fold=fold, tzinfo=offsets).utcoffset() for fold in (0, 1))
    assert before is not None and after is not None
    is_twice = after < before
    return in_calendar(lambda: shown - (after if is_twice and preferred == after else before))


def offset_at(instant: datetime, zone: str) -> timedelta:
    """What clocks in a zone are ahead of UTC at an instant."""
    return wall_clock(instant, zone) - instant


def start_of_day(day: date, zone: str) -> datetime:
    """The first instant of a day in a zone, as Java's `LocalDate.atStartOfDay` tells."""
    midnight = datetime(day.year, day.month, day.day)
    offsets = _known(zone, midnight)
    before, after = (midnight.replace(fold=fold, tzinfo=offsets).utcoffset() for fold in (0, 1))
    assert before is not None and after is not None
    if after <= before:
        return instant_of(midnight, zone)
    # Midnight is left out: the day begins with the transition, which is between these two.
    return _change_between(midnight - after, midnight - before, zone)


def _change_between(early: datetime, late: datetime, zone: str) -> datetime:
    """The first instant whose offset differs from that before; `late` has another offset."""
    before = offset_at(early - timedelta(seconds=1), zone)
    if offset_at(early, zone) != before:
        return early
    while late - early > timedelta(seconds=1):
        middle = early + timedelta(seconds=(late - early) // timedelta(seconds=1) // 2)
        if offset_at(middle, zone) == before:
            early = middle
        else:
            late = middle
    return late


@lru_cache(maxsize=64)
def changes_of(zone: str) -> tuple[datetime, ...]:
    """Instants at which clocks change in a zone, those of one year; none where nothing is known."""
    for year in YEARS_OF_CHANGES:
        days = [datetime(year, 1, 1, 12) + timedelta(days=n) for n in range(365)]
        try:
            offsets = [offset_at(day, zone) for day in days]
        except UnsupportedError:
            continue
        pairs = zip(days, days[1:], offsets, offsets[1:], strict=False)
        changes = tuple(_change_between(a, b, zone) for a, b, x, y in pairs if x != y)
        if changes:
            return changes
    return ()


def fixed_offset(zone: str) -> timedelta | None:
    """What clocks are ahead of UTC in a zone that is an offset; None of other zones."""
    if zone != UTC_ZONE and (OFFSET.fullmatch(zone) is None or ":" not in zone):
        return None
    return offset_at(FIRST, zone)


def is_computed(zone: str) -> bool:
    """Whether anything is known of what clocks show in a zone."""
    return zone in KNOWN or fixed_offset(zone) is not None
