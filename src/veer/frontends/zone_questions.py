"""What of a dataflow would mean something else in a session of some time zone.

A dataflow says itself in which zone its expressions are. Spark SQL does not: the session says it.
"""

from __future__ import annotations

from collections.abc import Iterator

from veer.errors import UnsupportedError
from veer.frontends.zoned import (
    holds_timestamps,
    is_zoneless,
    require_zoneless_frame,
    zoned_call,
)
from veer.functions.zone_rules import UTC_ZONE
from veer.functions.zones import is_zoned
from veer.model.dag import Dataflow
from veer.model.expr import Call, Cast, Expr, Literal, OpaqueCall
from veer.model.ops import AnyOperator, Over, RowUdf, TableUdf
from veer.model.types import DataType
from veer.model.walk import operator_exprs, parts, subqueries


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


def questions_of(expr: Expr, zone: str) -> Iterator[str]:
    """What in an expression means something else in a session of the zone, in words."""
    return filter(None, (_question(part, zone) for part in parts(expr)))


def _question(expr: Expr, zone: str) -> str:
    """What an expression asks of the zone; empty if it asks nothing, or means this one."""
    match expr:
        case Call(name, (*_, Literal(str() as own))) if is_zoned(name):
            return "" if own == zone else f"{name} of {own}"
        case _ if zone == UTC_ZONE:
            return ""
        case Cast(arg=arg, type=wanted) if not is_zoneless(arg.type, wanted):
            return f"a cast from {arg.type} to {wanted}"
        case Call(name):
            return "" if _is_same(expr, zone) else f"the function {name}"
        case OpaqueCall(identity, args, type_):
            return _of_function(identity, [type_, *(arg.type for arg in args)])
        case _:
            return ""


def _is_same(call: Call, zone: str) -> bool:
    match call:
        case Call("date_format", (Call("zoned.wall_clock"), _)):
            return True  # Spark makes an instant of it, at which clocks show just that
    try:
        return zoned_call(call, zone) == call
    except UnsupportedError:
        return False


def _of_operator(operator: AnyOperator, types: list[DataType], zone: str) -> str:
    if isinstance(operator, RowUdf | TableUdf):
        adds = operator.adds if isinstance(operator, RowUdf) else operator.fields
        return _of_function(operator.identity, [*types, *(field.type for field in adds)])
    try:
        for named in operator.calls if isinstance(operator, Over) else ():
            require_zoneless_frame(named.call.order, named.call.frame, zone)
    except UnsupportedError as error:
        return str(error)
    return ""


def _of_function(identity: str, types: list[DataType]) -> str:
    timed = any(map(holds_timestamps, types))
    return f"the function {identity.split(' ')[0]} of timestamps" if timed else ""
