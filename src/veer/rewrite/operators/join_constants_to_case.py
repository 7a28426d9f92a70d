"""A join with constant rows in which each row finds at most one of them adds a CASE.

    Join(left, k = code) <- t, Values(code, rate) ('a', 1), ('b', 2)
        =>   Project(..., CASE WHEN k = 'a' THEN 1 WHEN k = 'b' THEN 2 END AS rate) <- t
    Join(inner, d >= start) <- t, Values(start) (DATE '2024-01-01')
        =>   Project(..., DATE '2024-01-01' AS start) <- Filter(d >= DATE '2024-01-01') <- t
    Join(semi, k = code) <- t, Values(code) ('a'), ('b')
        =>   Filter(k = 'a' OR k = 'b') <- t

Sound because the conditions of the constant rows exclude each other: they compare the same value with
other constants, or with ranges that do not meet. Rows in an order are left: a join keeps none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from veer.errors import UnsupportedError
from veer.expressions.constant_folding import FALSE, SETTLED, TRUE
from veer.expressions.laws import normal_node
from veer.expressions.true_conditions import where_true
from veer.functions.ordering import sort_key
from veer.ir import expr as ex, ops
from veer.ir.conditions import conjuncts, disjunction
from veer.ir.traits import RowOrder
from veer.rewrite.expressions import is_random, size
from veer.rewrite.rewriting import LARGEST, Rewriting, View

MOST_ROWS = 50
MOST_NODES = 4000  # of all conditions


def join_constants_to_case(
    rewriting: Rewriting, id_: str, operator: ops.AnyOperator, below: Sequence[View]
) -> View | None:
    """A join with constant rows over what is placed below."""
    if not isinstance(operator, ops.Join) or operator.kind == ops.JoinKind.FULL:
        return None
    sides = (1, 0) if operator.kind in (ops.JoinKind.INNER, ops.JoinKind.CROSS) else (1,)
    for side in sides:
        rows = _constant_rows(rewriting, below[side])
        if rows is not None and not _is_ordered(rewriting, below[1 - side].base):
            try:
                return _joined(rewriting, id_, operator, below, side, rows)
            except UnsupportedError:  # a subquery of the condition reads what is constant
                return None
    return None


Row = Mapping[int, ex.Expr]  # what constant columns are, by their places


def _constant_rows(rewriting: Rewriting, view: View) -> list[Row] | None:
    """The rows of a view that are constants."""
    values = rewriting.operators[view.base]
    if not isinstance(values, ops.Values) or len(values.rows) > MOST_ROWS:
        return None
    schema = rewriting.schemas[view.base]

    def constant(row: Sequence[Any], column: ex.Column) -> ex.Expr:
        place = schema.place(column.name, column.occurrence)
        return ex.Literal(row[place], schema.fields[place].type)

    return [
        {
            i: rewriting.changed(expr, lambda c, row=row: constant(row, c))  # type: ignore[misc]
            for i, expr in view.columns.items()
        }
        for row in values.rows
    ]


def _is_ordered(rewriting: Rewriting, id_: str) -> bool:
    """Whether rows that are placed are in an order."""
    while (order := rewriting.operators[id_].traits.order) is RowOrder.KEPT:
        (id_,) = rewriting.inputs[id_]
    return order is RowOrder.OWN


def _joined(
    rewriting: Rewriting,
    id_: str,
    operator: ops.Join,
    below: Sequence[View],
    side: int,
    rows: Sequence[Row],
) -> View | None:
    conditions = [_condition(rewriting, id_, operator, below, side, row) for row in rows]
    met = [(c, row) for c, row in zip(conditions, rows, strict=True) if c != FALSE]
    if sum(size(c) for c, _ in met) > MOST_NODES or any(is_random(c) for c, _ in met):
        return None
    base = below[1 - side].base
    kept = below[1 - side].columns
    some = _any_of([c for c, _ in met])
    if operator.kind in (ops.JoinKind.SEMI, ops.JoinKind.ANTI):
        wanted = (
            some
            if operator.kind == ops.JoinKind.SEMI
            else ex.Not(ex.Call("coalesce", (some, FALSE), FALSE.type))
        )
        return View(_filtered(rewriting, id_, base, wanted), kept)
    if not all(_exclude(a, b) for (a, _), (b, _) in combinations(met, 2)):
        return None
    width = len(rewriting.old.schemas[rewriting.old.inputs[id_][0]])
    offset = width if side == 1 else 0
    added = {i + offset: _chosen(met, i, e) for i, e in below[side].columns.items()}
    columns = {i + width - offset: e for i, e in kept.items()} | added
    if operator.kind != ops.JoinKind.LEFT:
        base = _filtered(rewriting, id_, base, some)
    return _placed_if_large(rewriting, id_, View(base, columns))


def _condition(
    rewriting: Rewriting, id_: str, operator: ops.Join, below: Sequence[View], side: int, row: Row
) -> ex.Expr:
    """When a row finds a constant one, over what is placed on the other side."""
    if operator.condition is None:
        return TRUE
    first, second = (rewriting.old.schemas[i] for i in rewriting.old.inputs[id_])
    both, width = first + second, len(first)
    sides = [row if i == side else below[i].columns for i in (0, 1)]

    def column(read: ex.Column) -> ex.Expr:
        place = both.place(read.name, read.occurrence)
        return sides[0][place] if place < width else sides[1][place - width]

    return where_true(rewriting.changed(operator.condition, column))


def _filtered(rewriting: Rewriting, id_: str, base: str, condition: ex.Expr) -> str:
    if condition == TRUE:
        return base
    return rewriting.add(f"{id_} where", ops.Filter(condition), (base,))


def _any_of(conditions: Sequence[ex.Expr]) -> ex.Expr:
    """That one of the conditions is true; equalities with constants as a list."""
    if not conditions:
        return FALSE
    compared = {c.left: None for c in conditions if isinstance(c, ex.Compare) and c.op == "="}
    values = [
        c.right for c in conditions if isinstance(c, ex.Compare) and isinstance(c.right, ex.Literal)
    ]
    if len(conditions) > 1 and len(compared) == 1 and len(values) == len(conditions):
        if all(isinstance(c, ex.Compare) and c.op == "=" for c in conditions):
            return normal_node(ex.InList(next(iter(compared)), tuple(values)))
    return where_true(disjunction(conditions))


def _chosen(met: Sequence[tuple[ex.Expr, Row]], place: int, column: ex.Expr) -> ex.Expr:
    """A column of the constant row that is met, null if there is none."""
    if len(met) == 1 and met[0][0] == TRUE:
        return met[0][1][place]
    branches = tuple((condition, row[place]) for condition, row in met)
    return (
        ex.Case(branches, ex.Literal(None, column.type))
        if branches
        else ex.Literal(None, column.type)
    )


def _placed_if_large(rewriting: Rewriting, id_: str, view: View) -> View:
    """What is computed is written into what stands above, unless it is much."""
    if sum(map(size, view.columns.values())) <= LARGEST:
        return view
    columns = tuple(ex.Named(f"c{i}", e) for i, e in view.columns.items())
    return rewriting.put(id_, ops.Project(columns), (view.base,), list(view.columns))


# -- conditions that exclude each other ------------------------------------------------------------


class _Range(NamedTuple):
    """The values of an expression: from one to another, with these or without."""

    low: Any = None
    high: Any = None
    strict: bool = False


def _exclude(one: ex.Expr, other: ex.Expr) -> bool:
    """Whether two conditions are never true together, as far as two of their parts tell."""
    return any(_meet_never(a, b) for a in conjuncts(one) for b in conjuncts(other))


def _meet_never(one: ex.Expr, other: ex.Expr) -> bool:
    match one, other:
        case ex.Compare(_, left, ex.Literal() as a), ex.Compare(_, right, ex.Literal() as b):
            if left != right or a.type != b.type or not isinstance(a.type, SETTLED):
                return False
            first, second = _range(one), _range(other)
            return _is_below(first, second) or _is_below(second, first)
        case _:
            return False


def _range(condition: ex.Compare) -> _Range:
    assert isinstance(condition.right, ex.Literal)
    if condition.right.value is None:
        return _Range()
    value = sort_key(condition.right.type)(condition.right.value)
    match condition.op:
        case "=":
            return _Range(value, value)
        case "<" | "<=":
            return _Range(high=value, strict=condition.op == "<")
        case ">" | ">=":
            return _Range(low=value, strict=condition.op == ">")
        case _:
            return _Range()


def _is_below(one: _Range, other: _Range) -> bool:
    """Whether all values of a range are less than those of another."""
    if one.high is None or other.low is None:
        return False
    strict = one.strict or other.strict
    return bool(one.high < other.low or (strict and one.high == other.low))
