"""Which column of which table a column of a signal is a plain copy of.

    orders -> Filter -> Project(customer_id AS c, amount * 2 AS d)   =>   c: orders.customer_id, d: none

Casts and one-to-one functions of whole numbers keep the origin. For finding what is worth declaring of
tables: nothing rests on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, final

from veer.facts.keys import injective_argument
from veer.facts.lineage import column_sources, followed
from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema

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


def origin(expr: ex.Expr, scope: Scope) -> Origin | None:
    """The column of a table that an expression is a copy of, if it is one."""
    while True:
        expr = injective_argument(expr)
        if not isinstance(expr, ex.Cast):
            break
        expr = expr.arg
    match expr:
        case ex.Column(name, _, occurrence):
            depth = 0
        case ex.OuterColumn(name, _, occurrence, depth):
            pass
        case _:
            return None
    if depth >= len(scope):
        return None
    place = scope[depth].schema.find(name, occurrence)
    return None if place is None else scope[depth].origins[place]


def origins(dataflow: Dataflow, outer: Scope = ()) -> dict[str, Rows]:
    """For every signal where its columns come from."""
    known: dict[str, Rows] = {}
    for id_ in dataflow.order:
        inputs = [known[i] for i in dataflow.inputs[id_]]
        known[id_] = Rows(dataflow.schemas[id_], _origins(dataflow, id_, inputs, outer))
    return known


def _origins(dataflow: Dataflow, id_: str, inputs: Sequence[Rows], outer: Scope) -> Origins:
    """Of the columns of a signal; of a union each input has its own."""
    operator = dataflow.operators[id_]
    match operator:
        case ops.Source(table, fields):
            return tuple((table, f.name) for f in fields)
        case ops.Lateral(query):
            inner = origins(query, (inputs[0], *outer))[query.sinks[0]]
            return inputs[0].origins + inner.origins
        case ops.Union():
            return (None,) * len(dataflow.schemas[id_])
    below = sum(inputs, Rows(Schema(()), ()))
    return tuple(
        followed(source, below.origins, lambda expr: origin(expr, (below, *outer)))
        for source in column_sources(dataflow, id_)
    )
