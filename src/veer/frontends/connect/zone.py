"""Whether a dataflow asks for the session's time zone: Veer reads plans as they are in UTC.

2024-01-01 00:00 as text     asks for it: which moment that is depends on the zone
t.at > u.at, max(at)         does not: moments are compared as they are
"""

from __future__ import annotations

from collections.abc import Iterator

from veer.frontends.spark.plans.time_zones import is_zoneless
from veer.functions.registry import Kind, scalar_function
from veer.model.dag import Dataflow
from veer.model.expr import Call, Cast, Expr, Literal
from veer.model.ops import AnyOperator, Over
from veer.model.types import ArrayType, DataType, MapType, StructType, TimestampType
from veer.model.walk import operator_exprs, parts, subqueries

# Functions that read or write moments as texts or numbers, whatever the types of their arguments.
ASKING = frozenset(
    {"date_format", "from_unixtime", "to_date_by", "to_timestamp_by", "unix_timestamp"}
)


def questions_of_zone(dataflow: Dataflow) -> Iterator[str]:
    """What in a dataflow means something else in another time zone, in words."""
    for id_ in dataflow.order:
        operator = dataflow.operators[id_]
        for expr in operator_exprs(operator):
            yield from filter(None, map(_question, parts(expr)))
        yield from _bounds(operator)
        for query in subqueries(operator):
            yield from questions_of_zone(query)


def _question(expr: Expr) -> str:
    """Why an expression asks for the zone; empty if it does not."""
    match expr:
        case Literal(type=type_) if _holds_moments(type_):
            return "a constant timestamp"
        case Cast(arg=arg, type=wanted) if not is_zoneless(arg.type, wanted):
            moments = _holds_moments(arg.type) or _holds_moments(wanted)
            return f"a cast from {arg.type} to {wanted}" if moments else ""
        case Call(function=name, args=args, type=type_):
            types = [type_, *(arg.type for arg in args)]
            function = scalar_function(name)
            looks = not function.keeps_values and any(map(_holds_moments, types))
            if name in ASKING or function.kind is Kind.RUN_CONSTANT or looks:
                return f"the function {name}"
    return ""


def _bounds(operator: AnyOperator) -> Iterator[str]:
    """Frames of window functions that reach so many days or hours back."""
    for named in operator.calls if isinstance(operator, Over) else ():
        keys, frame = named.call.order, named.call.frame
        reaches = frame.unit == "range" and not {frame.start, frame.end} <= {None, 0}
        if reaches and any(_holds_moments(key.expr.type) for key in keys):
            yield "a window over a range of time"


def _holds_moments(type_: DataType) -> bool:
    match type_:
        case TimestampType():
            return True
        case ArrayType(element):
            return _holds_moments(element)
        case MapType(key, value):
            return _holds_moments(key) or _holds_moments(value)
        case StructType(fields):
            return any(_holds_moments(inner) for _, inner in fields)
        case _:
            return False
