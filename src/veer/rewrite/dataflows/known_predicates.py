"""Known predicates: the conditions that hold on all rows of a signal because of what is below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from veer.facts.facts import rows_kept
from veer.ir import expr as ex, ops
from veer.ir.conditions import conjuncts
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema
from veer.ir.types import has_floats
from veer.ir.walk import parts
from veer.rewrite.columns import column_at, turned_into
from veer.rewrite.dataflows.implied_predicates import has_query
from veer.rewrite.expressions import is_random

MOST = 40  # kept of a signal


@final
class KnownPredicates:
    """The known predicates of the signals of a dataflow, over their own columns."""

    def __init__(self, dataflow: Dataflow) -> None:
        self.dataflow = dataflow
        self._by_signal: dict[str, tuple[ex.Expr, ...]] = {}
        for id_ in dataflow.order:
            found = (c for c in self._holds(id_) if not _is_heavy(c))
            self._by_signal[id_] = tuple(dict.fromkeys(found))[:MOST]

    def of(self, id_: str) -> Sequence[ex.Expr]:
        """What holds of a signal."""
        return self._by_signal[id_]

    def of_join(self, left: str, right: str) -> tuple[list[ex.Expr], list[ex.Expr]]:
        """What holds of the two inputs of a join, over the columns of the joined row."""
        schemas = [self.dataflow.schemas[i] for i in (left, right)]
        both = schemas[0] + schemas[1]
        ours = _moved(self._by_signal[left], schemas[0], _columns(both, 0, len(schemas[0])))
        width = len(schemas[0])
        theirs = _moved(self._by_signal[right], schemas[1], _columns(both, width, len(schemas[1])))
        return ours, theirs

    def _holds(self, id_: str) -> Sequence[ex.Expr]:
        operator, inputs = self.dataflow.operators[id_], self.dataflow.inputs[id_]
        below = [self._by_signal[i] for i in inputs]
        kept, asked = rows_kept(operator)
        on = [part for condition in asked for part in conjuncts(condition)]
        match operator:
            case ops.Project(columns):
                return self._kept(id_, columns)
            case ops.Aggregate(keys):
                return [c for c in self._kept(id_, keys) if not _has_floats(c)]
            case ops.Join():
                sides = self.of_join(*inputs)
                return [c for port in kept for c in sides[port]] + on
            case _ if kept and len(inputs) == 1:
                schema = self.dataflow.schemas[inputs[0]]
                own = self.dataflow.schemas[id_]
                return _moved(below[0], schema, _columns(own, 0, len(schema))) + on
            case _:
                return []

    def _kept(self, id_: str, columns: Sequence[ex.Named]) -> list[ex.Expr]:
        """What holds of columns that are shown as they are."""
        (below,) = self.dataflow.inputs[id_]
        schema, own = self.dataflow.schemas[below], self.dataflow.schemas[id_]
        shown: dict[int, ex.Expr] = {}
        for place, named in enumerate(columns):
            if isinstance(named.expr, ex.Column):
                source = schema.place(named.expr.name, named.expr.occurrence)
                shown.setdefault(source, column_at(own, place))
        return _moved(self._by_signal[below], schema, shown)


def _columns(schema: Schema, start: int, count: int) -> dict[int, ex.Expr]:
    return {i: column_at(schema, start + i) for i in range(count)}


def _moved(
    conditions: Sequence[ex.Expr], schema: Schema, sources: Mapping[int, ex.Expr]
) -> list[ex.Expr]:
    moved = (turned_into(c, schema, sources) for c in conditions)
    return [c for c in moved if c is not None]


def _is_heavy(condition: ex.Expr) -> bool:
    """Whether a condition is random or has a subquery: nothing is concluded from it."""
    return is_random(condition) or has_query(condition)


def _has_floats(condition: ex.Expr) -> bool:
    return any(has_floats(n.type) for n in parts(condition))
