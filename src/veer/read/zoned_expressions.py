"""Expressions of a session in another time zone than UTC, written so that they say the zone.

    hour(ts)              =>   hour(zoned.wall_clock(ts, 'Europe/Berlin'))
    CAST(ts AS DATE)      =>   CAST(zoned.wall_clock(ts, 'Europe/Berlin') AS DATE)
    date_trunc('DAY', ts) =>   zoned.date_trunc('DAY', ts, 'Europe/Berlin')

What does not ask for the zone stays as it is, and in UTC everything does: two versions in two zones
differ by what depends on the zone, and by nothing else. A function of timestamps that is not known
to be the same in every zone is refused.

Spark SQL does not say in which zone it is, the session does: `questions_of_zone`. The zone is a part
of files and writes, too: CSV and JSON have timestamps as text, and so have folders named after
values; a table puts values into types of its own. Declared tables hold timestamps as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from veer.errors import UnsupportedError
from veer.expressions.constant_folding import computed
from veer.functions import zones
from veer.functions.casts import legacy_cast_mode
from veer.functions.dates import unit_of
from veer.functions.moment_patterns import pattern_parts
from veer.functions.registry import Failure, any_function
from veer.functions.traits import ZoneUse
from veer.functions.zone_rules import UTC_ZONE
from veer.ir import expr as ex, ops, types as ty
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema
from veer.ir.sources import map_sources, sources_of
from veer.ir.walk import operator_exprs, parts, subqueries
from veer.ir.writes import AnyWrite, Change, Insert
from veer.settings import ZONE

# Types whose values mean the same in every zone, whichever of them they are cast to.
ZONELESS = (
    ty.NullType,
    ty.BooleanType,
    ty.NumericType,
    ty.BinaryType,
    ty.DateType,
    ty.TimestampNtzType,
)
ZONELESS_TEXT = (*ZONELESS, ty.StringType, ty.DayTimeIntervalType, ty.YearMonthIntervalType)
SECONDS = (ty.NumericType, ty.BooleanType)  # timestamps are seconds since 1970 to them
PERIODS = frozenset({"week", "month", "quarter", "year"})
TO_DATE = "to_date_by"


# -- types -----------------------------------------------------------------------------------


def holds_timestamps(type_: ty.DataType) -> bool:
    """Whether there are instants in values of a type."""
    match type_:
        case ty.TimestampType():
            return True
        case ty.ArrayType(element):
            return holds_timestamps(element)
        case ty.MapType(key, value):
            return holds_timestamps(key) or holds_timestamps(value)
        case ty.StructType(fields):
            return any(holds_timestamps(inner) for _, inner in fields)
        case _:
            return False


def is_zoneless(source: ty.DataType, wanted: ty.DataType) -> bool:
    """Whether a cast means the same in every time zone."""
    match source, wanted:
        case _ if source == wanted:
            return True
        case ty.ArrayType(inner), ty.ArrayType(outer):
            return is_zoneless(inner, outer)
        case ty.MapType(key, value), ty.MapType(wanted_key, wanted_value):
            return is_zoneless(key, wanted_key) and is_zoneless(value, wanted_value)
        case ty.StructType(fields), ty.StructType(others) if len(fields) == len(others):
            pairs = zip(fields, others, strict=True)
            return all(is_zoneless(one, two) for (_, one), (_, two) in pairs)
        case ty.ArrayType(inner), ty.StringType():
            return is_zoneless(inner, ty.STRING)
        case ty.MapType(key, value), ty.StringType():
            return is_zoneless(key, ty.STRING) and is_zoneless(value, ty.STRING)
        case ty.StructType(fields), ty.StringType():
            return all(is_zoneless(inner, ty.STRING) for _, inner in fields)
        case (ty.NullType(), ty.TimestampType()) | (ty.TimestampType(), ty.NullType()):
            return True
        case ty.TimestampType(), other:
            return isinstance(other, SECONDS)
        case other, ty.TimestampType():
            return isinstance(other, SECONDS)
        case _:
            return isinstance(source, ZONELESS_TEXT) and isinstance(wanted, ZONELESS_TEXT)


# -- casts -----------------------------------------------------------------------------------


def zoned_cast(expr: ex.Expr, type_: ty.DataType, mode: ty.CastMode, zone: str) -> ex.Expr:
    """A cast that asks for the zone."""
    match expr.type, type_:
        case ty.TimestampType(), ty.DateType() | ty.StringType():
            return ex.Cast(wall_clock(expr, zone), type_, _mode(ty.TIMESTAMP_NTZ, type_, mode))
        case ty.TimestampType(), ty.TimestampNtzType():
            return wall_clock(expr, zone)
        case ty.TimestampNtzType(), ty.TimestampType():
            return _zoned(zones.INSTANT, (expr,), ty.TIMESTAMP, zone)
        case ty.DateType(), ty.TimestampType():
            return _zoned(zones.START_OF_DAY, (expr,), ty.TIMESTAMP, zone)
        case ty.StringType(), ty.TimestampType():
            constant = constant_timestamp(expr, zone)
            reading = zones.READ if mode is ty.CastMode.ANSI else zones.TRY_READ
            return constant or _zoned(reading, (expr,), ty.TIMESTAMP, zone)
        case _:
            raise UnsupportedError(f"a cast from {expr.type} to {type_} in the time zone {zone}")


def _mode(given: ty.DataType, target: ty.DataType, mode: ty.CastMode) -> ty.CastMode:
    """How a cast of what clocks show is written: as the same cast is without time zones."""
    return legacy_cast_mode(given, target) if mode is ty.CastMode.LEGACY else mode


def constant_timestamp(expr: ex.Expr, zone: str) -> ex.Literal | None:
    """The timestamp that a constant text is in a zone, where that is certain."""
    if not isinstance(expr, ex.Literal) or not isinstance(expr.value, str):
        return None
    try:
        return ex.Literal(zones.read_timestamp(expr.value, zone), ty.TIMESTAMP)
    except (Failure, UnsupportedError):
        return None


def wall_clock(expr: ex.Expr, zone: str) -> ex.Expr:
    """What clocks show in a zone at a timestamp."""
    return _zoned(zones.WALL_CLOCK, (expr,), ty.TIMESTAMP_NTZ, zone)


def _zoned(function: str, args: Sequence[ex.Expr], type_: ty.DataType, zone: str) -> ex.Call:
    return ex.Call(function, (*args, ex.Literal(zone, ty.STRING)), type_)


# -- calls -----------------------------------------------------------------------------------


def zoned_call(call: ex.Call, zone: str) -> ex.Expr:
    """The meaning of a call in a session of the zone; refused if it is not known."""
    name, args, type_ = call.function, call.args, call.type
    first = args[0].type if args else None
    function = any_function(name)
    use = function.zone if function is not None else None
    if use is ZoneUse.SHOWN:
        return replace(call, args=tuple(_shown(a, zone) for a in args))
    if use is ZoneUse.ARGUMENT or (use is ZoneUse.READ and first == ty.STRING):
        return _added(zones.PREFIX + name, call, zone)
    if use is ZoneUse.READ:
        moment = (
            zoned_cast(args[0], ty.TIMESTAMP, ty.CastMode.ANSI, zone)
            if first == ty.DATE
            else args[0]
        )
        return replace(call, args=(moment, *args[1:]))
    if name == "add_interval":
        return _later(call, zone) if first == ty.TIMESTAMP else call
    if name == "date_trunc":
        return _date_trunc(call, zone)
    if name == "date_format":
        return _date_format(call, zone)
    if name == "current_date":
        return ex.Cast(wall_clock(ex.Call("current_timestamp", (), ty.TIMESTAMP), zone), ty.DATE)
    if name.endswith(TO_DATE):  # in every mode of reading
        reading = zones.PREFIX + name.replace(TO_DATE, "to_timestamp_by")
        return ex.Cast(wall_clock(_zoned(reading, args, ty.TIMESTAMP, zone), zone), ty.DATE)
    require_zoneless(name, (type_, *(a.type for a in args)), zone)
    return call


def _later(call: ex.Call, zone: str) -> ex.Expr:
    """A timestamp plus an interval: less than a day is a length of time, the same in all zones."""
    moment, interval = call.args[0], computed(call.args[1])  # `- INTERVAL 1 HOUR` is a constant
    if not isinstance(interval, ex.Literal) or interval.value is None:
        return _added(zones.PREFIX + call.function, call, zone)
    if isinstance(interval.type, ty.DayTimeIntervalType):
        if abs(interval.value) < timedelta(days=1):
            return replace(call, args=(moment, interval))
        # 24 hours are a day, which is written in one way.
        interval = ex.Literal(interval.value, ty.DayTimeIntervalType("day", "second"))
    return _zoned(zones.PREFIX + call.function, (moment, interval), call.type, zone)


def _added(function: str, call: ex.Call, zone: str) -> ex.Call:
    return _zoned(function, call.args, call.type, zone)


def _shown(moment: ex.Expr, zone: str) -> ex.Expr:
    return wall_clock(moment, zone) if moment.type == ty.TIMESTAMP else moment


def _date_trunc(call: ex.Call, zone: str) -> ex.Expr:
    """Weeks and longer begin with their first day, as Spark has it; hours and days do not."""
    unit, moment = call.args
    value = unit.value if isinstance(unit, ex.Literal) else None
    name = unit_of("date_trunc", value) if isinstance(value, str) else None
    if name in zones.WITHIN_SECOND:
        return call
    if name in PERIODS:
        day = ex.Cast(wall_clock(moment, zone), ty.DATE)
        first = ex.Call("trunc", (day, ex.Literal(name, ty.STRING)), ty.DATE)
        return _zoned(zones.START_OF_DAY, (first,), ty.TIMESTAMP, zone)
    return _added(zones.PREFIX + call.function, call, zone)


def _date_format(call: ex.Call, zone: str) -> ex.Expr:
    """Written as clocks show it; patterns that may ask for the zone itself are left alone."""
    moment, pattern = call.args
    if moment.type == ty.TIMESTAMP_NTZ:  # Spark makes it an instant first
        moment = zoned_cast(moment, ty.TIMESTAMP, ty.CastMode.ANSI, zone)
    if _is_plain_pattern(pattern):
        return replace(call, args=(wall_clock(moment, zone), pattern))
    return _zoned(zones.PREFIX + call.function, (moment, pattern), call.type, zone)


def _is_plain_pattern(pattern: ex.Expr) -> bool:
    if not isinstance(pattern, ex.Literal) or not isinstance(pattern.value, str):
        return False
    try:
        pattern_parts(pattern.value)
    except UnsupportedError:
        return False
    return True


def require_zoneless(name: str, types: Sequence[ty.DataType], zone: str) -> None:
    """Refuse a function of timestamps, unless it is known not to depend on the zone."""
    function = any_function(name)
    known = function is not None and (function.keeps_values or function.zone is ZoneUse.SAME)
    if not known and any(map(holds_timestamps, types)):
        raise UnsupportedError(f"{name} of timestamps in the time zone {zone}")


def require_zoneless_frame(order: Sequence[ex.SortKey], frame: ex.Frame | None, zone: str) -> None:
    """Refuse a window that reaches so many days or hours back, which are not equally long."""
    reaches = frame is not None and frame.unit == "range" and not _is_open(frame)
    if reaches and any(holds_timestamps(key.expr.type) for key in order):
        raise UnsupportedError(f"a window over a range of time in the time zone {zone}")


def _is_open(frame: ex.Frame) -> bool:
    return {frame.start, frame.end} <= {None, 0}


# -- what of a dataflow asks for the zone ------------------------------------------------------


def questions_of_zone(dataflow: Dataflow, zone: str) -> Iterator[str]:
    """What in a dataflow means something else in a session of the zone, in words."""
    for id_ in dataflow.order:
        operator = dataflow.operators[id_]
        for expr in operator_exprs(operator):
            yield from questions_of(expr, zone)
        if zone != UTC_ZONE:
            inputs = [dataflow.schemas[i] for i in dataflow.inputs[id_]]
            types = [field.type for rows in inputs for field in rows]
            yield from filter(None, [_of_operator(operator, types, zone)])
        for query in subqueries(operator):
            yield from questions_of_zone(query, zone)


def questions_of(expr: ex.Expr, zone: str) -> Iterator[str]:
    """What in an expression means something else in a session of the zone, in words."""
    return filter(None, (_question(part, zone) for part in parts(expr)))


def _question(expr: ex.Expr, zone: str) -> str:
    """What an expression asks of the zone; empty if it asks nothing, or means this one."""
    match expr:
        case ex.Call(name, (*_, ex.Literal(str() as own))) if zones.is_zoned(name):
            return "" if own == zone else f"{name} of {own}"
        case _ if zone == UTC_ZONE:
            return ""
        case ex.Cast(arg=arg, type=wanted) if not is_zoneless(arg.type, wanted):
            return f"a cast from {arg.type} to {wanted}"
        case ex.Call(name):
            return "" if _is_same(expr, zone) else f"the function {name}"
        case ex.OpaqueCall(identity, args, type_):
            return _of_function(identity, [type_, *(arg.type for arg in args)])
        case _:
            return ""


def _is_same(call: ex.Call, zone: str) -> bool:
    match call:
        case ex.Call("date_format", (ex.Call("zoned.wall_clock"), _)):
            return True  # Spark makes an instant of it, at which clocks show just that
    try:
        return zoned_call(call, zone) == call
    except UnsupportedError:
        return False


def _of_operator(operator: ops.AnyOperator, types: list[ty.DataType], zone: str) -> str:
    if isinstance(operator, ops.RowUdf | ops.TableUdf):
        adds = operator.adds if isinstance(operator, ops.RowUdf) else operator.fields
        return _of_function(operator.identity, [*types, *(field.type for field in adds)])
    try:
        for named in operator.calls if isinstance(operator, ops.Over) else ():
            require_zoneless_frame(named.call.order, named.call.frame, zone)
    except UnsupportedError as error:
        return str(error)
    return ""


def _of_function(identity: str, types: list[ty.DataType]) -> str:
    timed = any(map(holds_timestamps, types))
    return f"the function {identity.split(' ')[0]} of timestamps" if timed else ""


# -- files and writes --------------------------------------------------------------------------

OPTION = "timezone"  # of readers; that of the session holds without it
DECLARED = "table"
BINARY = frozenset({"parquet", "orc", "avro", "delta", "iceberg"})  # that write no texts of times


def with_zone(dataflow: Dataflow, zone: str) -> Dataflow:
    """A dataflow whose files and writes are those of a session in the zone."""
    if zone == UTC_ZONE:
        return dataflow
    for source in sources_of(dataflow):
        for question in (q for check in source.checks for q in questions_of(check, zone)):
            raise UnsupportedError(
                f"a CHECK of the table {source.table} depends on the time zone: {question}"
            )
    changed = map_sources(dataflow, lambda source: _read_in(source, zone))
    operators = {i: _written_in(changed, i, zone) for i in changed.operators}
    return Dataflow(operators, changed.links, changed.declared)


def _read_in(source: ops.Source, zone: str) -> ops.Source:
    names = {name.lower() for name, _ in source.options}
    timed = any(holds_timestamps(field.type) for field in source.fields)
    if source.format == DECLARED or not timed or OPTION in names:
        return source
    return replace(source, options=tuple(sorted((*source.options, (OPTION, zone)))))


def _written_in(dataflow: Dataflow, id_: str, zone: str) -> ops.AnyOperator:
    operator = dataflow.operators[id_]
    if not isinstance(operator, ops.Sink) or operator.write is None:
        return operator
    if not _asks_zone(operator.write, dataflow.schemas[id_]):
        return operator
    settings = (*operator.write.settings, (ZONE, zone))
    return replace(operator, write=replace(operator.write, settings=settings))


def _asks_zone(write: AnyWrite, rows: Schema) -> bool:
    if isinstance(write, Insert | Change):
        return True
    timed = any(holds_timestamps(field.type) for field in rows)
    return timed and (write.format.lower() not in BINARY or bool(write.layout))
