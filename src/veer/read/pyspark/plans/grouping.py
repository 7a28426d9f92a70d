"""Aggregates of plans: which calls they make, and their outputs over keys and calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, final

from veer.errors import IllFormedError, UnsupportedError
from veer.ir import expr as ex, ops
from veer.ir.expr import Literal
from veer.ir.types import ArrayType
from veer.read.pyspark.plans.aggregates import aggregate_call
from veer.read.pyspark.plans.expressions import is_aggregate
from veer.read.pyspark.plans.opaque_tables import opaque_table
from veer.read.pyspark.plans.signals import PlanSignal, expr_id
from veer.read.pyspark.plans.tree import Node, expression_of
from veer.read.pyspark.plans.types import type_of

if TYPE_CHECKING:
    from veer.read.pyspark.plans.operators import PlanReader

SESSION_WINDOW = '"spark.sessionWindow"'  # in the metadata of a column: rows of it are merged later


@final
@dataclass(frozen=True)
class PivotedCall:
    """One of the values that an aggregate call of a pivot gives, by its position among them."""

    text: str  # of the call
    position: int


# What an aggregate computes besides its keys: a call by its text, or a part of a pivot.
GroupPart: TypeAlias = str | PivotedCall


def read_aggregate(reader: PlanReader, node: Node) -> PlanSignal:
    """An aggregate: keys and calls first, then what is computed from them.

        SELECT a + 1, 2 * sum(b) GROUP BY a   =>   aggregate _key0 = a, _call0 = sum(b)
                                                   project _key0 + 1, 2 * _call0

    Spark writes the outputs as expressions over both; a part that reads like a key is the key.
    """
    below = reader.read(node.children[0])
    if SESSION_WINDOW in str(node.jvm.child().schema().json()):
        raise UnsupportedError("session_window, which joins windows that overlap")
    scope = reader.scope(below)
    groups = node.expressions("groupingExpressions")
    outputs = node.expressions("aggregateExpressions")
    keys: dict[str, ex.Expr] = {
        expression_text(g): reader.expressions.read(g, scope) for g in groups
    }
    calls: dict[GroupPart, Any] = {}
    try:
        for output in outputs:
            collect_calls(
                output, keys, calls, lambda n: aggregate_call(reader.expressions, n, scope)
            )
    except (UnsupportedError, IllFormedError):
        # Not deterministic: the result of a call that is not modelled may depend on the order of
        # rows, as that of a sum of floats does.
        return opaque_table(
            reader, node, [below], [*groups, *outputs], outputs, deterministic=False
        )
    named = tuple(ex.Named(f"_key{i}", k) for i, k in enumerate(keys.values()))
    named_calls = tuple(ops.NamedCall(f"_call{i}", c) for i, c in enumerate(calls.values()))
    operator = ops.Aggregate(named, named_calls) if groups else ops.GlobalAggregate(named_calls)
    if not groups and not named_calls:
        raise UnsupportedError("an aggregate without keys and calls")
    # Ids of their own for keys and calls; Spark's are never negative.
    grouped = reader.add_signal(operator, [-1 - i for i in range(len(keys) + len(calls))], below)
    positions: dict[GroupPart, int] = {part: i for i, part in enumerate((*keys, *calls))}
    columns = tuple(
        ex.Named(str(o.fields["name"]), _over_groups(reader, o, positions, grouped))
        for o in outputs
    )
    return reader.add_signal(ops.Project(columns), [expr_id(o) for o in outputs], grouped)


def _over_groups(
    reader: PlanReader, node: Node, positions: Mapping[GroupPart, int], grouped: PlanSignal
) -> ex.Expr:
    """An output of an aggregate over its keys and calls."""
    text = expression_text(node)
    position = positions.get(text)
    if position is not None:
        return grouped.at(position)
    pivoted = [
        grouped.at(i)
        for call, i in positions.items()
        if isinstance(call, PivotedCall) and call.text == text
    ]
    if pivoted:
        return ex.Call("array", tuple(pivoted), ArrayType(pivoted[0].type))
    replaced = with_columns(node, positions, grouped)
    return reader.expressions.read(replaced, reader.scope(grouped))


def read_expand(reader: PlanReader, node: Node) -> PlanSignal:
    """Grouping sets: the rows once for each list of columns.

    The columns that a set does not group by are null in its rows; a number says which set it is,
    so that a null of the data is not taken for one of these.
    """
    below = reader.read(node.children[0])
    scope = reader.scope(below)
    outputs = node.expressions("output")
    branches = []
    rows = node.jvm.projections()
    for row in (rows.apply(i) for i in range(rows.size())):
        columns = [expression_of(row.apply(i)) for i in range(row.size())]
        named = tuple(
            ex.Named(
                str(o.fields["name"]),
                _null_of_type(reader.expressions.read(c, scope), type_of(o.fields["dataType"])),
            )
            for o, c in zip(outputs, columns, strict=True)
        )
        branches.append(
            reader.add_signal(ops.Project(named), [], below)
        )  # columns known by the union
    return reader.add_signal(ops.Union(), [expr_id(o) for o in outputs], *branches)


def _null_of_type(expr: ex.Expr, type_: Any) -> ex.Expr:
    """A null of a grouping set has the type of its column."""
    if isinstance(expr, Literal) and expr.value is None:
        return Literal(None, type_)
    return expr


def expression_text(node: Node) -> str:
    """What an expression says, without names of its own making."""
    node = node.children[0] if node.kind == "Alias" else node
    hidden = ("qualifier", "resultId", "metadata", "name", "nullable")
    fields = {k: v for k, v in node.fields.items() if k not in hidden}
    if node.kind != "AttributeReference":
        fields = {k: node.dropped[k] if v is None else v for k, v in fields.items()}
    inner = [expression_text(child) for child in node.children]
    return json.dumps([node.kind, fields, inner], sort_keys=True)


def collect_calls(
    node: Node,
    keys: dict[str, ex.Expr],
    calls: dict[GroupPart, Any],
    read: Callable[[Node], Any],
) -> None:
    """Add the aggregate calls below an output to `calls`, each once.

    A part that reads like a key is the key, and is not looked into.
    """
    text = expression_text(node)
    if text in keys or text in calls:
        return
    if is_aggregate(node):
        if node.children[0].kind == "PivotFirst":
            calls.update(_pivoted(node, text, read))
        else:
            calls[text] = read(node)
        return
    for child in node.children:
        collect_calls(child, keys, calls, read)


def _pivoted(node: Node, text: str, read: Callable[[Node], Any]) -> dict[GroupPart, Any]:
    """The value of the only row of each pivoted value: the greatest of those that have it."""
    pivot, value = node.children[0].children
    if "dataType" not in pivot.fields:
        raise UnsupportedError("a pivot over an expression")
    calls: dict[GroupPart, Any] = {}
    values = node.children[0].jvm.pivotColumnValues()
    listed = [values.apply(position) for position in range(values.size())]
    if len(set(map(str, listed))) < len(listed):
        raise UnsupportedError("a pivot that lists a value twice")
    for position, wanted in enumerate(listed):
        is_null = wanted is None
        if isinstance(wanted, float) and wanted != wanted:
            raise UnsupportedError("a pivot over NaN")
        literal = {"value": None if is_null else str(wanted), "dataType": pivot.fields["dataType"]}
        constant = Node("Literal", literal, lambda: None)
        same = Node("EqualNullSafe", {}, lambda: None, [pivot, constant])
        greatest = Node("Max", {"child": 0}, _NamedMax, [value])
        call = Node("AggregateExpression", {"isDistinct": False}, node.find, [greatest, same])
        calls[PivotedCall(text, position)] = read(call)
    return calls


@final
class _NamedMax:
    """Stands for the JVM's function in a call that is not Spark's own."""

    def prettyName(self) -> str:
        return "max"


def with_columns(node: Node, positions: Mapping[GroupPart, int], grouped: PlanSignal) -> Node:
    """The expression with keys and calls as columns of the aggregate below."""
    position = positions.get(expression_text(node))
    if position is not None:
        column = grouped.at(position)
        fields = {
            "name": column.name,
            "dataType": str(column.type),
            "exprId": {"id": grouped.expr_ids[position]},
        }
        return Node("AttributeReference", fields, node.find)
    children = [with_columns(child, positions, grouped) for child in node.children]
    if all(new is old for new, old in zip(children, node.children, strict=True)):
        return node
    return Node(node.kind, node.fields, node.find, children)
