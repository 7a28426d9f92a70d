"""Sorts and generators read their columns from below the projections.

    Sort(c) <- Project(b + 1 AS c) <- t             =>   Sort(b + 1) <- t
    Unnest(xs AS e) <- Project(split(s) AS xs) <- t   =>   Unnest(split(s) AS e) <- t
    Unnest(sequence(a, b) AS d) <- t                  =>   Project(date_add(a, n) AS d)
                                                             <- Unnest(sequence(0, datediff(b, a)) AS n) <- t

Sound because both keep all columns of their input, so what the projection computes can be computed
above them as well. Dates of a sequence are counted from its first one, upwards or downwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from veer.ir import expr as ex, ops, types as ty
from veer.rewrite.rewriting import Rewriting, View


def inline_into_reader(
    rewriting: Rewriting, id_: str, operator: ops.AnyOperator, below: Sequence[View]
) -> View | None:
    """A sort or a generator over what is placed below."""
    match operator:
        case ops.Sort(keys):
            (view,) = below
            rewriting.put(id_, ops.Sort(rewriting.rewritten(keys, id_, below)), (view.base,))
            return replace(view, base=id_)
        case ops.Unnest():
            return _unnest(rewriting, id_, operator, below)
        case _:
            return None


def _unnest(rewriting: Rewriting, id_: str, operator: ops.Unnest, below: Sequence[View]) -> View:
    (view,) = below
    generator = rewriting.rewritten(operator.generator, id_, below)
    start = None
    match generator:
        case ex.Call("sequence", (first, last)) if first.type == last.type == ty.DATE:
            start = first
            days = ex.Call("datediff", (last, first), ty.INT)
            numbers = ex.Call("sequence", (ex.Literal(0, ty.INT), days), ty.ArrayType(ty.INT))
            generator = rewriting.changed(numbers, lambda column: column)
    rewriting.put(id_, replace(operator, generator=generator), (view.base,))
    width = len(rewriting.old.schemas[rewriting.old.inputs[id_][0]])
    first_place = len(rewriting.schemas[view.base])
    elements: dict[int, ex.Expr] = {
        width + i: rewriting.column(id_, first_place + i) for i in range(len(operator.names))
    }
    if start is not None:
        place = width + len(operator.names) - 1
        elements[place] = ex.Call("date_add", (start, elements[place]), ty.DATE)
    return View(id_, {**view.columns, **elements})
