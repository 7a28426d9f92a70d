"""A generator over an array or map that is written out: a union of a row for each item.

    Unnest(array(a, b) AS x) <- t              =>   Union <- Project(..., a AS x) <- t,
                                                             Project(..., b AS x) <- t
    Unnest(map('p', a, 'q', b) AS k, v) <- t   =>   Union <- Project(..., 'p', a) <- t,
                                                             Project(..., 'q', b) <- t

Sound because every row is repeated for every item, in no order that is promised. Keys of a map must be
different constants: Spark refuses others.
"""

from __future__ import annotations

from collections.abc import Sequence

from veer.expressions.laws import fold
from veer.ir import expr as ex, ops, types as ty
from veer.rewrite.expressions import is_random, size
from veer.rewrite.rewriting import LARGEST, ROW_MARK, Rewriting, View

MOST_ITEMS = 32
KEYS = (ty.IntegralType, ty.StringType, ty.DateType)  # types whose equal values look alike


def unnest_to_union(
    rewriting: Rewriting, id_: str, operator: ops.AnyOperator, below: Sequence[View]
) -> View | None:
    """A generator whose items are known one by one."""
    if not isinstance(operator, ops.Unnest):
        return None
    (view,) = below
    generator = rewriting.rewritten(operator.generator, id_, below)
    items = _items(generator, operator)
    if items is None or is_random(generator) or not 1 < len(items) <= MOST_ITEMS:
        return None
    width = len(rewriting.old.schemas[rewriting.old.inputs[id_][0]])
    rows = [_row(view, width, item, operator, place) for place, item in enumerate(items)]
    read = list(rewriting.needed[id_])
    if any(sum(size(row[i]) for i in read) > LARGEST for row in rows):
        return None
    names = rewriting.old.schemas[id_].names
    branches = [
        rewriting.add(
            f"{id_} item {place}",
            ops.Project(tuple(ex.Named(names[i], row[i]) for i in read) or (ROW_MARK,)),
            (view.base,),
        )
        for place, row in enumerate(rows)
    ]
    return rewriting.put(id_, ops.Union(), branches, read)


def _items(generator: ex.Expr, operator: ops.Unnest) -> list[tuple[ex.Expr, ...]] | None:
    """What each item adds to a row, if they are written out."""
    match generator:
        case ex.Call("array", items, ty.ArrayType(ty.StructType(fields))) if operator.inline:
            names = [name for name, _ in fields]
            if len(set(names)) < len(names):
                return None
            return [tuple(fold(ex.GetField(i, name)) for name in names) for i in items]
        case ex.Call("array", items):
            return [(item,) for item in items]
        case ex.Call("map", entries):
            keys, values = entries[::2], entries[1::2]
            known = {
                k.value for k in keys if isinstance(k, ex.Literal) and isinstance(k.type, KEYS)
            }
            if len(known) < len(keys) or None in known:
                return None
            return list(zip(keys, values, strict=True))
        case _:
            return None


def _row(
    view: View, width: int, item: tuple[ex.Expr, ...], operator: ops.Unnest, place: int
) -> dict[int, ex.Expr]:
    """The columns of a row with one item."""
    position: tuple[ex.Expr, ...] = (ex.Literal(place, ty.INT),) if operator.position else ()
    return {**view.columns, **{width + i: e for i, e in enumerate((*position, *item))}}
