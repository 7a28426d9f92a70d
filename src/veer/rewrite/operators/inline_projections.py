"""Projections are written into what stands above them.

    Filter(c > 1) <- Project(b + 1 AS c) <- t   =>   Filter(b + 1 > 1) <- t,   c being b + 1

Sound because an expression that is a function of its row has the same value wherever it is
computed. One that is random is computed once, where it stands, so its projection is placed; so is
one that has become large, since it may be written several times.
"""

from __future__ import annotations

from collections.abc import Sequence

from veer.ir import ops
from veer.ir.expr import Named
from veer.rewrite.expressions import is_random, size
from veer.rewrite.rewriting import LARGEST, Rewriting, View


def inline_projection(
    rewriting: Rewriting, id_: str, operator: ops.AnyOperator, below: Sequence[View]
) -> View | None:
    """The columns of a projection that are read, over what is placed below."""
    if not isinstance(operator, ops.Project):
        return None
    columns = operator.columns
    exprs = {i: rewriting.rewritten(columns[i].expr, id_, below) for i in rewriting.needed[id_]}
    (view,) = below
    if not any(map(is_random, exprs.values())) and sum(map(size, exprs.values())) <= LARGEST:
        return View(view.base, exprs)
    placed = ops.Project(tuple(Named(columns[i].name, e) for i, e in exprs.items()))
    return rewriting.put(id_, placed, (view.base,), list(exprs))
