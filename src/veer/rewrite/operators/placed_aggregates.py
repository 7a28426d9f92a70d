"""Aggregates that stand in a dataflow being normalized, and two of them as one.

    Aggregate(a; sum(x)) <- Filter(c) <- t    and    Aggregate(a; max(y)) <- t
        =>   Aggregate(a; sum(CASE WHEN c THEN x END), count(CASE WHEN c THEN 1 END), max(y)) <- t

The count is zero where the first has no such group: what it shows is null there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import final

from veer.facts.call_kinds import call_kind
from veer.functions.registry import Kind, aggregate_function
from veer.ir import expr as ex, ops
from veer.ir.conditions import conjunction, conjuncts, disjunction
from veer.ir.json import is_alike
from veer.ir.schema import Schema
from veer.ir.types import LONG
from veer.ir.walk import exprs_in
from veer.rewrite.columns import by_place
from veer.rewrite.dataflows.implied_predicates import has_query
from veer.rewrite.expressions import is_random
from veer.rewrite.plain_calls import ONE, only_if
from veer.rewrite.rewriting import Rewriting


@final
@dataclass(frozen=True)
class Groups:
    """A placed aggregate whose calls give one result, and what is shown of it."""

    aggregate: ops.Aggregate
    rows: str  # what it is over
    base: str  # below the filter on these rows, if there is one
    conditions: tuple[ex.Expr, ...]  # of that filter
    schema: Schema  # of the aggregate
    shown: tuple[ex.Expr, ...]  # over its columns
    output: Schema  # of what is shown

    def key(self, expr: ex.Expr) -> int | None:
        """Which key an expression over its columns is, if it is one."""
        if not isinstance(expr, ex.Column):
            return None
        place = self.schema.place(expr.name, expr.occurrence)
        return place if place < len(self.aggregate.keys) else None

    def same_keys(self, other: Groups) -> dict[int, int] | None:
        """Where each key of another aggregate stands among its own; None if one does not."""
        keys = self.aggregate.keys
        if len(keys) != len(other.aggregate.keys):
            return None
        places: dict[int, int] = {}
        for i, key in enumerate(other.aggregate.keys):
            same = (j for j, own in enumerate(keys) if is_alike(own.expr, key.expr))
            places[i] = next(same, -1)
        return None if -1 in places.values() else places


def placed_aggregate(rewriting: Rewriting, id_: str) -> Groups | None:
    """A placed aggregate, or a projection of one."""
    operator, output = rewriting.operators[id_], rewriting.schemas[id_]
    shown = None
    if isinstance(operator, ops.Project):
        shown = tuple(named.expr for named in operator.columns)
        (id_,) = rewriting.inputs[id_]
        operator = rewriting.operators[id_]
    if not isinstance(operator, ops.Aggregate):
        return None
    inside = [e for part in (*operator.keys, *operator.calls) for e in exprs_in(part)]
    if any(map(is_random, (*inside, *(shown or ())))):
        return None
    (rows,) = rewriting.inputs[id_]
    if not rewriting.give_one_result(operator, rows):
        return None
    schema = rewriting.schemas[id_]
    every = tuple(rewriting.column(id_, i) for i in range(len(schema)))
    base, conditions = _below_filter(rewriting, rows)
    return Groups(
        operator, rows, base, conditions, schema, every if shown is None else shown, output
    )


def _below_filter(rewriting: Rewriting, rows: str) -> tuple[str, tuple[ex.Expr, ...]]:
    operator = rewriting.operators[rows]
    if not isinstance(operator, ops.Filter):
        return rows, ()
    if is_random(operator.predicate) or has_query(operator.predicate):
        return rows, ()
    return rewriting.inputs[rows][0], tuple(conjuncts(operator.predicate))


def note_keys(rewriting: Rewriting, id_: str, groups: Sequence[Groups]) -> None:
    """Say that joining groups rests on declared keys, if calls are a choice without them."""
    calls = (named.call for g in groups for named in g.aggregate.calls)
    if any(call_kind(call) is not Kind.PURE for call in calls):
        rewriting.note_keys(id_)


# -- rows in common ------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class SharedRows:
    """Rows below two aggregates, each of which sees those that meet its own conditions."""

    base: str
    common: tuple[ex.Expr, ...]
    own: tuple[tuple[ex.Expr, ...], tuple[ex.Expr, ...]]

    def placed(self, rewriting: Rewriting, id_: str, more: Sequence[ex.Expr] = ()) -> str:
        """The rows that both are among, under further conditions."""
        conditions = (*self.common, *more)
        if not conditions:
            return self.base
        return rewriting.add(f"{id_} rows", ops.Filter(conjunction(conditions)), (self.base,))

    def of_either(self) -> tuple[ex.Expr, ...]:
        """The condition that a row is one of either aggregate."""
        if not all(self.own):
            return ()
        return (disjunction([conjunction(own) for own in self.own]),)


def shared_rows(first: Groups, second: Groups) -> SharedRows | None:
    """The rows below two aggregates, if they are the same but for conditions."""
    if first.rows == second.rows:
        return SharedRows(first.rows, (), ((), ()))
    if first.rows == second.base:
        shared = SharedRows(first.rows, (), ((), second.conditions))
    elif first.base == second.rows:
        shared = SharedRows(second.rows, (), (first.conditions, ()))
    elif first.base == second.base:
        ours, theirs = first.conditions, second.conditions
        common = tuple(c for c in ours if any(is_alike(c, d) for d in theirs))
        shared = SharedRows(first.base, common, (_without(ours, common), _without(theirs, common)))
    else:
        return None
    sides = zip((first, second), shared.own, strict=True)
    return shared if all(not own or _can_skip(groups) for groups, own in sides) else None


def _without(conditions: Sequence[ex.Expr], left_out: Sequence[ex.Expr]) -> tuple[ex.Expr, ...]:
    return tuple(c for c in conditions if not any(is_alike(c, d) for d in left_out))


def _can_skip(groups: Groups) -> bool:
    """Whether all calls skip the rows in which their arguments are null."""
    return all(
        call_kind(n.call) is Kind.PURE
        and n.call.where is None
        and aggregate_function(n.call.function).ignores_nulls
        and (n.call.function == "count" or len(n.call.args) == 1)
        for n in groups.aggregate.calls
    )


# -- one aggregate -------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class Merged:
    """One aggregate for two: where their columns stand in it, and the counts of their rows."""

    aggregate: ops.Aggregate
    groups: tuple[Groups, Groups]
    places: tuple[Mapping[int, int], Mapping[int, int]]
    numbers: tuple[int | None, int | None]  # columns; none where each group has a row
    compared: tuple[int, ...] = ()  # keys that meet no others where they are null

    def is_there(self, rewriting: Rewriting, id_: str, side: int) -> ex.Expr | None:
        """That the placed aggregate has rows of one of the two; None if it always has."""
        place = self.numbers[side]
        if place is None:
            return None
        return ex.Not(ex.Compare("=", rewriting.column(id_, place), ex.Literal(0, LONG)))

    def value(self, rewriting: Rewriting, id_: str, side: int, expr: ex.Expr) -> ex.Expr:
        """What is computed of one of the two, over the placed aggregate."""
        groups, places = self.groups[side], self.places[side]
        return by_place(expr, groups.schema, lambda at: rewriting.column(id_, places[at]))

    def shown(self, rewriting: Rewriting, id_: str, side: int, expr: ex.Expr) -> ex.Expr:
        """The same where one of the two has rows that are met; null where it has none."""
        value = self.value(rewriting, id_, side, expr)
        there = self.is_there(rewriting, id_, side)
        met: list[ex.Expr] = [
            ex.Not(ex.IsNull(rewriting.column(id_, place))) for place in self.compared
        ]
        if there is not None and (met or not self._is_null_of_nothing(self.groups[side], expr)):
            met.append(there)
        if not met:
            return value
        return ex.Case(((conjunction(met), value),), ex.Literal(None, value.type))

    def _is_null_of_nothing(self, groups: Groups, expr: ex.Expr) -> bool:
        if not isinstance(expr, ex.Column):
            return False
        call = groups.schema.place(expr.name, expr.occurrence) - len(groups.aggregate.keys)
        return call >= 0 and _gives_null(groups.aggregate.calls[call].call)


def _gives_null(call: ex.AggregateCall) -> bool:
    return aggregate_function(call.function).empty_is_null


def merged(first: Groups, second: Groups, keys: Mapping[int, int], shared: SharedRows) -> Merged:
    """The calls of two aggregates by the keys of the first, over the rows they share."""
    calls: list[ops.NamedCall] = []
    width = len(first.aggregate.keys)
    places: list[Mapping[int, int]] = []
    numbers: list[int | None] = []
    own_keys = ({i: i for i in range(width)}, keys)
    for groups, key_places, own in zip((first, second), own_keys, shared.own, strict=True):
        start = width + len(calls)
        calls += [_only_where(named, own) for named in groups.aggregate.calls]
        places.append(
            {**key_places, **{width + i: start + i for i in range(len(groups.aggregate.calls))}}
        )
        if own:
            calls.append(
                _only_where(ops.NamedCall("rows", ex.AggregateCall("count", (), LONG)), own)
            )
        numbers.append(width + len(calls) - 1 if own else None)
    aggregate = ops.Aggregate(first.aggregate.keys, tuple(calls))
    return Merged(aggregate, (first, second), (places[0], places[1]), (numbers[0], numbers[1]))


def _only_where(named: ops.NamedCall, conditions: Sequence[ex.Expr]) -> ops.NamedCall:
    """A call over those rows only for which conditions hold."""
    if not conditions:
        return named
    condition = conjunction(conditions)
    args = tuple(only_if(condition, arg) for arg in named.call.args or (ONE,))
    return replace(named, call=replace(named.call, args=args))
