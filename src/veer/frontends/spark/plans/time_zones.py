"""Time zones of sessions: the names of UTC, and what does not ask for the zone at all."""

from __future__ import annotations

import json
import re

from veer.model.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    MapType,
    NullType,
    NumericType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
)

# Zones of Java that never had another offset than zero.
NAMES = frozenset(
    {"UTC", "UCT", "GMT", "GMT0", "UT", "Z", "Zulu", "Universal", "Greenwich"}
    | {"Etc/UTC", "Etc/UCT", "Etc/GMT", "Etc/GMT0", "Etc/GMT+0", "Etc/GMT-0", "Etc/Zulu"}
    | {"Etc/Universal", "Etc/Greenwich"}
)
NO_OFFSET = re.compile(r"(UTC|GMT|UT)?[+-](0|00|00:00|0000|00:00:00)")
# Types whose values mean the same in every zone, whichever of them they are cast to.
ZONELESS = (NullType, BooleanType, NumericType, BinaryType, DateType, TimestampNtzType)


def is_utc(zone: str | None) -> bool:
    """Whether a zone, as plans tell it, is UTC by one of its names; None if there is none."""
    if zone is not None and zone.startswith("["):
        some, *rest = json.loads(zone)
        zone = str(rest[0]) if some == "Some" and rest else ""
    return zone is None or zone in NAMES or NO_OFFSET.fullmatch(zone) is not None


def is_zoneless(source: DataType, wanted: DataType) -> bool:
    """Whether a cast means the same in every time zone."""
    match source, wanted:
        case ArrayType(inner), ArrayType(outer):
            return is_zoneless(inner, outer)
        case MapType(key, value), MapType(wanted_key, wanted_value):
            return is_zoneless(key, wanted_key) and is_zoneless(value, wanted_value)
        case StructType(fields), StructType(others) if len(fields) == len(others):
            pairs = zip(fields, others, strict=True)
            return all(is_zoneless(one, two) for (_, one), (_, two) in pairs)
        case (NumericType(), TimestampType()) | (TimestampType(), NumericType()):
            return True  # seconds since 1970
        case (StringType(), other) | (other, StringType()):
            return isinstance(other, (StringType, *ZONELESS))
        case _:
            return isinstance(source, ZONELESS) and isinstance(wanted, ZONELESS)
