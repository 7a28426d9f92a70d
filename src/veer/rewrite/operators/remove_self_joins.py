"""Rows of a table joined with the same table by a key are joined with themselves.

    Join(semi, k = k) <- Filter(a) <- t, Filter(b) <- t   =>   Filter(a AND b) <- t
    Join(anti, k = k) <- t, Filter(b) <- t                =>   Filter(NOT coalesce(b, FALSE)) <- t
    Join(inner, k = k) <- t, Filter(b) <- t               =>   Filter(b) <- t, with its columns twice

Sound because no two rows agree on a key: the only row that a row can meet is itself, which it meets if
what is asked of both holds of it. Filters alone may stand between: they keep rows as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from veer.expressions.constant_folding import FALSE
from veer.expressions.true_conditions import where_true
from veer.ir import expr as ex, ops
from veer.ir.conditions import conjunction, conjuncts
from veer.rewrite.columns import by_place
from veer.rewrite.dataflows.implied_predicates import has_query
from veer.rewrite.expressions import is_random
from veer.rewrite.rewriting import Rewriting, View


def remove_self_join(
    rewriting: Rewriting, id_: str, operator: ops.AnyOperator, below: Sequence[View]
) -> View | None:
    """A join of a table with itself by a key."""
    if not isinstance(operator, ops.Join) or operator.kind not in (
        ops.JoinKind.INNER,
        ops.JoinKind.SEMI,
        ops.JoinKind.ANTI,
    ):
        return None
    left, right = below
    first, second = (_source(rewriting, view.base) for view in below)
    if operator.condition is None or first is None or second is None:
        return None
    if rewriting.operators[first] != rewriting.operators[second]:
        return None
    condition = rewriting.rewritten(operator.condition, id_, below)
    asked = [condition, *_predicates(rewriting, right.base)]
    if any(has_query(c) or is_random(c) for c in asked):
        return None
    if not rewriting.are_unique(id_, second, _met(rewriting, left.base, condition)):
        return None
    holds = where_true(conjunction([_of_left(rewriting, left.base, condition), *asked[1:]]))
    columns = dict(left.columns)
    if operator.kind == ops.JoinKind.ANTI:
        holds = ex.Not(ex.Call("coalesce", (holds, FALSE), FALSE.type))
    if operator.kind == ops.JoinKind.INNER:
        width = len(rewriting.old.schemas[rewriting.old.inputs[id_][0]])
        columns |= {width + i: expr for i, expr in right.columns.items()}
    return View(rewriting.add(f"{id_} itself", ops.Filter(holds), (left.base,)), columns)


def _source(rewriting: Rewriting, id_: str) -> str | None:
    """The table whose rows a placed signal keeps some of."""
    while isinstance(rewriting.operators[id_], ops.Filter):
        (id_,) = rewriting.inputs[id_]
    return id_ if isinstance(rewriting.operators[id_], ops.Source) else None


def _predicates(rewriting: Rewriting, id_: str) -> Iterator[ex.Expr]:
    while isinstance(operator := rewriting.operators[id_], ops.Filter):
        yield operator.predicate
        (id_,) = rewriting.inputs[id_]


def _met(rewriting: Rewriting, left: str, condition: ex.Expr) -> list[ex.Expr]:
    """The columns of the table that are equal in both rows where a condition is true."""
    equal: list[ex.Expr] = []
    for part in conjuncts(condition):
        match part:
            case ex.Compare("=" | "<=>", ex.Column() as one, ex.Column() as other):
                both = {_of_left(rewriting, left, one), _of_left(rewriting, left, other)}
                if len(both) == 1 and one != other:
                    equal += both
    return equal


def _of_left(rewriting: Rewriting, left: str, expr: ex.Expr) -> ex.Expr:
    """An expression over the joined row as one over the left row alone, which is both."""
    schema = rewriting.schemas[left]
    return by_place(expr, schema + schema, lambda at: rewriting.column(left, at % len(schema)))
