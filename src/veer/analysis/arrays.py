"""Functions of arrays in one spelling: filtered first, then changed, and counted.

    transform(transform(xs, x -> f(x)), y -> g(y))       =>   transform(xs, x -> g(f(x)))
    filter(transform(xs, x -> f(x)), y -> p(y))          =>   transform(filter(xs, x -> p(f(x))), x -> f(x))
    filter(filter(xs, x -> p(x)), x -> q(x))             =>   filter(xs, x -> p(x) AND q(x))
    array_compact(xs)                                    =>   filter(xs, x -> x IS NOT NULL)
    filter(array_distinct(xs), x -> p(x))                =>   array_distinct(filter(xs, x -> p(x)))
    size(transform(xs, x -> f(x)))                       =>   size(xs)
    size(array_distinct(xs)) >= 1                        =>   size(xs) >= 1
    size(filter(coalesce(xs, array()), x -> p(x)))       =>   coalesce(size(filter(xs, x -> p(x))), 0)
    exists(xs, x -> p(x)),  array_contains(xs, 1)        =>   CASE WHEN size(filter(xs, x -> p(x))) >= 1
                                                                   THEN TRUE ... ELSE FALSE END
    forall(xs, x -> p(x))                                =>   NOT exists(xs, x -> NOT p(x))

Exact in three-valued logic: all of these are null where the array is. EXISTS is true if the condition is
on some item, else null if it is null on one. A filter keeps the items on which its condition is true.
Different floats are another matter: array_distinct shows 0.0 for -0.0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from veer.analysis.constants import FALSE, TRUE
from veer.analysis.true_conditions import where_true
from veer.functions.registry import scalar_function
from veer.model.conditions import conjunction
from veer.model.expr import Call, Case, Cast, Compare, Expr, IsNull, Literal, Not, OpaqueCall
from veer.model.lambdas import array_call, function_of, item_of, opened, reads_item
from veer.model.types import BOOLEAN, INT, ArrayType, has_floats
from veer.model.walk import transform

NOTHING = Literal(None, BOOLEAN)
Node = Callable[[Expr], Expr]  # one node of an expression in normal form


def plain_array(expr: Expr, node: Node) -> Expr:
    """A function of arrays in its one spelling, looking at the top only.

    One that reads the item of an array around is left as it is: its own item is called the same.
    """
    if reads_item(expr):
        return expr
    match expr:
        case OpaqueCall(body=body) if body is not None:
            return _applied(expr, node)
        case Call("array_compact", (array,)):
            return _filtered(array, Not(IsNull(item_of(array))), node)
        case Call("array_contains", (array, Literal(value) as wanted)) if value is not None:
            if has_floats(wanted.type):
                return expr
            return _exists(array, Compare("=", item_of(array), wanted), node)
        case Call("size", (array,)):
            return _size(expr, array, node)
        case Call("array_distinct", (Call("array_distinct") as inner,)):
            return inner
        case Compare(
            op, Call("size", (Call("array_distinct", (array,)),)), Literal(int() as number)
        ):
            if (op, number) not in ((">=", 1), ("<=", 0), ("=", 0)):
                return expr
            return replace(expr, left=_size(expr.left, array, node))
        case Call("array_max" | "array_min" as extreme, (array,)) if expr.type == BOOLEAN:
            first = item_of(array) if extreme == "array_max" else Not(item_of(array))
            return _first_truth(array, first, extreme == "array_max", node)
        case Call("array_distinct" | "array_max" | "array_min", (array,)):
            return _of_present(expr, array, node)
        case IsNull(OpaqueCall(args=(array, *_), body=body) as call) if body is not None:
            return node(IsNull(array)) if function_of(call) in ("filter", "transform") else expr
        case IsNull(Call("array_distinct", (array,))):
            return node(IsNull(array))
        case _:
            return expr


def _applied(call: OpaqueCall, node: Node) -> Expr:
    array = call.args[0]
    body = transform(opened(call, item_of(array)), node)
    match function_of(call):
        case "filter":
            return _filtered(array, body, node)
        case "transform":
            return _changed(array, body, node)
        case "exists":
            return _exists(array, body, node)
        case _:
            return node(Not(_exists(array, node(Not(body)), node)))


def _filtered(array: Expr, condition: Expr, node: Node) -> Expr:
    """The items of an array on which a condition is true."""
    condition = where_true(condition)
    if condition == TRUE or (_has_no_nulls(array) and condition == Not(IsNull(item_of(array)))):
        return array
    present = _present(array)
    if present is not None:
        return _or_empty(_filtered(present, condition, node))
    match array:
        case OpaqueCall(args=(inner, *_), body=body) if body is not None:
            item = item_of(inner)
            before = opened(array, item)
            if function_of(array) == "filter":
                both = conjunction([before, condition])
                return _filtered(inner, transform(both, node), node)
            asked = transform(_with_item(array, condition, before), node)
            return _changed(_filtered(inner, asked, node), before, node)
        case Call("array_distinct", (inner,)) if not has_floats(array.type):
            return replace(array, args=(_filtered(inner, condition, node),))
        case _:
            return array_call("filter", array, condition, array.type)


def _changed(array: Expr, value: Expr, node: Node) -> Expr:
    """An array of what is computed from each item."""
    if value == item_of(array):
        return array
    present = _present(array)
    if present is not None:
        return _or_empty(_changed(present, value, node))
    match array:
        case OpaqueCall(args=(inner, *_), body=body) if body is not None:
            if function_of(array) == "transform":
                composed = _with_item(array, value, opened(array, item_of(inner)))
                return _changed(inner, transform(composed, node), node)
    return array_call("transform", array, value, ArrayType(value.type))


def _exists(array: Expr, condition: Expr, node: Node) -> Expr:
    """Whether a condition is true on an item, by how many there are."""
    match array:
        case Call("array_distinct", (inner,)) if not has_floats(array.type):
            array = inner
    unknown = node(IsNull(condition))
    some = node(Compare(">=", _counted(array, condition, node), Literal(1, INT)))
    branches: list[tuple[Expr, Expr]] = [(some, TRUE)]
    if unknown != FALSE:
        null = node(Compare(">=", _counted(array, unknown, node), Literal(1, INT)))
        branches.append((null, NOTHING))
    branches.append((node(IsNull(array)), NOTHING))
    return node(Case(tuple(branches), FALSE))


def _first_truth(array: Expr, first: Expr, value: bool, node: Node) -> Expr:
    """The truth value that a condition on the items tells of, else the other one, if there is any."""
    some = node(Compare(">=", _counted(array, first, node), Literal(1, INT)))
    other = node(Compare(">=", _counted(array, node(Not(first)), node), Literal(1, INT)))
    truths = (TRUE, FALSE) if value else (FALSE, TRUE)
    return node(Case(((some, truths[0]), (other, truths[1])), NOTHING))


def _counted(array: Expr, condition: Expr, node: Node) -> Expr:
    return node(Call("size", (_filtered(array, condition, node),), INT))


def _size(expr: Expr, array: Expr, node: Node) -> Expr:
    """How many items there are: as many as before they are changed."""
    present = _present(array)
    if present is not None:
        return node(Call("coalesce", (_size(expr, present, node), Literal(0, INT)), INT))
    match array:
        case OpaqueCall(args=(inner, *_), body=body) if body is not None:
            if function_of(array) == "transform":
                return _size(expr, inner, node)
    return Call("size", (array,), INT)


def _of_present(expr: Call, array: Expr, node: Node) -> Expr:
    """A function of an array that is empty where it would be null."""
    present = _present(array)
    if present is None:
        match array:
            case Call("array_distinct", args) if not has_floats(array.type):
                return replace(expr, args=args)
        return expr
    inner = plain_array(replace(expr, args=(present,)), node)
    if expr.function != "array_distinct":
        return inner  # null of no items, as of null
    return _or_empty(inner)


def _or_empty(array: Expr) -> Expr:
    """An array, empty where it is null."""
    nothing = Call("array", (), scalar_function("array").resolve(()).result)
    return Call("coalesce", (array, Cast(nothing, array.type)), array.type)


def _present(array: Expr) -> Expr | None:
    """What an array is that is empty where that is null."""
    match array:
        case Call("coalesce", (inner, Call("array", ()) | Cast(Call("array", ())))):
            return inner
        case _:
            return None


def _has_no_nulls(array: Expr) -> bool:
    return isinstance(array, Call) and array.function == "map_keys"


def _with_item(array: Expr, body: Expr, value: Expr) -> Expr:
    """A body about the items of an array, with what they are computed from in their place."""
    item = item_of(array)

    def changed(expr: Expr) -> Expr:
        return value if expr == item else expr

    return transform(body, changed)
