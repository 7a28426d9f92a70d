"""The branches of a union below a union are branches of that.

    Union <- Project(a + 1) <- Union <- t, u;  v   =>   Union <- Project(a + 1) <- t,
                                                                 Project(a + 1) <- u,  v

Sound because a union keeps all rows of all its inputs, in no order, and a projection between the
two computes each row alone. One that is random is placed (`inline_projections`), so a union below
it is left as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from veer.errors import UnsupportedError
from veer.ir import ops
from veer.rewrite.columns import by_place
from veer.rewrite.expressions import is_random, size
from veer.rewrite.rewriting import LARGEST, Rewriting, View

MOST_BRANCHES = 64  # of a union that becomes part of another


def merge_unions(
    rewriting: Rewriting, id_: str, operator: ops.AnyOperator, below: Sequence[View]
) -> View | None:
    """A union of the columns that are read, with the branches of unions below it."""
    if not isinstance(operator, ops.Union):
        return None
    read = list(rewriting.needed[id_])
    inputs = rewriting.old.inputs[id_]
    branches = [branch for i in inputs for branch in _branches(rewriting, i, read)]
    return rewriting.put(id_, operator, branches, read)


def _branches(rewriting: Rewriting, id_: str, read: Sequence[int]) -> list[str]:
    """What an input of a union is made of: itself, or the branches of a union that it is."""
    view = rewriting.views[id_]
    lower = rewriting.operators[view.base]
    inputs = rewriting.inputs[view.base]
    if isinstance(lower, ops.Union) and len(inputs) <= MOST_BRANCHES:
        try:
            views = [_over_branch(rewriting, view, branch, read) for branch in inputs]
        except UnsupportedError:  # a subquery reads what is computed below
            views = []
        if views and all(sum(map(size, v.columns.values())) <= LARGEST for v in views):
            names = (f"{id_} columns {number}" for number in range(len(views)))
            return [
                rewriting.place(name, over, list(over.columns))
                for name, over in zip(names, views, strict=True)
            ]
    return [rewriting.placed(id_, read)]


def _over_branch(rewriting: Rewriting, view: View, branch: str, read: Sequence[int]) -> View:
    """The columns of a view of a union, over one of its branches."""
    schema = rewriting.schemas[view.base]
    inside = _inside(rewriting, branch)
    moved = {i: by_place(view.columns[i], schema, lambda at: inside.columns[at]) for i in read}
    return View(inside.base, {i: rewriting.changed(e, lambda c: c) for i, e in moved.items()})


def _inside(rewriting: Rewriting, id_: str) -> View:
    """A placed signal over what its projection stands on, if it is one."""
    operator = rewriting.operators[id_]
    if isinstance(operator, ops.Project) and not any(is_random(n.expr) for n in operator.columns):
        exprs = (named.expr for named in operator.columns)
        return View(rewriting.inputs[id_][0], dict(enumerate(exprs)))
    return rewriting.whole(id_)
