"""Pieces that reading expressions leaves behind or puts into subqueries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from veer.analysis.determinism import is_repeatable
from veer.errors import IllFormedError
from veer.frontends import coercion
from veer.model.dag import Dataflow, Link
from veer.model.expr import (
    AggregateCall,
    Column,
    Expr,
    GetField,
    Named,
    OpaqueCall,
    OuterColumn,
    OverCall,
)
from veer.model.ops import AnyOperator, Filter, Project
from veer.model.types import DataType


@dataclass
class Collected:
    """What stands behind the placeholders of the expressions of one SELECT."""

    aggregates: list[AggregateCall] = field(default_factory=list)
    overs: list[OverCall] = field(default_factory=list)
    generators: list[tuple[str, Expr]] = field(default_factory=list)

    def aggregate(self, call: AggregateCall) -> Expr:
        return OpaqueCall(f"$aggregate {_place(self.aggregates, call)}", (), call.type)

    def over(self, call: OverCall) -> Expr:
        return OpaqueCall(f"$over {_place(self.overs, call)}", (), call.type)


def _place(calls: list[Any], call: AggregateCall | OverCall) -> int:
    """The place of a call in the list; calls written alike are one if nothing in them chooses."""
    if call in calls and is_repeatable(call):
        return calls.index(call)
    calls.append(call)
    return len(calls) - 1


def placeholder(expr: Expr) -> tuple[str, int] | None:
    """The kind and number a placeholder stands for."""
    if isinstance(expr, OpaqueCall) and expr.identity.startswith("$"):
        kind, number = expr.identity[1:].split()
        return kind, int(number)
    return None


def outward(expr: Expr, depth: int) -> Expr:
    """A column found in an enclosing query, as seen from `depth` queries inside."""
    if isinstance(expr, Column):
        return OuterColumn(expr.name, expr.type, expr.occurrence, depth)
    if isinstance(expr, GetField):
        return GetField(outward(expr.arg, depth), expr.name)
    raise IllFormedError("a subquery reads a column that is computed outside it")


def with_types(query: Dataflow, types: list[DataType]) -> Dataflow:
    """The query with its columns cast."""
    if list(query.result_schema.types) == types:
        return query
    schema = query.result_schema
    columns = tuple(
        Named(f.name, coercion.implicit(Column(f.name, f.type, schema.occurrence(i)), t))
        for i, (f, t) in enumerate(zip(schema, types, strict=True))
    )
    return _before_sink(query, Project(columns), "cast")


def filtered(query: Dataflow, predicate: Expr) -> Dataflow:
    """The query with its rows filtered."""
    return _before_sink(query, Filter(predicate), "quantified")


def _before_sink(query: Dataflow, operator: AnyOperator, id_: str) -> Dataflow:
    (sink,) = query.sinks
    (last,) = query.inputs[sink]
    links = [link for link in query.links if link.dst != sink]
    while id_ in query.operators:  # a table may be called so
        id_ += "_"
    return Dataflow({**query.operators, id_: operator}, [*links, Link(last, id_), Link(id_, sink)])
