"""Sorts and generators read their columns from below the projections.

    Sort(c) <- Project(b + 1 AS c) <- t             =>   Sort(b + 1) <- t
    Unnest(xs AS e) <- Project(split(s) AS xs) <- t   =>   Unnest(split(s) AS e) <- t

Sound because both keep all columns of their input, so what the projection computes can be computed
above them as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from veer.model.ops import AnyOperator, Sort, Unnest
from veer.normalize.rewriting import Rewriting, View


def rewrite_reader(
    rewriting: Rewriting, id_: str, operator: AnyOperator, below: Sequence[View]
) -> View | None:
    """A sort or a generator over what is placed below."""
    match operator:
        case Sort(keys):
            (view,) = below
            rewriting.put(id_, Sort(rewriting.rewritten(keys, id_, below)), (view.base,))
            return replace(view, base=id_)
        case Unnest():
            return _unnest(rewriting, id_, operator, below)
        case _:
            return None


def _unnest(rewriting: Rewriting, id_: str, operator: Unnest, below: Sequence[View]) -> View:
    (view,) = below
    generator = rewriting.rewritten(operator.generator, id_, below)
    rewriting.put(id_, replace(operator, generator=generator), (view.base,))
    width = len(rewriting.old.schemas[rewriting.old.inputs[id_][0]])
    first = len(rewriting.schemas[view.base])
    elements = {width + i: rewriting.column(id_, first + i) for i in range(len(operator.names))}
    return View(id_, {**view.columns, **elements})
