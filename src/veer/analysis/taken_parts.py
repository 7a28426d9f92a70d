"""A part taken of what was just put together is that part.

    named_struct('x', a, 'y', b).x                  =>   a
    array(a, b)[1],  element_at(array(a, b), 2)     =>   b
    (CASE WHEN c THEN s ELSE NULL END).x            =>   CASE WHEN c THEN s.x ELSE NULL END
    element_at(m, k)                                =>   m[k], m being a map
    map('p', a, 'q', b)[k]                          =>   CASE WHEN k = 'p' THEN a WHEN k = 'q' THEN b END

Exact: a struct or array that is put together is never null, a part of a null is null, and a map has
no value for a key that is null or missing. Keys must be different constants that Spark compares as
they are written. An index that the array has not is left: taking it fails.
"""

from __future__ import annotations

from collections.abc import Sequence

from veer.analysis.determinism import expr_kind
from veer.functions.registry import Kind
from veer.model.expr import Call, Case, Compare, Expr, GetField, Literal
from veer.model.types import DataType, DateType, IntegralType, MapType, StringType

KEYS = (IntegralType, StringType, DateType)  # types whose equal values look alike


def taken_part(expr: Expr) -> Expr:
    """The part that is taken, where it is known; else the expression. Looks at the top only."""
    match expr:
        case GetField(arg, name):
            return _field(expr, arg, name)
        case Call("item", (Call("array", items), Literal(int() as index))):
            return _item(expr, items, index)
        case Call("element_at", (Call("array", items), Literal(int() as index))) if index:
            return _item(expr, items, index - 1 if index > 0 else len(items) + index)
        case Call("item" | "element_at", (Call("map", entries), key)):
            return _looked_up(expr, entries, key)
        case Call("element_at", (map_, key)) if _has_keys_of(map_.type, key.type):
            return Call("item", (map_, key), expr.type)
        case _:
            return expr


def _field(expr: GetField, arg: Expr, name: str) -> Expr:
    match arg:
        case Literal(None):
            return Literal(None, expr.type)
        case Call("named_struct", parts):
            names = [n.value for n in parts[::2] if isinstance(n, Literal)]
            return _if_typed(expr, parts[2 * names.index(name) + 1])
        case Case(branches, otherwise):
            return Case(
                tuple((when, taken_part(GetField(then, name))) for when, then in branches),
                taken_part(GetField(otherwise, name)),
            )
        case _:
            return expr


def _item(expr: Expr, items: Sequence[Expr], place: int) -> Expr:
    return _if_typed(expr, items[place]) if 0 <= place < len(items) else expr


def _looked_up(expr: Expr, entries: Sequence[Expr], key: Expr) -> Expr:
    """The value of a key among those written, compared one after the other."""
    keys, values = entries[::2], entries[1::2]
    texts = {k.value for k in keys if isinstance(k, Literal) and isinstance(k.type, KEYS)}
    alike = all(k.type == key.type for k in keys) and all(v.type == expr.type for v in values)
    if not keys or None in texts or len(texts) < len(keys) or not alike:
        return expr
    if expr_kind(key) is not Kind.PURE:  # written several times, it would be drawn as often
        return expr
    branches = tuple((Compare("=", key, k), v) for k, v in zip(keys, values, strict=True))
    return Case(branches, Literal(None, expr.type))


def _has_keys_of(type_: DataType, key: DataType) -> bool:
    return isinstance(type_, MapType) and type_.key == key


def _if_typed(expr: Expr, part: Expr) -> Expr:
    return part if part.type == expr.type else expr
