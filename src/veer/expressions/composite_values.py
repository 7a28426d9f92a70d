"""A part taken of what was just put together is that part.

A struct or array that is put together is never null, a part of a null is null, and a map has no value
for a key that is null or missing. An index that the array has not is left: taking it fails.
"""

from __future__ import annotations

from veer.expressions.law import Simplify, Stage, law
from veer.facts.determinism import is_pure
from veer.ir import expr as ex, types as ty

KEYS = (ty.IntegralType, ty.StringType, ty.DateType)  # types whose equal values look alike


@law("named_struct('x', a, 'y', b).x => a", ex.GetField, stage=Stage.FOLDING)
def field_of_struct(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """A field of null is null, and that of a CASE the field of the branch taken."""
    match expr:
        case ex.GetField(ex.Literal(None)):
            return ex.Literal(None, expr.type)
        case ex.GetField(ex.Call("named_struct", parts), name):
            names = [n.value for n in parts[::2] if isinstance(n, ex.Literal)]
            return _if_typed(expr, parts[2 * names.index(name) + 1])
        case ex.GetField(ex.Case(branches, otherwise), name):
            return ex.Case(
                tuple((when, simplify(ex.GetField(then, name))) for when, then in branches),
                simplify(ex.GetField(otherwise, name)),
            )
    return None


@law("element_at(array(a, b), 2) => b", "item", "element_at", stage=Stage.FOLDING)
def item_of_array(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """The index is a constant that the array has."""
    match expr:
        case ex.Call("item", (ex.Call("array", items), ex.Literal(int() as place))):
            pass
        case ex.Call("element_at", (ex.Call("array", items), ex.Literal(int() as index))) if index:
            place = index - 1 if index > 0 else len(items) + index
        case _:
            return None
    return _if_typed(expr, items[place]) if 0 <= place < len(items) else None


@law("map('p', a, 'q', b)[k] => CASE WHEN k = 'p' THEN a WHEN k = 'q' THEN b END",
     "item", "element_at", stage=Stage.FOLDING)  # fmt: skip
def value_of_map(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """The keys are different constants that Spark compares as they are written.

    The one that is looked up is written several times: were it random, it would be drawn as often.
    """
    match expr:
        case ex.Call("item" | "element_at", (ex.Call("map", entries), key)):
            pass
        case _:
            return None
    keys, values = entries[::2], entries[1::2]
    texts = {k.value for k in keys if isinstance(k, ex.Literal) and isinstance(k.type, KEYS)}
    alike = all(k.type == key.type for k in keys) and all(v.type == expr.type for v in values)
    if not keys or None in texts or len(texts) < len(keys) or not alike or not is_pure(key):
        return None
    branches = tuple((ex.Compare("=", key, k), v) for k, v in zip(keys, values, strict=True))
    return ex.Case(branches, ex.Literal(None, expr.type))


@law("element_at(m, k) => m[k]", "element_at", stage=Stage.FOLDING)
def element_of_map(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """A map, not an array; the key is of its type."""
    match expr:
        case ex.Call("element_at", (map_, key)):
            if isinstance(map_.type, ty.MapType) and map_.type.key == key.type:
                return ex.Call("item", (map_, key), expr.type)
    return None


def _if_typed(expr: ex.Expr, part: ex.Expr) -> ex.Expr | None:
    return part if part.type == expr.type else None
