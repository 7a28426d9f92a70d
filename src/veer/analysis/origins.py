"""Which column of which table a column of a signal is a plain copy of.

    orders -> Filter -> Project(customer_id AS c, amount * 2 AS d)   =>   c: orders.customer_id, d: none

Casts and one-to-one functions of whole numbers keep the origin. For finding what is worth declaring of
tables: nothing rests on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, assert_never, final

from veer.analysis.keys import injective_argument
from veer.model.dag import Dataflow
from veer.model.expr import Cast, Column, Expr, OuterColumn
from veer.model.ops import (
    Aggregate,
    Deduplicate,
    ExceptAll,
    Filter,
    GlobalAggregate,
    IntersectAll,
    Join,
    Lateral,
    Limit,
    Over,
    Project,
    RowUdf,
    Sample,
    Sink,
    Sort,
    Source,
    TableUdf,
    Union,
    Unnest,
    Values,
)
from veer.model.schema import Schema

Origin: TypeAlias = tuple[str, str]  # a table and a column of it
Origins: TypeAlias = tuple[Origin | None, ...]  # by place


@final
class Rows:
    """Rows an expression is about: their columns, and where those come from."""

    def __init__(self, schema: Schema, origins: Origins) -> None:
        self.schema, self.origins = schema, origins

    def __add__(self, other: Rows) -> Rows:
        return Rows(self.schema + other.schema, self.origins + other.origins)


Scope: TypeAlias = Sequence[Rows]  # of an expression, then of the queries around it


def origin(expr: Expr, scope: Scope) -> Origin | None:
    """The column of a table that an expression is a copy of, if it is one."""
    while True:
        expr = injective_argument(expr)
        if not isinstance(expr, Cast):
            break
        expr = expr.arg
    match expr:
        case Column(name, _, occurrence):
            depth = 0
        case OuterColumn(name, _, occurrence, depth):
            pass
        case _:
            return None
    if depth >= len(scope):
        return None
    place = scope[depth].schema.find(name, occurrence)
    return None if place is None else scope[depth].origins[place]


def origins(dataflow: Dataflow, outer: Scope = ()) -> dict[str, Rows]:
    """For every signal where its columns come from."""
    found: dict[str, Rows] = {}
    for id_ in dataflow.order:
        inputs = [found[i] for i in dataflow.inputs[id_]]
        schema = dataflow.schemas[id_]
        places = list(_origins(dataflow, id_, inputs, outer))
        places += [None] * (len(schema) - len(places))
        found[id_] = Rows(schema, tuple(places[: len(schema)]))
    return found


def _origins(dataflow: Dataflow, id_: str, inputs: Sequence[Rows], outer: Scope) -> Origins:
    """Of the first columns of a signal; the others are computed."""
    operator = dataflow.operators[id_]
    match operator:
        case Source(table, fields):
            return tuple((table, f.name) for f in fields)
        case Project(columns):
            return tuple(origin(named.expr, (inputs[0], *outer)) for named in columns)
        case Aggregate(keys):
            return tuple(origin(key.expr, (inputs[0], *outer)) for key in keys)
        case Join():
            return inputs[0].origins + inputs[1].origins
        case Sink() if operator.columns:
            return tuple(origin(column, (inputs[0], *outer)) for column in operator.columns)
        case Lateral(query):
            inner = origins(query, (inputs[0], *outer))[query.sinks[0]]
            return inputs[0].origins + inner.origins
        case Filter() | Sort() | Limit() | Deduplicate() | Sample() | Over() | Unnest() | RowUdf():
            return inputs[0].origins
        case IntersectAll() | ExceptAll() | Sink():
            return inputs[0].origins
        case Values() | GlobalAggregate() | Union() | TableUdf():
            return ()  # of a union each input has its own
        case _:
            assert_never(operator)
