"""A column that gets another value: whoever reads it reads it in another way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from veer.model.dag import Dataflow
from veer.model.expr import Column, Expr
from veer.model.ops import (
    Aggregate,
    AnyOperator,
    Filter,
    GlobalAggregate,
    Join,
    Over,
    Project,
)
from veer.model.schema import Schema
from veer.model.types import DataType
from veer.model.walk import columns_read, map_exprs, replace_down
from veer.normalize.dataflows.known_predicates import column_at

# What an expression is, the old column being replaced by the new one; None if it is to be looked into.
Reading: TypeAlias = Callable[[Expr, Column, Column], Expr | None]


def readers_of(
    dataflow: Dataflow, id_: str, place: int, type_: DataType, reading: Reading
) -> dict[str, AnyOperator] | None:
    """The operators that read a column, for one of such a type; None if one reads it otherwise.

    Also those that read it further up, where it is passed on as it is. No sink may see it.
    """
    changed: dict[str, AnyOperator] = {}
    waiting = [(id_, place)]
    for here, at in waiting:  # grows meanwhile
        for link in dataflow.outputs[here]:
            inputs = dataflow.inputs[link.dst]
            start = len(dataflow.schemas[inputs[0]]) if link.port else 0
            column = column_at(_rows(dataflow, link.dst), start + at)
            reader = changed.get(link.dst, dataflow.operators[link.dst])
            passed = _passed(reader, link.port, start + at, column)
            if passed is None:
                return None
            written = _written(reader, column, replace(column, type=type_), reading)
            if written is None:
                return None
            changed[link.dst] = written
            waiting += [(link.dst, i) for i in passed]
    return changed


def _rows(dataflow: Dataflow, id_: str) -> Schema:
    """What the expressions of an operator read."""
    schemas = [dataflow.schemas[i] for i in dataflow.inputs[id_]]
    return schemas[0] if len(schemas) == 1 else schemas[0] + schemas[1]


def _passed(reader: AnyOperator, port: int, place: int, column: Column) -> list[int] | None:
    """Where a column of the input shows as it is; None if the operator may see it otherwise."""
    match reader:
        case Project(columns):
            return [i for i, named in enumerate(columns) if named.expr == column]
        case Filter() | Over():
            return [place]
        case Join(kind):
            return [] if port and kind in ("semi", "anti") else [place]
        case Aggregate() | GlobalAggregate():
            return []
        case _:
            return None


def _written(
    reader: AnyOperator, column: Column, new: Column, reading: Reading
) -> AnyOperator | None:
    """An operator that reads a column, for the new one; None if it reads it otherwise."""

    def changed(expr: Expr) -> Expr:
        if isinstance(reader, Project) and expr == column:
            return new
        return replace_down(expr, lambda node: reading(node, column, new))

    bare: list[Expr] = []

    def noted(expr: Expr) -> Expr:
        written = changed(expr)
        bare.extend(c for c in columns_read(written) if c == column)
        return written

    written = map_exprs(reader, noted)
    return None if bare else written
