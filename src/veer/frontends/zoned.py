"""Expressions of a session in another time zone than UTC, written so that they say the zone.

    hour(ts)              =>   hour(zoned.wall_clock(ts, 'Europe/Berlin'))
    CAST(ts AS DATE)      =>   CAST(zoned.wall_clock(ts, 'Europe/Berlin') AS DATE)
    date_trunc('DAY', ts) =>   zoned.date_trunc('DAY', ts, 'Europe/Berlin')

What does not ask for the zone stays as it is, and in UTC everything does: two versions in two zones
differ by what depends on the zone, and by nothing else. A function of timestamps of which nobody
said whether it asks for the zone is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from veer.errors import UnsupportedError
from veer.expressions.constant_folding import computed
from veer.functions.cast_modes import legacy_cast_mode
from veer.functions.dates import unit_of
from veer.functions.moment_patterns import pattern_parts
from veer.functions.registry import Failure, any_function
from veer.functions.zones import (
    INSTANT,
    PREFIX,
    READ,
    READ_BY_PATTERN,
    START_OF_DAY,
    TRY_READ,
    WALL_CLOCK,
    WITHIN_SECOND,
    read_timestamp,
)
from veer.model.expr import Call, Cast, Expr, Frame, Literal, SortKey
from veer.model.types import (
    DATE,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    BinaryType,
    BooleanType,
    CastMode,
    DataType,
    DateType,
    DayTimeIntervalType,
    MapType,
    NullType,
    NumericType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    YearMonthIntervalType,
)

# Types whose values mean the same in every zone, whichever of them they are cast to.
ZONELESS = (NullType, BooleanType, NumericType, BinaryType, DateType, TimestampNtzType)
ZONELESS_TEXT = (*ZONELESS, StringType, DayTimeIntervalType, YearMonthIntervalType)
SECONDS = (NumericType, BooleanType)  # timestamps are seconds since 1970 to them
# Functions that hand timestamps on or compare them, and look no further.
SAME = frozenset(
    [
        "array",
        "array_contains",
        "array_distinct",
        "array_max",
        "array_min",
        "array_size",
        "array_sort",
        "coalesce",
        "concat",
        "current_timestamp",
        "element_at",
        "greatest",
        "item",
        "least",
        "map",
        "map_contains_key",
        "map_keys",
        "map_values",
        "named_struct",
        "reverse",
        "size",
        "slice",
        "sort_array",
        "timestamp_seconds",
        "python.raise",
        "legacy.element_at",
        "legacy.item",
        "legacy.size",
        "older.array_distinct",
    ]
)
SAME_AGGREGATES = frozenset(
    [
        "collect_list",
        "collect_set",
        "count",
        "first",
        "lag",
        "last",
        "lead",
        "max",
        "max_by",
        "min",
        "min_by",
        "mode",
        "nth_value",
    ]
)
PERIODS = frozenset({"week", "month", "quarter", "year"})
CLOCK_PARTS = frozenset({"hour", "minute", "second"})
TO_DATE = "to_date_by"


# -- types -----------------------------------------------------------------------------------


def holds_timestamps(type_: DataType) -> bool:
    """Whether there are instants in values of a type."""
    match type_:
        case TimestampType():
            return True
        case ArrayType(element):
            return holds_timestamps(element)
        case MapType(key, value):
            return holds_timestamps(key) or holds_timestamps(value)
        case StructType(fields):
            return any(holds_timestamps(inner) for _, inner in fields)
        case _:
            return False


def is_zoneless(source: DataType, wanted: DataType) -> bool:
    """Whether a cast means the same in every time zone."""
    match source, wanted:
        case _ if source == wanted:
            return True
        case ArrayType(inner), ArrayType(outer):
            return is_zoneless(inner, outer)
        case MapType(key, value), MapType(wanted_key, wanted_value):
            return is_zoneless(key, wanted_key) and is_zoneless(value, wanted_value)
        case StructType(fields), StructType(others) if len(fields) == len(others):
            pairs = zip(fields, others, strict=True)
            return all(is_zoneless(one, two) for (_, one), (_, two) in pairs)
        case ArrayType(inner), StringType():
            return is_zoneless(inner, STRING)
        case MapType(key, value), StringType():
            return is_zoneless(key, STRING) and is_zoneless(value, STRING)
        case StructType(fields), StringType():
            return all(is_zoneless(inner, STRING) for _, inner in fields)
        case (NullType(), TimestampType()) | (TimestampType(), NullType()):
            return True
        case TimestampType(), other:
            return isinstance(other, SECONDS)
        case other, TimestampType():
            return isinstance(other, SECONDS)
        case _:
            return isinstance(source, ZONELESS_TEXT) and isinstance(wanted, ZONELESS_TEXT)


# -- casts -----------------------------------------------------------------------------------


def zoned_cast(expr: Expr, type_: DataType, mode: CastMode, zone: str) -> Expr:
    """A cast that asks for the zone."""
    match expr.type, type_:
        case TimestampType(), DateType() | StringType():
            return Cast(wall_clock(expr, zone), type_, _mode(TIMESTAMP_NTZ, type_, mode))
        case TimestampType(), TimestampNtzType():
            return wall_clock(expr, zone)
        case TimestampNtzType(), TimestampType():
            return _zoned(INSTANT, (expr,), TIMESTAMP, zone)
        case DateType(), TimestampType():
            return _zoned(START_OF_DAY, (expr,), TIMESTAMP, zone)
        case StringType(), TimestampType():
            constant = constant_timestamp(expr, zone)
            reading = READ if mode is CastMode.ANSI else TRY_READ
            return constant or _zoned(reading, (expr,), TIMESTAMP, zone)
        case _:
            raise UnsupportedError(f"a cast from {expr.type} to {type_} in the time zone {zone}")


def _mode(given: DataType, target: DataType, mode: CastMode) -> CastMode:
    """How a cast of what clocks show is written: as the same cast is without time zones."""
    return legacy_cast_mode(given, target) if mode is CastMode.LEGACY else mode


def constant_timestamp(expr: Expr, zone: str) -> Literal | None:
    """The timestamp that a constant text is in a zone, where that is certain."""
    if not isinstance(expr, Literal) or not isinstance(expr.value, str):
        return None
    try:
        return Literal(read_timestamp(expr.value, zone), TIMESTAMP)
    except (Failure, UnsupportedError):
        return None


def wall_clock(expr: Expr, zone: str) -> Expr:
    """What clocks show in a zone at a timestamp."""
    return _zoned(WALL_CLOCK, (expr,), TIMESTAMP_NTZ, zone)


def _zoned(function: str, args: Sequence[Expr], type_: DataType, zone: str) -> Call:
    return Call(function, (*args, Literal(zone, STRING)), type_)


# -- calls -----------------------------------------------------------------------------------


def zoned_call(call: Call, zone: str) -> Expr:
    """What a call means in a session of the zone; refused where nobody said what it means."""
    name, args, type_ = call.function, call.args, call.type
    first = args[0].type if args else None
    plain = name.rpartition("checked_")[2].removeprefix("legacy.")
    if name in CLOCK_PARTS:
        return replace(call, args=(_shown(args[0], zone),))
    if name == "subtract_moments":
        return replace(call, args=tuple(_shown(a, zone) for a in args))
    if name == "add_interval":
        return _later(call, zone) if first == TIMESTAMP else call
    if name == "date_trunc":
        return _date_trunc(call, zone)
    if name == "date_format":
        return _date_format(call, zone)
    if name in ("months_between", "from_unixtime"):
        return _added(PREFIX + name, call, zone)
    if name == "current_date":
        return Cast(wall_clock(Call("current_timestamp", (), TIMESTAMP), zone), DATE)
    if plain == TO_DATE:
        reading = PREFIX + name.replace(TO_DATE, "to_timestamp_by")
        return Cast(wall_clock(_zoned(reading, args, TIMESTAMP, zone), zone), DATE)
    if name in READ_BY_PATTERN and first == STRING:
        return _added(PREFIX + name, call, zone)
    if plain == "unix_timestamp":
        moment = args[0]
        if first == DATE:
            moment = zoned_cast(moment, TIMESTAMP, CastMode.ANSI, zone)
        return replace(call, args=(moment, *args[1:]))
    require_classified(name, (type_, *(a.type for a in args)), SAME, zone)
    return call


def _later(call: Call, zone: str) -> Expr:
    """A timestamp plus an interval: less than a day is a length of time, the same in all zones."""
    moment, interval = call.args[0], computed(call.args[1])  # `- INTERVAL 1 HOUR` is a constant
    if not isinstance(interval, Literal) or interval.value is None:
        return _added(PREFIX + call.function, call, zone)
    if isinstance(interval.type, DayTimeIntervalType):
        if abs(interval.value) < timedelta(days=1):
            return replace(call, args=(moment, interval))
        # 24 hours are a day, which is written in one way.
        interval = Literal(interval.value, DayTimeIntervalType("day", "second"))
    return _zoned(PREFIX + call.function, (moment, interval), call.type, zone)


def _added(function: str, call: Call, zone: str) -> Call:
    return _zoned(function, call.args, call.type, zone)


def _shown(moment: Expr, zone: str) -> Expr:
    return wall_clock(moment, zone) if moment.type == TIMESTAMP else moment


def _date_trunc(call: Call, zone: str) -> Expr:
    """Weeks and longer begin with their first day, as Spark has it; hours and days do not."""
    unit, moment = call.args
    value = unit.value if isinstance(unit, Literal) else None
    name = unit_of("date_trunc", value) if isinstance(value, str) else None
    if name in WITHIN_SECOND:
        return call
    if name in PERIODS:
        day = Cast(wall_clock(moment, zone), DATE)
        first = Call("trunc", (day, Literal(name, STRING)), DATE)
        return _zoned(START_OF_DAY, (first,), TIMESTAMP, zone)
    return _added(PREFIX + call.function, call, zone)


def _date_format(call: Call, zone: str) -> Expr:
    """Written as clocks show it; patterns that may ask for the zone itself are left alone."""
    moment, pattern = call.args
    if moment.type == TIMESTAMP_NTZ:  # Spark makes it an instant first
        moment = zoned_cast(moment, TIMESTAMP, CastMode.ANSI, zone)
    if _is_plain_pattern(pattern):
        return replace(call, args=(wall_clock(moment, zone), pattern))
    return _zoned(PREFIX + call.function, (moment, pattern), call.type, zone)


def _is_plain_pattern(pattern: Expr) -> bool:
    if not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
        return False
    try:
        pattern_parts(pattern.value)
    except UnsupportedError:
        return False
    return True


def require_classified(
    name: str, types: Sequence[DataType], known: frozenset[str], zone: str
) -> None:
    """Refuse a function of timestamps of which nobody said that it does not ask for the zone."""
    function = any_function(name)
    keeps = function is not None and function.keeps_values
    if any(map(holds_timestamps, types)) and not keeps and name not in known:
        raise UnsupportedError(f"{name} of timestamps in the time zone {zone}")


def require_zoneless_frame(order: Sequence[SortKey], frame: Frame | None, zone: str) -> None:
    """Refuse a window that reaches so many days or hours back, which are not equally long."""
    reaches = frame is not None and frame.unit == "range" and not _is_open(frame)
    if reaches and any(holds_timestamps(key.expr.type) for key in order):
        raise UnsupportedError(f"a window over a range of time in the time zone {zone}")


def _is_open(frame: Frame) -> bool:
    return {frame.start, frame.end} <= {None, 0}
