"""Changing the sources of a dataflow, wherever they stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

from veer.dataflow.dag import Dataflow
from veer.dataflow.ops import Operator, Source
from veer.dataflow.schema import Schema
from veer.dataflow.types import DataType
from veer.dataflow.walk import subqueries


def map_sources(dataflow: Dataflow, change: Callable[[Source], Source]) -> Dataflow:
    """The dataflow with its sources changed, those of subqueries too."""
    return Dataflow(
        {i: _changed(op, change) for i, op in dataflow.operators.items()}, dataflow.links
    )


def _changed(operator: Operator, change: Callable[[Source], Source]) -> Operator:
    if isinstance(operator, Source):
        return change(operator)
    if next(subqueries(operator), None) is None:
        return operator
    made: Operator = _map_queries(operator, lambda query: map_sources(query, change))
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


__all__ = ["map_sources"]
