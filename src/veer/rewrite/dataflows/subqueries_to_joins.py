"""Subqueries of filters and projections as joins.

    Filter(a IN (SELECT b FROM u)) <- t          =>   Join semi (a = b) <- t, u
    Filter(NOT EXISTS (u WHERE u.b = t.a)) <- t   =>   Join anti (a = b) <- t, u
    Filter(a > (SELECT avg(c) FROM u WHERE u.b = t.b)) <- t
        =>   Filter(a > m) <- Join left (t.b = u.b) <- t, Aggregate by b: avg(c) AS m <- u

Exact in three-valued logic: a filter keeps the rows for which IN is true, NOT IN keeps those for
which no comparison is true or null. A scalar subquery of an aggregate has one row for each row around
it: the group of its key, which is there at most once; without a group a count is zero, other
aggregates are null. What makes a choice, or is correlated in another way, stays a subquery.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

from veer.facts.determinism import dataflow_kind
from veer.functions.registry import Kind
from veer.ir import expr as ex, ops, walk
from veer.ir.conditions import conjunction, conjuncts
from veer.ir.dag import Dataflow
from veer.ir.json import is_alike
from veer.ir.schema import Schema
from veer.ir.types import has_floats
from veer.rewrite.builder import Builder, may_be_ordered
from veer.rewrite.columns import by_place, column_at
from veer.rewrite.dataflows.implied_predicates import has_query
from veer.rewrite.expressions import Normalize, is_random
from veer.rewrite.sweep import Sweeps

# Aggregates that are null over no rows, where there is no group.
NULL_OF_NOTHING = frozenset({"sum", "avg", "min", "max"})
ZERO_OF_NOTHING = frozenset({"count", "count_if"})


@final
@dataclass(frozen=True)
class _Correlated:
    """A query without its result: its signal, what it computes, and the rows around it that see it."""

    query: Dataflow
    top: str  # the signal whose rows are compared with the row around
    outputs: tuple[ex.Expr, ...]
    filters: tuple[ex.Expr, ...]  # on rows of the query alone
    correlations: tuple[ex.Expr, ...]  # that read the row around it


def subqueries_to_joins(dataflow: Dataflow, sweeps: Sweeps) -> Dataflow:
    """The dataflow with joins in place of subqueries, where that is exact.

    Sweeps write projections into what stands above them, which this makes new ones of.
    """
    return _with_joins(dataflow, sweeps.inline)


def _with_joins(dataflow: Dataflow, inline: Normalize) -> Dataflow:
    if not any(has_query(e) for o in dataflow.operators.values() for e in _exprs(o)):
        return dataflow
    writing = _Writing(dataflow, inline)
    for id_ in dataflow.order:
        writing.write(id_)
    made = writing.builder.dataflow()
    return dataflow if made is dataflow else inline(made)


def _exprs(operator: ops.AnyOperator) -> Iterable[ex.Expr]:
    match operator:
        case ops.Filter(predicate):
            return [predicate]
        case ops.Project(columns):
            return [n.expr for n in columns]
        case _:
            return []


@final
class _Writing:
    """The operators so far, those of subqueries among them."""

    def __init__(self, old: Dataflow, inline: Normalize) -> None:
        self.old = old
        self.builder = Builder(old)
        self._inline = inline
        self._add, self._schemas = self.builder.add, self.builder.schemas

    def write(self, id_: str) -> None:
        """One operator of the old dataflow, under its id."""
        operator, below = self.old.operators[id_], self.old.inputs[id_]
        if not any(map(has_query, _exprs(operator))) or any(map(is_random, _exprs(operator))):
            return
        (source,) = below
        if may_be_ordered(self.old, source):  # a join has no order
            return
        match operator:
            case ops.Filter(predicate):
                base, rest = self._joined(id_, source, list(conjuncts(predicate)), in_filter=True)
                width = len(self._schemas[source])
                if base == source:
                    return
                kept = (
                    self._add(f"{id_} where", ops.Filter(conjunction(rest)), (base,))
                    if rest
                    else base
                )
                before = [column_at(self._schemas[kept], i) for i in range(width)]
                self.builder.put(
                    id_, ops.Project(tuple(ex.Named(c.name, c) for c in before)), (kept,)
                )
            case ops.Project(named):
                exprs = [n.expr for n in named]
                base, rest = self._joined(id_, source, exprs, in_filter=False)
                columns = tuple(ex.Named(n.name, e) for n, e in zip(named, rest, strict=True))
                if base != source:
                    self.builder.put(id_, ops.Project(columns), (base,))

    def _joined(
        self, id_: str, base: str, exprs: Sequence[ex.Expr], *, in_filter: bool
    ) -> tuple[str, list[ex.Expr]]:
        """What is below, joined with the subqueries of some expressions; and what is left of them."""
        rest: list[ex.Expr] = []
        for expr in exprs:
            joined = self._with_partners(id_, base, expr) if in_filter else None
            if joined is not None:
                base = joined
                continue
            values: dict[int, ex.Expr] = {}
            for node in walk.parts(expr):
                if isinstance(node, ex.ScalarQuery):
                    value = self._with_value(id_, base, node.query)
                    if value is not None:
                        base, values[id(node)] = value
            rest.append(walk.replace_down(expr, lambda n, v=values: v.get(id(n))))  # type: ignore[misc]
        return base, rest

    def _with_partners(self, id_: str, base: str, condition: ex.Expr) -> str | None:
        """The rows with, or without, a partner among those of a subquery."""
        negated = isinstance(condition, ex.Not)
        inner = condition.arg if isinstance(condition, ex.Not) else condition
        if not isinstance(inner, ex.Exists | ex.InQuery):
            return None
        query = _taken_apart(_with_joins(inner.query, self._inline))
        if query is None or any(
            map(has_query, inner.args if isinstance(inner, ex.InQuery) else ())
        ):
            return None
        top = self._embedded(id_, query)
        left, right = self._schemas[base], self._schemas[top]
        on = [_of_pair(c, left, right) for c in query.correlations]
        if isinstance(inner, ex.InQuery):
            outputs = [_of_pair(o, left, right) for o in query.outputs]
            pairs = zip(inner.args, outputs, strict=True)
            equal = conjunction([ex.Compare("=", one, other) for one, other in pairs])
            on.append(ex.Or((equal, ex.IsNull(equal))) if negated else equal)
        kind = ops.JoinKind.ANTI if negated else ops.JoinKind.SEMI
        return self._add(
            f"{id_} join", ops.Join(kind, conjunction(on) if on else None), (base, top)
        )

    def _with_value(self, id_: str, base: str, query: Dataflow) -> tuple[str, ex.Expr] | None:
        """What is below with the value of a scalar subquery of an aggregate."""
        query = _with_joins(query, self._inline)
        given = _aggregated(query)
        if given is None:
            return None
        value, keys, around, inner = given
        top = self._embedded(id_, inner)
        operator = inner.query.operators[query_top := _aggregate_of(query)]
        assert isinstance(operator, ops.GlobalAggregate), query_top
        left = self._schemas[base]
        if keys:
            named = tuple(ex.Named(f"_key{i}", k) for i, k in enumerate(keys))
            groups = self._add(f"{id_} groups", ops.Aggregate(named, operator.calls), (top,))
            both = left + self._schemas[groups]
            on = [
                ex.Compare("=", a, column_at(both, len(left) + i))
                for i, a in enumerate(_outer_as_column(a) for a in around)
            ]
            joined = self._add(
                f"{id_} join", ops.Join(ops.JoinKind.LEFT, conjunction(on)), (base, groups)
            )
        else:
            groups = self._add(f"{id_} groups", operator, (top,))
            joined = self._add(f"{id_} join", ops.Join(ops.JoinKind.CROSS), (base, groups))
        first = len(left) + len(keys)
        schema = self._schemas[joined]
        calls = [
            _or_zero(n, column_at(schema, first + i)) if keys else column_at(schema, first + i)
            for i, n in enumerate(operator.calls)
        ]
        own = query.schemas[query_top]
        return joined, by_place(value, own, lambda at: calls[at])

    def _embedded(self, id_: str, given: _Correlated) -> str:
        """The rows of a query that pass its own filters, as operators of this dataflow."""
        query = given.query
        needed = query.ancestors(given.top)
        names: dict[str, str] = {}
        for here in query.order:
            if here in needed:
                operator = query.operators[here]
                same = None if query.inputs[here] else self._same_leaf(operator)
                below = [names[i] for i in query.inputs[here]]
                names[here] = same or self._add(f"{id_} {here}", operator, below)
        top = names[given.top]
        if given.filters:
            top = self._add(f"{id_} filter", ops.Filter(conjunction(given.filters)), (top,))
        return top

    def _same_leaf(self, operator: ops.AnyOperator) -> str | None:
        inputs, operators = self.builder.inputs, self.builder.operators
        leaves = (i for i in operators if not inputs[i])
        known = (i for i in leaves if is_alike(operators[i], operator))
        return next(known, None)


# -- taking queries apart --------------------------------------------------------------------------


def _taken_apart(query: Dataflow) -> _Correlated | None:
    """A query whose rows depend on the row around it by its topmost filter alone."""
    if dataflow_kind(query) in (Kind.CHOICE, Kind.PARTITION):
        return None
    (sink,) = query.sinks
    (top,) = query.inputs[sink]
    outputs: tuple[ex.Expr, ...] = tuple(
        column_at(query.schemas[top], i) for i in range(len(query.schemas[top]))
    )
    if isinstance(query.operators[top], ops.Project):
        project = query.operators[top]
        assert isinstance(project, ops.Project)
        outputs = tuple(n.expr for n in project.columns)
        (top,) = query.inputs[top]
    return _below_filter(query, top, outputs)


def _below_filter(query: Dataflow, top: str, outputs: tuple[ex.Expr, ...]) -> _Correlated | None:
    filters: list[ex.Expr] = []
    correlations: list[ex.Expr] = []
    operator = query.operators[top]
    if isinstance(operator, ops.Filter):
        for condition in conjuncts(operator.predicate):
            (correlations if _reads_around(condition) else filters).append(condition)
        (top,) = query.inputs[top]
    below = query.ancestors(top)
    rest = [query.operators[i] for i in below]
    inner_exprs = (e for o in rest for e in walk.operator_exprs(o))
    if any(map(_reads_around, inner_exprs)) or any(o.own_query is not None for o in rest):
        return None
    if any(map(has_query, (*correlations, *outputs))):
        return None
    if any(o.depth > 1 for e in (*correlations, *outputs) for o in _outer(e)):
        return None
    return _Correlated(query, top, outputs, tuple(filters), tuple(correlations))


def _outer(expr: ex.Expr) -> Iterable[ex.OuterColumn]:
    return (n for n in walk.parts(expr) if isinstance(n, ex.OuterColumn))


def _reads_around(expr: ex.Expr) -> bool:
    """Whether an expression reads a row around its query."""
    if any(True for _ in _outer(expr)):
        return True
    queries = (
        n.query for n in walk.parts(expr) if isinstance(n, ex.Exists | ex.InQuery | ex.ScalarQuery)
    )
    return any(o.depth > 1 for q in queries for o in walk.outer_columns(q))


def _aggregate_of(query: Dataflow) -> str:
    """The operator below the result of a query and its projection."""
    (sink,) = query.sinks
    (top,) = query.inputs[sink]
    return query.inputs[top][0] if isinstance(query.operators[top], ops.Project) else top


def _aggregated(
    query: Dataflow,
) -> tuple[ex.Expr, list[ex.Expr], list[ex.Expr], _Correlated] | None:
    """A query of one aggregate over all rows that have some keys equal to values around them.

    Its value over the calls, the keys, what they are compared with, and the rows.
    """
    if dataflow_kind(query) in (Kind.CHOICE, Kind.PARTITION):
        return None
    (sink,) = query.sinks
    (top,) = query.inputs[sink]
    operator, id_ = query.operators[top], top
    value: ex.Expr = column_at(query.schemas[top], 0)
    if isinstance(operator, ops.Project):
        value = operator.columns[0].expr
        (id_,) = query.inputs[top]
        operator = query.operators[id_]
    if not isinstance(operator, ops.GlobalAggregate) or has_query(value) or _reads_around(value):
        return None
    if any(_reads_around(e) or has_query(e) for e in walk.operator_exprs(operator)):
        return None
    known = NULL_OF_NOTHING | ZERO_OF_NOTHING
    (below,) = query.inputs[id_]
    given = _below_filter(query, below, ())
    if given is None:
        return None
    if given.correlations and any(n.call.function not in known for n in operator.calls):
        return None
    keys, around = [], []
    for condition in given.correlations:
        sides = _sides(condition)
        if sides is None:
            return None
        around.append(sides[0])
        keys.append(sides[1])
    return value, keys, around, given


def _sides(condition: ex.Expr) -> tuple[ex.Expr, ex.Expr] | None:
    """Of an equality, what is read of the row around and what of a row of the query."""
    match condition:
        case ex.Compare("=", left, right) if left.type == right.type and not has_floats(left.type):
            for one, other in ((left, right), (right, left)):
                if not any(True for _ in walk.columns_read(one)) and not any(
                    True for _ in _outer(other)
                ):
                    return one, other
    return None


# -- expressions -----------------------------------------------------------------------------------


def _of_pair(expr: ex.Expr, left: Schema, right: Schema) -> ex.Expr:
    """An expression of a query over a row around it joined with a row of its own."""
    both = left + right

    def node(part: ex.Expr) -> ex.Expr:
        match part:
            case ex.Column(name, _, occurrence):
                return column_at(both, len(left) + right.place(name, occurrence))
            case ex.OuterColumn(name, type_, occurrence, 1):
                return ex.Column(name, type_, occurrence)
            case _:
                return part

    return walk.transform(expr, node)


def _outer_as_column(expr: ex.Expr) -> ex.Expr:
    return walk.transform(
        expr,
        lambda n: ex.Column(n.name, n.type, n.occurrence) if isinstance(n, ex.OuterColumn) else n,
    )


def _or_zero(named: ops.NamedCall, column: ex.Column) -> ex.Expr:
    """The result of a call where there may be no group."""
    if named.call.function not in ZERO_OF_NOTHING:
        return column
    return ex.Call("coalesce", (column, ex.Literal(0, column.type)), column.type)
