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
from veer.model.expr import Call, Expr, GetField, Literal, Named
from veer.model.ops import AnyOperator, Project, Union, Unnest
from veer.model.types import INT, ArrayType, DateType, IntegralType, StringType, StructType
from veer.normalize.expressions import is_random, size
from veer.normalize.rewriting import LARGEST, ROW_MARK, Rewriting, View

MOST_ITEMS = 32
KEYS = (IntegralType, StringType, DateType)  # types whose equal values look alike


def unnest_to_union(
    rewriting: Rewriting, id_: str, operator: AnyOperator, below: Sequence[View]
) -> View | None:
    """A generator whose items are known one by one."""
    if not isinstance(operator, Unnest):
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
            Project(tuple(Named(names[i], row[i]) for i in read) or (ROW_MARK,)),
            (view.base,),
        )
        for place, row in enumerate(rows)
    ]
    return rewriting.put(id_, Union(), branches, read)


def _items(generator: Expr, operator: Unnest) -> list[tuple[Expr, ...]] | None:
    """What each item adds to a row, if they are written out."""
    match generator:
        case Call("array", items, ArrayType(StructType(fields))) if operator.inline:
            names = [name for name, _ in fields]
            if len(set(names)) < len(names):
                return None
            return [tuple(fold(GetField(i, name)) for name in names) for i in items]
        case Call("array", items):
            return [(item,) for item in items]
        case Call("map", entries):
            keys, values = entries[::2], entries[1::2]
            known = {k.value for k in keys if isinstance(k, Literal) and isinstance(k.type, KEYS)}
            if len(known) < len(keys) or None in known:
                return None
            return list(zip(keys, values, strict=True))
        case _:
            return None


def _row(
    view: View, width: int, item: tuple[Expr, ...], operator: Unnest, place: int
) -> dict[int, Expr]:
    """The columns of a row with one item."""
    position: tuple[Expr, ...] = (Literal(place, INT),) if operator.position else ()
    return {**view.columns, **{width + i: e for i, e in enumerate((*position, *item))}}
