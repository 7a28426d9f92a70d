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
from dataclasses import replace

from veer.ir import expr as ex, ops
from veer.ir.conditions import conjunction, conjuncts
from veer.ir.json import is_alike
from veer.ir.schema import Schema
from veer.ir.walk import columns_read
from veer.rewrite.columns import by_place, column_at
from veer.rewrite.expressions import is_random
from veer.rewrite.operators import placed_aggregates
from veer.rewrite.operators.share_lookups import share_lookups
from veer.rewrite.rewriting import Rewriting, View

# The sides of a join that have a row wherever it gives one.
NEVER_PADDED = {ops.JoinKind.INNER: (0, 1), ops.JoinKind.LEFT: (0,), ops.JoinKind.FULL: ()}


def merge_joined_aggregates(
    rewriting: Rewriting, id_: str, operator: ops.AnyOperator, below: Sequence[View]
) -> View | None:
    """A join with an aggregate whose groups are those of another that is joined already."""
    if not isinstance(operator, ops.Join) or operator.kind not in NEVER_PADDED:
        return None
    left, right = below
    second = placed_aggregates.placed_aggregate(rewriting, right.base)
    if second is None or operator.condition is None:
        return None
    condition = rewriting.rewritten(operator.condition, id_, below)
    schema = rewriting.schemas[left.base]
    met = _met(condition, schema, second)
    if met is None:
        return None
    first = placed_aggregates.placed_aggregate(rewriting, left.base)
    if first is not None:
        return _one_aggregate(rewriting, id_, below, (first, second), met, operator.kind)
    if operator.kind == ops.JoinKind.FULL:
        return None
    return _one_join(rewriting, id_, below, second, met, operator.kind)


# -- conditions --------------------------------------------------------------------------------------


def _met(
    condition: ex.Expr, left: Schema, right: placed_aggregates.Groups
) -> dict[int, ex.Compare] | None:
    """For each key of the groups at the right what it is equal to; None if more is asked, or less.

    A comparison has what is of the left side at its left.
    """
    both, width = left + right.output, len(left)

    def key_at_right(expr: ex.Expr) -> int | None:
        if not isinstance(expr, ex.Column):
            return None
        place = both.place(expr.name, expr.occurrence) - width
        return right.key(right.shown[place]) if place >= 0 else None

    def is_of_left(expr: ex.Expr) -> bool:
        return all(both.place(c.name, c.occurrence) < width for c in columns_read(expr))

    met: dict[int, ex.Compare] = {}
    for part in conjuncts(condition):
        if not isinstance(part, ex.Compare) or part.op not in ("=", "<=>"):
            return None
        one, two = part.left, part.right
        if key_at_right(two) is None:
            one, two = two, one
        key = key_at_right(two)
        if key is None or key in met or not is_of_left(one) or is_random(one):
            return None
        met[key] = ex.Compare(part.op, one, two)
    return met if len(met) == len(right.aggregate.keys) else None


# -- two aggregates ------------------------------------------------------------------------------------


def _one_aggregate(
    rewriting: Rewriting,
    id_: str,
    below: Sequence[View],
    groups: tuple[placed_aggregates.Groups, placed_aggregates.Groups],
    met: Mapping[int, ex.Compare],
    kind: ops.JoinKind,
) -> View | None:
    """Two aggregates joined to each other, every row with its own."""
    first, second = groups
    if placed_aggregates.shared_rows(first, second) is None:
        first, second = share_lookups(rewriting, id_, first, second) or groups
    keys, shared = first.same_keys(second), placed_aggregates.shared_rows(first, second)
    if keys is None or shared is None:
        return None
    compared: list[int] = []  # keys without which no rows are joined
    for i, equal in met.items():
        place = _place(equal.left, first.output)
        if place is None or first.key(first.shown[place]) != keys[i]:
            return None
        if equal.op == "=" and rewriting.can_be_null(below[0].base, equal.left):
            compared.append(keys[i])
    if compared and kind == ops.JoinKind.FULL:
        return None
    placed_aggregates.note_keys(rewriting, id_, groups)
    both = placed_aggregates.merged(first, second, keys, shared)
    more: list[ex.Expr] = list(shared.of_either()) if kind == ops.JoinKind.FULL else []
    if kind == ops.JoinKind.INNER:
        more += [ex.Not(ex.IsNull(first.aggregate.keys[i].expr)) for i in compared]
    else:
        both = replace(both, compared=tuple(compared))
    return _view_of_merged(rewriting, id_, below, both, shared.placed(rewriting, id_, more), kind)


def _view_of_merged(
    rewriting: Rewriting,
    id_: str,
    below: Sequence[View],
    both: placed_aggregates.Merged,
    rows: str,
    kind: ops.JoinKind,
) -> View:
    """Both aggregates as one, with the groups that the join keeps."""
    base = rewriting.add(f"{id_} groups", both.aggregate, (rows,))
    columns: dict[int, ex.Expr] = {}
    width = len(rewriting.old.schemas[rewriting.old.inputs[id_][0]])
    for side, (view, start) in enumerate(zip(below, (0, width), strict=True)):
        show = both.value if side in NEVER_PADDED[kind] else both.shown
        for i, expr in view.columns.items():
            inside = _inside(expr, both.groups[side])
            columns[start + i] = show(rewriting, base, side, inside)
    there = [both.is_there(rewriting, base, side) for side in NEVER_PADDED[kind]]
    kept = [condition for condition in there if condition is not None]
    if not kept:
        return View(base, columns)
    rewriting.put(id_, ops.Filter(conjunction(kept)), (base,))
    return View(id_, columns)


def _inside(expr: ex.Expr, groups: placed_aggregates.Groups) -> ex.Expr:
    """An expression over what is shown of groups as one over their columns."""
    return by_place(expr, groups.output, lambda at: groups.shown[at])


# -- two joins -----------------------------------------------------------------------------------------


def _one_join(
    rewriting: Rewriting,
    id_: str,
    below: Sequence[View],
    second: placed_aggregates.Groups,
    met: Mapping[int, ex.Compare],
    kind: ops.JoinKind,
) -> View | None:
    """A join of rows that are joined with an aggregate of the same groups already."""
    left, right = below
    lower = rewriting.operators[left.base]
    if not isinstance(lower, ops.Join) or lower.kind not in (ops.JoinKind.INNER, ops.JoinKind.LEFT):
        return None
    kept, other = rewriting.inputs[left.base]
    first = placed_aggregates.placed_aggregate(rewriting, other)
    if first is None or lower.condition is None:
        return None
    keys, shared = first.same_keys(second), placed_aggregates.shared_rows(first, second)
    met_before = _met(lower.condition, rewriting.schemas[kept], first)
    if keys is None or shared is None or met_before is None:
        return None
    # Where a row must have a partner, one of the other aggregate would not do.
    if any(
        own and k == ops.JoinKind.INNER
        for own, k in zip(shared.own, (lower.kind, kind), strict=True)
    ):
        return None
    if not _meet_alike(met, met_before, keys, by_partner=not shared.own[0]):
        return None
    placed_aggregates.note_keys(rewriting, id_, (first, second))
    both = placed_aggregates.merged(first, second, keys, shared)
    base = rewriting.add(other, both.aggregate, (shared.placed(rewriting, id_),))
    shown = [both.shown(rewriting, base, 0, expr) for expr in first.shown]
    added = [both.shown(rewriting, base, 1, _inside(e, second)) for e in right.columns.values()]
    own_keys = [rewriting.column(base, i) for i in range(len(first.aggregate.keys))]
    partner, places = _placed(rewriting, base, [*shown, *added, *own_keys])
    width = len(rewriting.schemas[kept])
    joined = rewriting.schemas[kept] + rewriting.schemas[partner]
    key_places = places[len(shown) + len(added) :]
    condition = conjunction(
        [
            ex.Compare(equal.op, equal.left, column_at(joined, width + key_places[i]))
            for i, equal in met_before.items()
        ]
    )
    is_left = lower.kind == kind == ops.JoinKind.LEFT
    rewriting.put(
        id_,
        ops.Join(ops.JoinKind.LEFT if is_left else ops.JoinKind.INNER, condition),
        (kept, partner),
    )
    old = rewriting.schemas[left.base]

    def moved(at: int) -> ex.Expr:
        return rewriting.column(id_, at if at < width else width + places[at - width])

    columns = {i: by_place(e, old, moved) for i, e in left.columns.items()}
    first_new = len(rewriting.old.schemas[rewriting.old.inputs[id_][0]])
    for at, i in enumerate(right.columns):
        columns[first_new + i] = rewriting.column(id_, width + places[len(shown) + at])
    return View(id_, columns)


def _meet_alike(
    met: Mapping[int, ex.Compare],
    met_before: Mapping[int, ex.Compare],
    keys: Mapping[int, int],
    *,
    by_partner: bool,
) -> bool:
    """Whether a row meets groups of one aggregate where it meets those of the other.

    By `=` the partner's key finds what the row's own value does: where there is no partner, none.
    """
    for i, equal in met.items():
        before = met_before[keys[i]]
        through = by_partner and equal.op == "=" and equal.left == before.right
        if equal.op != before.op or not (through or is_alike(equal.left, before.left)):
            return False
    return True


def _placed(rewriting: Rewriting, base: str, exprs: Sequence[ex.Expr]) -> tuple[str, list[int]]:
    """Expressions over a placed signal, by a projection if one computes; where each stands."""
    places = [_place(e, rewriting.schemas[base]) for e in exprs]
    known = [p for p in places if p is not None]
    if len(known) == len(exprs):
        return base, known
    columns = tuple(ex.Named(f"c{i}", e) for i, e in enumerate(exprs))
    return rewriting.add(f"{base} columns", ops.Project(columns), (base,)), list(range(len(exprs)))


def _place(expr: ex.Expr, schema: Schema) -> int | None:
    """Where a column stands; None for what is computed."""
    return schema.place(expr.name, expr.occurrence) if isinstance(expr, ex.Column) else None
