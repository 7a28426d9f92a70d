"""Aggregates of the same groups that are joined on their keys are one aggregate.

    Join(a = a) <- Aggregate(a; sum(x)) <- t, Aggregate(a; max(y)) <- t
        =>   Aggregate(a; sum(x), max(y)) <- t
    Join(left, k = a) <- Join(left, k = a) <- s, Aggregate(a; sum(x)) <- t
                         Aggregate(a; max(y)) <- t
        =>   Join(left, k = a) <- s, Aggregate(a; sum(x), max(y)) <- t

Sound because both have a row for every group of the same rows, so that each row finds a partner in one
exactly where it does in the other, and one partner at most. A null key finds none by `=`: then two
aggregates are joined to each other by keys that are never null, or by `<=>`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

from veer.analysis.call_kinds import call_kind
from veer.functions.registry import Kind
from veer.model.conditions import conjuncts
from veer.model.expr import Column, Compare, Expr, Named
from veer.model.json import is_alike
from veer.model.ops import Aggregate, AnyOperator, Join, Project
from veer.model.schema import Schema
from veer.model.walk import columns_read, exprs_in, substitute_columns
from veer.normalize.expressions import is_random
from veer.normalize.rewriting import Rewriting, View


def join_groups(
    rewriting: Rewriting, id_: str, operator: AnyOperator, below: Sequence[View]
) -> View | None:
    """A join with an aggregate whose groups are those of another that is joined already."""
    if not isinstance(operator, Join) or operator.kind not in ("inner", "left"):
        return None
    left, right = below
    second = _groups(rewriting, right.base)
    if second is None or operator.condition is None:
        return None
    condition = rewriting.rewritten(operator.condition, id_, below)
    schema = rewriting.schemas[left.base]
    met = _met(condition, schema, second)
    if met is None:
        return None
    first = _groups(rewriting, left.base)
    if first is not None:
        return _one_aggregate(rewriting, id_, below, (first, second), met)
    return _one_join(rewriting, id_, below, second, met, operator.kind)


@final
@dataclass(frozen=True)
class _Groups:
    """A placed aggregate whose calls give one result, and what is shown of it."""

    aggregate: Aggregate
    rows: str  # what it is over
    schema: Schema  # of the aggregate
    shown: tuple[Expr, ...]  # over its columns
    output: Schema  # of what is shown

    def key(self, expr: Expr) -> int | None:
        """Which key an expression over its columns is, if it is one."""
        if not isinstance(expr, Column):
            return None
        place = self.schema.place(expr.name, expr.occurrence)
        return place if place < len(self.aggregate.keys) else None

    def same_keys(self, other: _Groups) -> dict[int, int] | None:
        """Where each key of another aggregate stands among its own; None if the groups differ."""
        keys = self.aggregate.keys
        if self.rows != other.rows or len(keys) != len(other.aggregate.keys):
            return None
        places: dict[int, int] = {}
        for i, key in enumerate(other.aggregate.keys):
            same = (j for j, own in enumerate(keys) if is_alike(own.expr, key.expr))
            places[i] = next(same, -1)
        return None if -1 in places.values() else places


def _groups(rewriting: Rewriting, id_: str) -> _Groups | None:
    """A placed aggregate, or a projection of one."""
    operator, output = rewriting.operators[id_], rewriting.schemas[id_]
    shown = None
    if isinstance(operator, Project):
        shown = tuple(named.expr for named in operator.columns)
        (id_,) = rewriting.inputs[id_]
        operator = rewriting.operators[id_]
    if not isinstance(operator, Aggregate):
        return None
    inside = [e for part in (*operator.keys, *operator.calls) for e in exprs_in(part)]
    if any(map(is_random, (*inside, *(shown or ())))):
        return None
    (rows,) = rewriting.inputs[id_]
    if not rewriting.give_one_result(operator, rows):
        return None
    schema = rewriting.schemas[id_]
    every = tuple(rewriting.column(id_, i) for i in range(len(schema)))
    return _Groups(operator, rows, schema, every if shown is None else shown, output)


def _note_keys(rewriting: Rewriting, id_: str, groups: Sequence[_Groups]) -> None:
    """Say that joining groups rests on declared keys, if calls are a choice without them."""
    calls = (named.call for g in groups for named in g.aggregate.calls)
    if any(call_kind(call) is not Kind.PURE for call in calls):
        rewriting.note_keys(id_)


def _together(first: Aggregate, second: Aggregate) -> Aggregate:
    """One aggregate with the calls of both, by the keys of the first."""
    return Aggregate(first.keys, first.calls + second.calls)


def _places_of_second(
    first: Aggregate, second: Aggregate, keys: Mapping[int, int]
) -> dict[int, int]:
    """Where the columns of the second aggregate stand in both together."""
    behind = len(first.keys) + len(first.calls)
    return {**keys, **{len(second.keys) + i: behind + i for i in range(len(second.calls))}}


# -- conditions --------------------------------------------------------------------------------------


def _met(condition: Expr, left: Schema, right: _Groups) -> dict[int, Compare] | None:
    """For each key of the groups at the right what it is equal to; None if more is asked, or less.

    A comparison has what is of the left side at its left.
    """
    both, width = left + right.output, len(left)

    def key_at_right(expr: Expr) -> int | None:
        if not isinstance(expr, Column):
            return None
        place = both.place(expr.name, expr.occurrence) - width
        return right.key(right.shown[place]) if place >= 0 else None

    def is_of_left(expr: Expr) -> bool:
        return all(both.place(c.name, c.occurrence) < width for c in columns_read(expr))

    met: dict[int, Compare] = {}
    for part in conjuncts(condition):
        if not isinstance(part, Compare) or part.op not in ("=", "<=>"):
            return None
        one, two = part.left, part.right
        if key_at_right(two) is None:
            one, two = two, one
        key = key_at_right(two)
        if key is None or key in met or not is_of_left(one) or is_random(one):
            return None
        met[key] = Compare(part.op, one, two)
    return met if len(met) == len(right.aggregate.keys) else None


# -- two aggregates ------------------------------------------------------------------------------------


def _one_aggregate(
    rewriting: Rewriting,
    id_: str,
    below: Sequence[View],
    groups: tuple[_Groups, _Groups],
    met: Mapping[int, Compare],
) -> View | None:
    """Two aggregates joined to each other, every row with its own."""
    first, second = groups
    keys = first.same_keys(second)
    if keys is None:
        return None
    left, right = below
    for i, equal in met.items():
        place = _place(equal.left, first.output)
        if place is None or first.key(first.shown[place]) != keys[i]:
            return None
        if equal.op == "=" and rewriting.can_be_null(left.base, equal.left):
            return None
    _note_keys(rewriting, id_, groups)
    rewriting.put(id_, _together(first.aggregate, second.aggregate), (first.rows,))
    moved = _places_of_second(first.aggregate, second.aggregate, keys)
    columns = _columns(rewriting, id_, left, first, {i: i for i in range(len(first.schema))})
    width = len(rewriting.old.schemas[rewriting.old.inputs[id_][0]])
    for i, expr in _columns(rewriting, id_, right, second, moved).items():
        columns[width + i] = expr
    return View(id_, columns)


def _columns(
    rewriting: Rewriting, id_: str, view: View, groups: _Groups, places: Mapping[int, int]
) -> dict[int, Expr]:
    """The columns of a view of groups over those of a larger aggregate."""

    def shown(column: Column) -> Expr:
        return groups.shown[groups.output.place(column.name, column.occurrence)]

    def moved(column: Column) -> Expr:
        place = groups.schema.place(column.name, column.occurrence)
        return rewriting.column(id_, places[place])

    columns = view.columns.items()
    return {i: substitute_columns(substitute_columns(e, shown), moved) for i, e in columns}


# -- two joins -----------------------------------------------------------------------------------------


def _one_join(
    rewriting: Rewriting,
    id_: str,
    below: Sequence[View],
    second: _Groups,
    met: Mapping[int, Compare],
    kind: str,
) -> View | None:
    """A join of rows that are joined with an aggregate of the same groups already."""
    left, right = below
    lower = rewriting.operators[left.base]
    if not isinstance(lower, Join) or lower.kind not in ("inner", "left"):
        return None
    kept, other = rewriting.inputs[left.base]
    first = _groups(rewriting, other)
    keys = None if first is None else first.same_keys(second)
    if first is None or keys is None or lower.condition is None:
        return None
    met_before = _met(lower.condition, rewriting.schemas[kept], first)
    if met_before is None:
        return None
    for i, equal in met.items():
        before = met_before[keys[i]]
        # By `=` the partner's key finds what the row's own value does: where there is no partner, none.
        by_partner = equal.op == "=" and equal.left == before.right
        if equal.op != before.op or not (by_partner or is_alike(equal.left, before.left)):
            return None
    together = _together(first.aggregate, second.aggregate)
    _note_keys(rewriting, id_, (first, second))
    base = rewriting.add(other, together, (first.rows,))
    shown = [
        *_columns(
            rewriting, base, _whole(first), first, {i: i for i in range(len(first.schema))}
        ).values()
    ]
    moved = _places_of_second(first.aggregate, second.aggregate, keys)
    added = _columns(rewriting, base, right, second, moved)
    partner, places = _placed(rewriting, base, [*shown, *added.values()])
    width = len(rewriting.schemas[kept])
    old = rewriting.schemas[left.base]

    def place(column: Column) -> int:
        at = old.place(column.name, column.occurrence)
        return at if at < width else width + places[at - width]

    both = rewriting.schemas[kept] + rewriting.schemas[partner]
    condition = substitute_columns(lower.condition, lambda c: _column(both, place(c)))
    both_left = lower.kind == kind == "left"
    rewriting.put(id_, Join("left" if both_left else "inner", condition), (kept, partner))
    columns = {
        i: substitute_columns(e, lambda c: rewriting.column(id_, place(c)))
        for i, e in left.columns.items()
    }
    first_new = len(rewriting.old.schemas[rewriting.old.inputs[id_][0]])
    for at, i in enumerate(added):
        columns[first_new + i] = rewriting.column(id_, width + places[len(shown) + at])
    return View(id_, columns)


def _whole(groups: _Groups) -> View:
    """All that is shown of groups."""
    return View("", {i: _column(groups.output, i) for i in range(len(groups.output))})


def _placed(rewriting: Rewriting, base: str, exprs: Sequence[Expr]) -> tuple[str, list[int]]:
    """Expressions over a placed signal, by a projection if one computes; where each stands."""
    places = [_place(e, rewriting.schemas[base]) for e in exprs]
    known = [p for p in places if p is not None]
    if len(known) == len(exprs):
        return base, known
    columns = tuple(Named(f"c{i}", e) for i, e in enumerate(exprs))
    return rewriting.add(f"{base} columns", Project(columns), (base,)), list(range(len(exprs)))


def _place(expr: Expr, schema: Schema) -> int | None:
    """Where a column stands; None for what is computed."""
    return schema.place(expr.name, expr.occurrence) if isinstance(expr, Column) else None


def _column(schema: Schema, place: int) -> Column:
    field = schema.fields[place]
    return Column(field.name, field.type, schema.occurrence(place))
