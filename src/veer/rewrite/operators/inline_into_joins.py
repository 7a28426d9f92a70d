"""Joins read their columns from below the projections of both sides.

    Join(x = y) <- Project(a + 1 AS x) <- t, Project(b AS y) <- u   =>   Join(a + 1 = b) <- t, u

Sound because a joined row has all columns of both rows. Not on the side of an outer join that is
padded, where what is computed of a row is null whatever it would be computed to: there a projection
is placed, unless all that it computes is null where the columns are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from veer.expressions.nulls import is_null_with_its_columns
from veer.expressions.true_conditions import where_true
from veer.ir import ops
from veer.rewrite.rewriting import Rewriting, View


def inline_into_join(
    rewriting: Rewriting, id_: str, operator: ops.AnyOperator, below: Sequence[View]
) -> View | None:
    """A join over what is placed below."""
    if not isinstance(operator, ops.Join):
        return None
    left, right = below
    sides = rewriting.old.inputs[id_]
    if operator.kind in (ops.JoinKind.LEFT, ops.JoinKind.FULL) and not _is_null_if_padded(right):
        right = rewriting.view_placed(sides[1])
    if operator.kind == ops.JoinKind.FULL and not _is_null_if_padded(left):
        left = rewriting.view_placed(sides[0])
    condition = rewriting.rewritten(operator.condition, id_, [left, right])
    condition = condition and where_true(condition)
    kept = [left] if operator.kind in (ops.JoinKind.SEMI, ops.JoinKind.ANTI) else [left, right]
    columns = rewriting.side_by_side(id_, kept)
    rewriting.put(id_, replace(operator, condition=condition), (left.base, right.base))
    return View(id_, columns)


def _is_null_if_padded(view: View) -> bool:
    """Whether what a view computes is null where all that it reads is: it can be computed later."""
    return all(map(is_null_with_its_columns, view.columns.values()))
