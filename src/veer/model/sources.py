"""The sources of a dataflow, those inside of subqueries included."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from veer.assumptions import KeyAssumption, KeyHolds, LeafKeyHolds
from veer.model.dag import Dataflow
from veer.model.ops import AnyOperator, Source
from veer.model.schema import Schema
from veer.model.types import DataType
from veer.model.walk import subqueries


def sources_of(dataflow: Dataflow) -> Iterator[Source]:
    """The sources that a dataflow reads anywhere, subqueries included."""
    for id_ in dataflow.order:
        operator = dataflow.operators[id_]
        if isinstance(operator, Source):
            yield operator
        for query in subqueries(operator):
            yield from sources_of(query)


def declared_key(source: Source, columns: tuple[str, ...]) -> KeyAssumption:
    """What is assumed by relying on a key of a source."""
    if source.leaf:
        return LeafKeyHolds(source.table, columns)
    return KeyHolds(source.table, columns)


def undeclared(source: Source) -> Source:
    """A source of which nothing is declared but its columns."""
    columns = tuple(replace(f, nullable=True) for f in source.fields)
    return replace(
        source, fields=columns, keys=(), foreign_keys=(), lengths=(), unique=(), checks=()
    )


def map_sources(dataflow: Dataflow, change: Callable[[Source], Source]) -> Dataflow:
    """The dataflow with its sources changed, those of subqueries too."""
    return Dataflow(
        {i: _changed(op, change) for i, op in dataflow.operators.items()},
        dataflow.links,
        map(change, dataflow.declared),
    )


def _changed(operator: AnyOperator, change: Callable[[Source], Source]) -> AnyOperator:
    if isinstance(operator, Source):
        return change(operator)
    if next(subqueries(operator), None) is None:
        return operator
    made: AnyOperator = _map_queries(operator, lambda query: map_sources(query, change))
    return made


def _map_queries(value: Any, change: Callable[[Dataflow], Dataflow]) -> Any:
    """An operator or a part of it with other subqueries."""
    if isinstance(value, Dataflow):
        return change(value)
    if isinstance(value, tuple):
        return tuple(_map_queries(item, change) for item in value)
    if is_dataclass(value) and not isinstance(value, type | DataType | Schema):
        made = {
            f.name: _map_queries(getattr(value, f.name), change) for f in fields(value) if f.init
        }
        return type(value)(**made)
    return value
