"""Aggregates of plans: which calls they make, and their outputs over keys and calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, final

from veer.errors import UnsupportedError
from veer.frontends.spark.plans.expressions import is_aggregate
from veer.frontends.spark.plans.tree import Node
from veer.model.expr import Expr

if TYPE_CHECKING:
    from veer.frontends.spark.plans.operators import PlanSignal


@final
@dataclass(frozen=True)
class PivotedCall:
    """One of the values that an aggregate call of a pivot gives, by its position among them."""

    text: str  # of the call
    position: int


# What an aggregate computes besides its keys: a call by its text, or a part of a pivot.
GroupPart: TypeAlias = str | PivotedCall


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
    keys: dict[str, Expr],
    calls: dict[GroupPart, Any],
    read: Callable[[Node], Any],
) -> None:
    """The aggregate calls below an output, each once."""
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
    for position in range(node.children[0].jvm.pivotColumnValues().size()):
        wanted = node.children[0].jvm.pivotColumnValues().apply(position)
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
