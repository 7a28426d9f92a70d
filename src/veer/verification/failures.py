"""Which expressions may fail a run, and under which guard.

Proofs make partial operations total, because Spark may evaluate, reorder or skip them as it
likes. What may fail in one version only is a caveat of the verdict.

    Filter(b <> 0) -> Project(a / b)   =>   t.a / t.b, guarded by t.b <> 0

Expressions and guards are compared as text over source columns, so a caveat may be one too many where
the versions word the same thing differently. Asked to be strict about errors, Veer takes each for a
difference it cannot exclude, and answers UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from veer.expressions.constant_folding import computed
from veer.expressions.failing import can_fail
from veer.facts.facts import rows_kept
from veer.facts.lineage import ColumnSource, column_sources, followed
from veer.ir import expr as ex, walk
from veer.ir.conditions import conjuncts
from veer.ir.dag import Dataflow
from veer.ir.ops import (
    Source,
)
from veer.ir.pprint import show_expr
from veer.ir.schema import Field, Schema


@final
@dataclass(frozen=True, slots=True, order=True)
class FailingExpression:
    """An expression over source columns that fails on some values, and what guards it."""

    text: str
    guards: tuple[str, ...]


def only_in(
    ours: frozenset[FailingExpression], theirs: frozenset[FailingExpression]
) -> list[FailingExpression]:
    """What may fail on this side where the other side has no such expression under as few guards."""

    def covered(one: FailingExpression) -> bool:
        return any(
            one.text == other.text and set(other.guards) <= set(one.guards) for other in theirs
        )

    return [one for one in sorted(ours) if not covered(one)]


def may_fail(dataflow: Dataflow, sink: str) -> frozenset[FailingExpression]:
    """The expressions below a sink that may fail a run."""
    needed = dataflow.ancestors(sink)
    return frozenset(_Collector(dataflow).collect([i for i in dataflow.order if i in needed]))


class _Collector:
    """Walks a dataflow upwards, knowing each column as an expression over source columns."""

    def __init__(self, dataflow: Dataflow) -> None:
        # Where constants can be computed, nothing fails.
        operators = {
            id_: walk.map_exprs(operator, lambda e: walk.transform(e, computed))
            for id_, operator in dataflow.operators.items()
        }
        self.dataflow = Dataflow(operators, dataflow.links, dataflow.declared)
        self.columns: dict[str, list[ex.Expr]] = {}
        self.guards: dict[str, list[ex.Expr]] = {}

    def collect(self, ids: list[str]) -> Iterator[FailingExpression]:
        """What may fail in some operators, given with those that feed them first."""
        for id_ in ids:
            operator = self.dataflow.operators[id_]
            below = self.dataflow.inputs[id_]
            schema = Schema(tuple(f for i in below for f in self.dataflow.schemas[i]))
            given = [c for i in below for c in self.columns[i]]
            guards = [g for i in below for g in self.guards[i]]
            for expr in walk.operator_exprs(operator):
                yield from _failing(expr, schema, given, guards)
            self.columns[id_] = self._outputs(id_, schema, given)
            self.guards[id_] = self._kept(id_, schema, given)

    def _outputs(self, id_: str, schema: Schema, given: list[ex.Expr]) -> list[ex.Expr]:
        """The columns of an operator as expressions over source columns, as far as they are some."""
        operator = self.dataflow.operators[id_]
        own = self.dataflow.schemas[id_]
        if isinstance(operator, Source):
            return [ex.Column(f"{operator.table}.{f.name}", f.type) for f in own]

        def column(source: ColumnSource, field: Field) -> ex.Expr:
            if isinstance(source, ex.AggregateCall):
                return ex.Column(source.function, source.type)
            of_input: ex.Expr | None = followed(
                source, given, lambda e: _resolved(e, schema, given)
            )
            return of_input or ex.Column(field.name, field.type)  # the operator's own

        return list(map(column, column_sources(self.dataflow, id_), own))

    def _kept(self, id_: str, schema: Schema, given: list[ex.Expr]) -> list[ex.Expr]:
        """The conditions that every row an operator gives has passed."""
        kept, asked = rows_kept(self.dataflow.operators[id_])
        guards = [g for port in kept for g in self.guards[self.dataflow.inputs[id_][port]]]
        return [*guards, *(p for c in asked for p in conjuncts(_resolved(c, schema, given)))]


def _resolved(expr: ex.Expr, schema: Schema, given: list[ex.Expr]) -> ex.Expr:
    """The expression with columns replaced by what they are made of; subqueries stay."""
    if isinstance(expr, ex.Column):
        return given[schema.place(expr.name, expr.occurrence)]
    return walk.map_children(expr, lambda child: _resolved(child, schema, given))


def _failing(
    expr: ex.Expr, schema: Schema, given: list[ex.Expr], guards: list[ex.Expr]
) -> Iterator[FailingExpression]:
    """Failing parts of an operator's own expression; those of its inputs were found there."""
    if can_fail(expr):
        resolved = _resolved(expr, schema, given)
        read = set(_columns(resolved))
        shown = sorted({_show(g) for g in guards if read & set(_columns(g))})
        yield FailingExpression(_show(resolved), tuple(shown))
    if isinstance(expr, ex.Case):
        for when, then in expr.branches:
            yield from _failing(when, schema, given, guards)
            reached = [*guards, _resolved(when, schema, given)]
            yield from _failing(then, schema, given, reached)
        yield from _failing(expr.otherwise, schema, given, guards)
        return
    for child in walk.children(expr):
        yield from _failing(child, schema, given, guards)
    query = walk.query_of(expr)
    if query is not None:
        yield from may_fail(query, query.sinks[0])


def _show(expr: ex.Expr) -> str:
    return show_expr(expr).replace("`", "")


def _columns(expr: ex.Expr) -> Iterator[str]:
    if isinstance(expr, ex.Column | ex.OuterColumn):
        yield expr.name
    for child in walk.children(expr):
        yield from _columns(child)
