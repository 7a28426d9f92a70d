"""Aggregate calls and window functions of plans."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from veer.errors import UnsupportedError
from veer.functions.registry import (
    AGGREGATE,
    OVER,
    SPARK_CLASSES,
    canonical_name,
)
from veer.functions.sessions import function_in, legacy_aggregate
from veer.functions.zone_rules import UTC_ZONE
from veer.ir import expr as ex, types as ty
from veer.ir.expr import Literal
from veer.read.coercion import leave_out_defaults
from veer.read.pyspark.plans.time_zones import zone_of
from veer.read.pyspark.plans.tree import Node, is_replaceable, sql_name
from veer.read.pyspark.plans.types import literal_value, type_of
from veer.read.zoned_expressions import require_zoneless_frame
from veer.settings import current

if TYPE_CHECKING:
    from veer.read.pyspark.plans.expressions import Expressions, VisibleColumns

COLLECTING = frozenset({"CollectList", "CollectSet"})  # which leave out nulls, unless told not to


class Unbounded(Enum):
    """A bound of a window frame that is none."""

    PRECEDING = auto()
    FOLLOWING = auto()


def aggregate_call(expressions: Expressions, node: Node, scope: VisibleColumns) -> ex.AggregateCall:
    """An aggregate call with its DISTINCT and FILTER; refused if its function is not modelled."""
    function = node.children[0]
    where = expressions.read(node.children[1], scope) if len(node.children) > 1 else None
    name, args, type_ = _aggregate_function(expressions, function, scope)
    distinct = bool(node.fields["isDistinct"])
    if distinct and not all(ty.is_orderable(a.type) for a in args):
        raise UnsupportedError(f"the aggregate function {name} of DISTINCT {args[0].type}")
    if distinct and not args:
        raise UnsupportedError(f"the aggregate function {name} of DISTINCT constants")
    return ex.AggregateCall(name, args, type_, distinct, where)


def _aggregate_function(
    expressions: Expressions, node: Node, scope: VisibleColumns
) -> tuple[str, tuple[ex.Expr, ...], ty.DataType]:
    if is_replaceable(node):
        return _aggregate_function(expressions, node.children[0], scope)
    if zone_of(node) != UTC_ZONE:
        raise UnsupportedError(f"the aggregate function {sql_name(node)} in another zone than UTC")
    name = SPARK_CLASSES.get(node.kind) or canonical_name(sql_name(node))
    args = expressions.children(node, scope)
    # `count(1)` is how Spark writes COUNT(*).
    if name == "count" and all(isinstance(a, Literal) and a.value is not None for a in args):
        args = ()
    # IGNORE NULLS is a flag of Spark's class, an argument of the registry's function.
    legacy = expressions.is_legacy(_without_usual(node))
    if name in ("first", "last") and node.fields.get("ignoreNulls") is True:
        args = (args[0], Literal(True, type_of("boolean")))
    elif not legacy and not expressions.has_modelled_parameters(_without_usual(node)):
        raise UnsupportedError(f"the aggregate function {name} with unusual parameters")
    function = AGGREGATE.get(name)
    if function is None or node.kind not in function.spark:
        raise UnsupportedError(f"the aggregate function {name}")
    if not function.keeps_values and not all(ty.is_modelled(a.type) for a in args):
        raise UnsupportedError(f"the aggregate function {name} of {args[0].type}")
    signature = function.resolve(ex.arguments(args))
    if signature.arguments != tuple(a.type for a in args):
        raise UnsupportedError(f"the aggregate function {name} of {args[0].type}")
    meant = function_in(current().spark, name, signature.arguments)
    if legacy:
        meant = legacy_aggregate(meant, signature.arguments, signature.result)
    return meant, args, signature.result


def _without_usual(node: Node) -> Node:
    """An aggregate function without parameters that change nothing: where Spark keeps its buffers."""
    offsets = ["mutableAggBufferOffset", "inputAggBufferOffset"]
    ignoring = node.fields.get("ignoreNulls")
    if ignoring is not None and ignoring is (node.kind in COLLECTING):
        offsets.append("ignoreNulls")  # as usual
    kept = {n: v for n, v in node.fields.items() if n not in offsets}
    return Node(node.kind, kept, node.find, node.children)


def over_call(expressions: Expressions, node: Node, scope: VisibleColumns) -> ex.OverCall:
    """A window function with its window."""
    function, window = node.children
    where = None
    if function.kind == "AggregateExpression":
        if function.fields["isDistinct"]:
            raise UnsupportedError("a window function over DISTINCT values")
        if len(function.children) > 1:
            where = expressions.read(function.children[1], scope)
        name, args, type_ = _aggregate_function(expressions, function.children[0], scope)
    else:
        name, args, type_ = _window_function(expressions, function, scope)
    *parts, frame = window.children
    partition = tuple(expressions.read(p, scope) for p in parts if p.kind != "SortOrder")
    order = tuple(expressions.sort_key(p, scope) for p in parts if p.kind == "SortOrder")
    # Rankings and neighbours know no frame; Spark writes one for them all the same.
    frameless = name in OVER and not OVER[name].reads_frame
    extent = ex.Frame("rows", None, 0) if frameless else _frame(frame)
    if current().zone != UTC_ZONE:
        require_zoneless_frame(order, extent, current().zone)
    return ex.OverCall(name, args, type_, partition, order, extent, False, where)


def _window_function(
    expressions: Expressions, node: Node, scope: VisibleColumns
) -> tuple[str, tuple[ex.Expr, ...], ty.DataType]:
    name = SPARK_CLASSES.get(node.kind) or canonical_name(sql_name(node))
    function = OVER.get(name)
    if function is None or node.kind not in function.spark:
        raise UnsupportedError(f"the window function {name}")
    if node.fields.get("ignoreNulls") is True:
        raise UnsupportedError(f"the window function {name}")
    args = expressions.children(node, scope)
    if function.reads_order_alone:
        args = ()
    args = leave_out_defaults(function.shown, args)
    signature = function.resolve(ex.arguments(args))
    if signature.arguments != tuple(a.type for a in args):
        raise UnsupportedError(f"the window function {name} of {args[0].type}")
    return name, args, signature.result


def _frame(node: Node) -> ex.Frame:
    if node.kind != "SpecifiedWindowFrame":
        raise UnsupportedError(f"the window frame {node.kind}")
    unit = "rows" if node.object_name("frameType") == "RowFrame" else "range"
    start, end = (_bound(child) for child in node.children)
    if start is Unbounded.FOLLOWING or end is Unbounded.PRECEDING:
        raise UnsupportedError("a window frame that is empty")
    return ex.Frame(
        unit,
        None if isinstance(start, Unbounded) else start,
        None if isinstance(end, Unbounded) else end,
    )


def _bound(node: Node) -> Any:
    """A bound of a window frame: unbounded, or a number of rows or a distance of keys."""
    match node.kind.rstrip("$"):
        case "UnboundedPreceding":
            return Unbounded.PRECEDING
        case "UnboundedFollowing":
            return Unbounded.FOLLOWING
        case "CurrentRow":
            return 0
        case "Literal":
            return literal_value(node.fields["value"], type_of(node.fields["dataType"]))
        case "UnaryMinus":
            return -_bound(node.children[0])
        case kind:
            raise UnsupportedError(f"the window bound {kind}")
