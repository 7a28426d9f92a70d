"""Functions of arrays that apply another function to each item: `filter(items, x -> x > a)`.

Such a call is opaque to most of Veer, known by what it does, and holds the function as its `body`. The
body reads the item as `ITEM`, and what it takes from the row as arguments of the call: so it is the
same wherever the call stands.
"""

from __future__ import annotations

from collections.abc import Callable

from veer.ir import expr as ex, types as ty
from veer.ir.digests import json_digest
from veer.ir.json import encode
from veer.ir.walk import parts, replace_down

FUNCTIONS = ("filter", "transform", "exists", "forall")  # whose bodies are held
PARTS = ("filter", "transform")  # that give an array, null where theirs is
ITEM = "lambda variable 0 0"
ARGUMENT = "lambda argument "


def item_of(array: ex.Expr) -> ex.OpaqueCall:
    """What stands for an item of an array."""
    assert isinstance(array.type, ty.ArrayType)
    return ex.OpaqueCall(ITEM, (), array.type.element)


def function_of(call: ex.OpaqueCall) -> str:
    """The name of a function that holds a body."""
    return call.identity.partition(" ")[0]


def array_call(function: str, array: ex.Expr, body: ex.Expr, type_: ty.DataType) -> ex.OpaqueCall:
    """A function of an array that applies a body; what that reads of the row becomes arguments."""
    args: list[ex.Expr] = [array]

    def closed(expr: ex.Expr) -> ex.Expr | None:
        if isinstance(expr, ex.Literal) or reads_item(expr):
            return None
        if expr not in args[1:]:
            args.append(expr)
        return ex.OpaqueCall(f"{ARGUMENT}{args.index(expr, 1)}", (), expr.type)

    inside = replace_down(body, closed)
    identity = f"{function} {json_digest([encode(inside)])}"
    return ex.OpaqueCall(identity, tuple(args), type_, body=inside)


def reads_item(expr: ex.Expr) -> bool:
    """Whether an expression reads the item of an array."""
    return any(isinstance(p, ex.OpaqueCall) and p.identity == ITEM for p in parts(expr))


def opened(call: ex.OpaqueCall, item: ex.Expr) -> ex.Expr:
    """The body of a call over the columns of the row, for a given item."""
    assert call.body is not None
    return with_values(call.body, lambda place: call.args[place], item)


def with_values(body: ex.Expr, argument: Callable[[int], ex.Expr], item: ex.Expr) -> ex.Expr:
    """A body with other expressions for its item and its arguments."""

    def changed(expr: ex.Expr) -> ex.Expr | None:
        if not isinstance(expr, ex.OpaqueCall):
            return None
        if expr.identity == ITEM:
            return item
        if expr.identity.startswith(ARGUMENT):
            return argument(int(expr.identity.removeprefix(ARGUMENT)))
        return None

    return replace_down(body, changed)


def reads_only_item(body: ex.Expr) -> bool:
    """Whether an item is all that is not of the row in a body: no place of it, no function around."""
    return all(p.identity == ITEM for p in parts(body) if isinstance(p, ex.OpaqueCall))
