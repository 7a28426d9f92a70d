"""Predicate pushdown: every condition is checked as far down as it can be, with what follows from it.

    Filter(a = b AND b > 3) <- Join cross <- t(a), u(b)
        =>   Join inner (a = b) <- Filter(a > 3) <- t,  Filter(b > 3) <- u

A condition passes what it cannot tell from its input: projections, sorts, both sides of an inner
join, the kept side of an outer one, groups if it reads their keys only, partitions of window
functions likewise, every branch of a union. An outer join whose padded rows a condition rejects is
an inner one. What a join requires of one side, and what follows for that side from what holds of the
other, is checked before.

Rows are kept or left out as before, each as often: a condition is moved only over operators that
give the same rows of the rows it keeps, and what is added follows. An operator with several readers
may be written once for each of them, but never one that chooses, or reads such a choice; and no
condition passes one that chooses, so that it chooses among the same rows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from veer.expressions.laws import normal_node
from veer.facts.determinism import operator_kind, resting_on
from veer.facts.needs import rounds
from veer.facts.row_counts import counts_of_rows, most_rows
from veer.functions.registry import Kind
from veer.ir import expr as ex, ops
from veer.ir.conditions import conjunction, conjuncts
from veer.ir.dag import Dataflow
from veer.ir.digests import text_of
from veer.ir.schema import Schema
from veer.ir.types import has_floats
from veer.ir.walk import transform
from veer.rewrite.builder import dataflow_of, may_be_ordered, or_alike
from veer.rewrite.columns import by_place, column_at, places_read, turned_into
from veer.rewrite.dataflows import implied_predicates
from veer.rewrite.dataflows.known_predicates import KnownPredicates
from veer.rewrite.expressions import is_random, size

LARGEST = 100  # nodes of what is written into a condition
MOST_OPERATORS = 2_000  # of the dataflow that is made


class TooManyError(Exception):
    """More operators than are worth it."""


def push_predicates(dataflow: Dataflow) -> Dataflow:
    """The dataflow with its conditions as far down as they go."""
    pushing = _Pushing(dataflow)
    try:
        for sink in dataflow.sinks:
            pushing.push(sink, ())
    except TooManyError:
        return dataflow
    return or_alike(dataflow, pushing.dataflow())


@final
class _Pushing:
    """The new operators so far; equal ones over the same inputs are one."""

    def __init__(self, old: Dataflow) -> None:
        self.old = old
        self.holding = KnownPredicates(old)
        self.operators: dict[str, ops.AnyOperator] = {}
        self.inputs: dict[str, tuple[str, ...]] = {}
        self.schemas: dict[str, Schema] = {}
        self._by_text: dict[tuple[str, tuple[str, ...]], str] = {}
        self._pushed: dict[tuple[str, tuple[str, ...]], str] = {}
        self._choosing = resting_on(old, Kind.CHOICE, Kind.PARTITION)

    def dataflow(self) -> Dataflow:
        """What the sinks need."""
        return dataflow_of(self.operators, self.inputs, self.old.sinks)

    # -- new operators -------------------------------------------------------------------------

    def _add(self, id_: str, operator: ops.AnyOperator, below: Sequence[str]) -> str:
        key = (text_of(operator), tuple(below))
        known = self._by_text.get(key)
        if known is not None and known not in self._choosing and id_ not in self._choosing:
            return known
        while id_ in self.operators:
            id_ += "'"
        if len(self.operators) >= MOST_OPERATORS:
            raise TooManyError
        self.operators[id_], self.inputs[id_] = operator, tuple(below)
        self.schemas[id_] = operator.output([self.schemas[i] for i in below])
        self._by_text[key] = id_
        return id_

    def _filtered(self, id_: str, conditions: Sequence[ex.Expr], above: str) -> str:
        """A signal with those rows only for which conditions hold."""
        kept = implied_predicates.smallest(conditions, self.schemas[id_])
        return self._add(f"{above} where", ops.Filter(conjunction(kept)), (id_,)) if kept else id_

    # -- conditions ----------------------------------------------------------------------------

    def push(self, id_: str, conditions: Sequence[ex.Expr]) -> str:
        """The new signal of an old one, of its rows only those for which the conditions hold.

        It has the columns of the old one.
        """
        conditions = implied_predicates.smallest(conditions, self.old.schemas[id_])
        readers = len(self.old.outputs[id_])
        # What chooses chooses among the same rows as before: no condition passes it.
        if conditions and (self._chooses(id_) or (id_ in self._choosing and readers > 1)):
            return self._filtered(self.push(id_, ()), conditions, id_)
        key = (id_, tuple(map(text_of, conditions)))
        if key not in self._pushed:
            self._pushed[key] = self._push(id_, conditions)
        return self._pushed[key]

    def _push(self, id_: str, conditions: Sequence[ex.Expr]) -> str:
        operator = self.old.operators[id_]
        match operator:
            case ops.Filter(predicate) if not is_random(predicate):
                (below,) = self.old.inputs[id_]
                return self.push(below, [*conditions, *conjuncts(predicate)])
            case ops.Join():
                return self._join(id_, operator, conditions)
            case ops.Union():
                return self._union(id_, operator, conditions)
            case ops.Limit(count, 0) if self._most_rows(id_) <= (count or 0):
                return self.push(self.old.inputs[id_][0], conditions)
            case ops.Sort() if self._most_rows(id_) <= 1:
                return self.push(self.old.inputs[id_][0], conditions)
            case ops.Project() | ops.Aggregate() | ops.Sort() | ops.Over() | ops.Unnest():
                return self._one_input(id_, operator, conditions)
            case _:
                inputs = [self.push(i, ()) for i in self.old.inputs[id_]]
                return self._filtered(self._add(id_, operator, inputs), conditions, id_)

    def _chooses(self, id_: str) -> bool:
        """Whether an operator makes a choice, other than how floats are rounded."""
        kind = operator_kind(self.old, id_)
        return kind in (Kind.CHOICE, Kind.PARTITION) and not rounds(self.old.operators[id_])

    def _most_rows(self, id_: str) -> float:
        """How many rows the input of an operator has at most."""
        return most_rows(self.old, self.old.inputs[id_][0])

    def _one_input(self, id_: str, operator: ops.AnyOperator, conditions: Sequence[ex.Expr]) -> str:
        (below,) = self.old.inputs[id_]
        sources = _computed_from(operator, self.old.schemas[below])
        moved, stay = _moved(conditions, self.old.schemas[id_], sources)
        new = self._add(id_, operator, (self.push(below, moved),))
        if isinstance(operator, ops.Aggregate):
            numbers = counts_of_rows(operator)
            stay = [c for c in stay if not _asks_for_a_row(c, self.old.schemas[id_], numbers)]
        return self._filtered(new, stay, id_)

    def _union(self, id_: str, operator: ops.Union, conditions: Sequence[ex.Expr]) -> str:
        schema = self.old.schemas[id_]
        inputs = self.old.inputs[id_]
        branches: list[list[ex.Expr]] = []
        for below in inputs:
            inner = self.old.schemas[below]
            sources = _columns_of(inner) if inner.types == schema.types else {}
            moved, stay = _moved(conditions, schema, sources)
            if stay:  # all branches alike, or none
                new = self._add(id_, operator, [self.push(i, ()) for i in inputs])
                return self._filtered(new, conditions, id_)
            branches.append(moved)
        kept = [
            (i, moved)
            for i, moved in zip(inputs, branches, strict=True)
            if not self._is_empty(i, moved)
        ] or [(inputs[0], branches[0])]
        if len(kept) > 1 or len(inputs) == 1 or may_be_ordered(self.old, kept[0][0]):
            return self._add(id_, operator, [self.push(i, moved) for i, moved in kept])
        ((only, moved),) = kept
        inner = self.old.schemas[only]
        named = tuple(ex.Named(f.name, column_at(inner, i)) for i, f in enumerate(schema))
        return self._add(id_, ops.Project(named), (self.push(only, moved),))

    def _is_empty(self, id_: str, conditions: Sequence[ex.Expr]) -> bool:
        """Whether a condition is never true of what projections and groups say of a signal."""
        if any(map(implied_predicates.is_never, conditions)):
            return True
        operator = self.old.operators[id_]
        match operator:
            case ops.Project() | ops.Aggregate() | ops.Sort():
                (below,) = self.old.inputs[id_]
                sources = _computed_from(operator, self.old.schemas[below])
                moved, _ = _moved(conditions, self.old.schemas[id_], sources)
                return bool(moved) and self._is_empty(below, moved)
            case ops.Filter():
                return self._is_empty(self.old.inputs[id_][0], conditions)
            case _:
                return False

    # -- joins -----------------------------------------------------------------------------------

    def _join(self, id_: str, join: ops.Join, conditions: Sequence[ex.Expr]) -> str:
        """A join with each side as small as its conditions allow."""
        left, right = self.old.inputs[id_]
        ours, theirs = self.old.schemas[left], self.old.schemas[right]
        both, width = ours + theirs, len(ours)
        on = [] if join.condition is None else list(conjuncts(join.condition))
        if any(map(is_random, on)):
            below = [self.push(i, ()) for i in (left, right)]
            return self._filtered(self._add(id_, join, below), conditions, id_)
        kind = _without_padding(join.kind, conditions, both, width)
        placed = place_join_predicates(
            kind, conditions, on, self.holding.of_join(left, right), both, width
        )
        new_left = self.push(left, [_for_side(c, both, ours, 0) for c in placed.left])
        new_right = self.push(right, [_for_side(c, both, theirs, width) for c in placed.right])
        condition = conjunction(placed.on) if placed.on else None
        if kind in (ops.JoinKind.INNER, ops.JoinKind.CROSS):
            kind = ops.JoinKind.CROSS if condition is None else ops.JoinKind.INNER
        new = self._add(id_, ops.Join(kind, condition), (new_left, new_right))
        return self._filtered(new, placed.above, id_)


def _without_padding(
    kind: ops.JoinKind, conditions: Sequence[ex.Expr], both: Schema, width: int
) -> ops.JoinKind:
    """The kind of a join whose padded rows are rejected by conditions above it."""
    if kind not in (ops.JoinKind.LEFT, ops.JoinKind.FULL):
        return kind
    columns = (
        c for condition in conditions for c in implied_predicates.rejects_nulls_of(condition)
    )
    places = {at for column in columns for at in places_read(column, both)}
    left, right = set(range(width)), set(range(width, len(both)))
    rejects_left = bool(places & left) or _is_never_where_null(conditions, both, left)
    rejects_right = bool(places & right) or _is_never_where_null(conditions, both, right)
    if rejects_right and (kind == ops.JoinKind.LEFT or rejects_left):
        return ops.JoinKind.INNER
    return ops.JoinKind.LEFT if kind == ops.JoinKind.FULL and rejects_left else kind


def _is_never_where_null(conditions: Sequence[ex.Expr], both: Schema, places: set[int]) -> bool:
    """Whether a condition is true of no row that has nulls at all these places."""

    def null_there(at: int) -> ex.Expr:
        return ex.Literal(None, both.types[at]) if at in places else column_at(both, at)

    for condition in conditions:
        if implied_predicates.has_query(condition) or is_random(condition):
            continue
        if places & places_read(condition, both):
            given = by_place(condition, both, null_there)
            if implied_predicates.is_never(transform(given, normal_node)):
                return True
    return False


def _for_side(condition: ex.Expr, both: Schema, side: Schema, start: int) -> ex.Expr:
    """A condition on a joined row about one side of it."""
    return by_place(condition, both, lambda at: column_at(side, at - start))


def _computed_from(operator: ops.AnyOperator, below: Schema) -> Mapping[int, ex.Expr]:
    """The columns of an output through which a condition passes, as computed of the input."""
    match operator:
        case ops.Project(columns):
            return {i: n.expr for i, n in enumerate(columns) if _is_plain(n.expr)}
        case ops.Aggregate(keys):
            # A group shows 0.0 where its rows may have -0.0.
            return {
                i: k.expr
                for i, k in enumerate(keys)
                if _is_plain(k.expr) and not has_floats(k.expr.type)
            }
        case ops.Over(calls):
            return _partitioned_by([n.call for n in calls], below)
        case _:
            return _columns_of(below)


def _asks_for_a_row(condition: ex.Expr, schema: Schema, numbers: Collection[int]) -> bool:
    """Whether a condition only asks that a group has a row, as every group does."""
    match condition:
        case ex.Compare(">=", ex.Column(name, _, occurrence), ex.Literal(int() as least)):
            return least <= 1 and schema.place(name, occurrence) in numbers
        case _:
            return False


def _columns_of(below: Schema) -> Mapping[int, ex.Expr]:
    """The columns of an input, which come first."""
    return {i: column_at(below, i) for i in range(len(below))}


def _is_plain(expr: ex.Expr) -> bool:
    """Whether an expression may be written into a condition."""
    return not is_random(expr) and size(expr) <= LARGEST and not implied_predicates.has_query(expr)


def _partitioned_by(calls: Sequence[ex.OverCall], below: Schema) -> Mapping[int, ex.Expr]:
    """The columns that make the partitions of all window functions."""
    shared = [
        i
        for i in range(len(below))
        if not has_floats(below.fields[i].type)
        and all(column_at(below, i) in call.partition for call in calls)
    ]
    return {i: column_at(below, i) for i in shared}


def _moved(
    conditions: Sequence[ex.Expr], schema: Schema, sources: Mapping[int, ex.Expr]
) -> tuple[list[ex.Expr], list[ex.Expr]]:
    """The conditions that can be checked below, over what is below; and those that cannot."""
    moved: list[ex.Expr] = []
    stay: list[ex.Expr] = []
    for condition in conditions:
        instead = None
        if places_read(condition, schema) and not is_random(condition):
            instead = turned_into(condition, schema, sources)
        if instead is None:
            stay.append(condition)
        else:
            moved.append(transform(instead, normal_node))
    return moved, stay


@final
@dataclass(frozen=True)
class PlacedPredicates:
    """All over the columns of the joined row."""

    left: Sequence[ex.Expr]
    right: Sequence[ex.Expr]
    on: Sequence[ex.Expr]
    above: Sequence[ex.Expr]


def place_join_predicates(
    kind: ops.JoinKind,
    above: Sequence[ex.Expr],
    on: Sequence[ex.Expr],
    known: tuple[Sequence[ex.Expr], Sequence[ex.Expr]],
    both: Schema,
    width: int,
) -> PlacedPredicates:
    """The conditions `above` a join and `on` its pairs, each as far down as it goes.

    `known` holds of the inputs anyway. Only left rows with a partner show in an inner or semi join,
    so what follows from the condition can be required of them. On the right, rows that fit no left
    row that is kept are never missed, whatever the kind; a full join keeps them.
    """
    if kind == ops.JoinKind.FULL:
        return PlacedPredicates((), (), implied_predicates.smallest(on, both), above)

    def is_left(condition: ex.Expr) -> bool:
        places = places_read(condition, both)
        return bool(places) and max(places) < width

    def is_right(condition: ex.Expr) -> bool:
        places = places_read(condition, both)
        return bool(places) and min(places) >= width

    if kind in (ops.JoinKind.INNER, ops.JoinKind.CROSS):
        on, above = [*above, *on], ()
    of_left = [c for c in above if is_left(c)]
    above = [c for c in above if not is_left(c)]
    pairs = implied_predicates.consequences([*of_left, *on, *known[0], *known[1]])
    sides = [
        implied_predicates.one_sided(c, is_side) for c in pairs for is_side in (is_left, is_right)
    ]
    pairs = implied_predicates.consequences([*pairs, *(c for c in sides if c is not None)])
    if kind in (ops.JoinKind.INNER, ops.JoinKind.CROSS, ops.JoinKind.SEMI):
        of_left += [c for c in pairs if is_left(c)]
        on = [c for c in on if not is_left(c)]
    else:
        of_left = [c for c in implied_predicates.consequences([*of_left, *known[0]]) if is_left(c)]
    of_right = [c for c in pairs if is_right(c)]
    on = [c for c in on if not is_right(c)]
    if kind in (ops.JoinKind.INNER, ops.JoinKind.CROSS):  # subqueries of filters become joins
        above = [c for c in on if implied_predicates.has_query(c)]
        on = [c for c in on if not implied_predicates.has_query(c)]
    return PlacedPredicates(
        _new(of_left, known[0]),
        _new(of_right, known[1]),
        implied_predicates.smallest(on, both),
        above,
    )


def _new(conditions: Sequence[ex.Expr], known: Sequence[ex.Expr]) -> list[ex.Expr]:
    """The conditions without those that hold anyway."""
    held = {text_of(c) for c in implied_predicates.consequences(known)}
    return [c for c in conditions if text_of(c) not in held]
