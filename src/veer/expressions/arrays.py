"""Laws of functions of arrays: filtered first, then changed, and counted.

    transform(transform(xs, x -> f(x)), y -> g(y))       =>   transform(xs, x -> g(f(x)))
    filter(transform(xs, x -> f(x)), y -> p(y))          =>   transform(filter(xs, x -> p(f(x))), x -> f(x))
    filter(filter(xs, x -> p(x)), x -> q(x))             =>   filter(xs, x -> p(x) AND q(x))
    filter(array_distinct(xs), x -> p(x))                =>   array_distinct(filter(xs, x -> p(x)))

All of these are null where the array is. EXISTS is true if the condition is on some item, else null if it
is null on one. A filter keeps the items on which its condition is true. Different floats are another
matter: array_distinct shows 0.0 for -0.0. A function that reads the item of an array around it is left
as it is: its own item is called the same.
"""

from __future__ import annotations

from dataclasses import replace

from veer.expressions.constant_folding import FALSE, TRUE
from veer.expressions.law import Simplify, law
from veer.expressions.true_conditions import where_true
from veer.functions.registry import scalar_function
from veer.ir import expr as ex, lambdas, types as ty
from veer.ir.conditions import conjunction
from veer.ir.walk import transform

NOTHING = ex.Literal(None, ty.BOOLEAN)


@law("exists(xs, x -> p(x)) => size(filter(xs, x -> p(x))) >= 1, or null", ex.OpaqueCall)
def function_of_items(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """FILTER, TRANSFORM, EXISTS and FORALL, whose function is known."""
    assert isinstance(expr, ex.OpaqueCall)
    if expr.body is None or lambdas.reads_item(expr):
        return None
    array = expr.args[0]
    body = transform(lambdas.opened(expr, lambdas.item_of(array)), simplify)
    match lambdas.function_of(expr):
        case "filter":
            return _filtered(array, body, simplify)
        case "transform":
            return _changed(array, body, simplify)
        case "exists":
            return _exists(array, body, simplify)
        case _:
            return ex.Not(_exists(array, simplify(ex.Not(body)), simplify))


@law("array_contains(xs, 1) => exists(xs, x -> x = 1)", "array_contains")
def search_of_items(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """What is looked for is a constant, and has no floats: they may be NaN."""
    match expr:
        case ex.Call(_, (array, ex.Literal(value) as wanted)) if value is not None:
            if not ty.has_floats(wanted.type) and not lambdas.reads_item(expr):
                return _exists(array, ex.Compare("=", lambdas.item_of(array), wanted), simplify)
    return None


@law("size(transform(xs, x -> f(x))) => size(xs)", "size")
def size_of_original(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """There are as many items as before they are changed; 0 of an array that is empty where it is null."""
    match expr:
        case ex.Call(_, (array,)) if not lambdas.reads_item(expr):
            return _size(array, simplify)
    return None


@law("size(array_distinct(xs)) >= 1 => size(xs) >= 1", ex.Compare)
def size_of_some(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """Whether there is an item at all."""
    match expr:
        case ex.Compare(
            op, ex.Call("size", (ex.Call("array_distinct", (array,)),)), ex.Literal(int() as number)
        ) if (op, number) in ((">=", 1), ("<=", 0), ("=", 0)) and not lambdas.reads_item(expr):
            return replace(expr, left=_size(array, simplify))
    return None


@law("array_max(flags) => CASE WHEN size(filter(flags, x -> x)) >= 1 THEN TRUE ... END",
     "array_max", "array_min")  # fmt: skip
def extreme_of_truths(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """Of truth values: one that decides, else the other one, if there is any."""
    match expr:
        case ex.Call(extreme, (array,)) if expr.type == ty.BOOLEAN and not lambdas.reads_item(expr):
            first = (
                lambdas.item_of(array) if extreme == "array_max" else ex.Not(lambdas.item_of(array))
            )
            return _first_truth(array, first, extreme == "array_max", simplify)
    return None


@law("array_distinct(coalesce(xs, array())) => coalesce(array_distinct(xs), array())",
     "array_distinct", "array_max", "array_min")  # fmt: skip
def function_of_present_items(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """A function that does not see duplicates, of an array that is empty where it would be null.

    Not of different floats: which of the two zeros is left shows. The extremes of no items are null.
    """
    match expr:
        case ex.Call(function, (array,)) if not lambdas.reads_item(expr):
            present = _present(array)
            if present is not None:
                inner = simplify(replace(expr, args=(present,)))
                return _or_empty(inner) if function == "array_distinct" else inner
            if isinstance(array, ex.Call) and array.function == "array_distinct":
                if function == "array_distinct":
                    return array
                return None if ty.has_floats(array.type) else replace(expr, args=array.args)
    return None


@law("filter(xs, x -> p(x)) IS NULL => xs IS NULL", ex.IsNull)
def null_of_items(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """Null where the array is."""
    match expr:
        case ex.IsNull(ex.OpaqueCall(args=(array, *_), body=body) as call) if body is not None:
            if lambdas.function_of(call) in lambdas.PARTS and not lambdas.reads_item(expr):
                return ex.IsNull(array)
        case ex.IsNull(ex.Call("array_distinct", (array,))) if not lambdas.reads_item(expr):
            return ex.IsNull(array)
    return None


def _filtered(array: ex.Expr, condition: ex.Expr, simplify: Simplify) -> ex.Expr:
    """The items of an array on which a condition is true."""
    condition = where_true(condition)
    is_map_keys = (
        isinstance(array, ex.Call) and array.function == "map_keys"
    )  # none of them is null
    if condition == TRUE or (
        is_map_keys and condition == ex.Not(ex.IsNull(lambdas.item_of(array)))
    ):
        return array
    present = _present(array)
    if present is not None:
        return _or_empty(_filtered(present, condition, simplify))
    match array:
        case ex.OpaqueCall(args=(inner, *_), body=body) if body is not None:
            item = lambdas.item_of(inner)
            before = lambdas.opened(array, item)
            if lambdas.function_of(array) == "filter":
                both = conjunction([before, condition])
                return _filtered(inner, transform(both, simplify), simplify)
            asked = transform(_with_item(array, condition, before), simplify)
            return _changed(_filtered(inner, asked, simplify), before, simplify)
        case ex.Call("array_distinct", (inner,)) if not ty.has_floats(array.type):
            return replace(array, args=(_filtered(inner, condition, simplify),))
        case _:
            return lambdas.array_call("filter", array, condition, array.type)


def _changed(array: ex.Expr, value: ex.Expr, simplify: Simplify) -> ex.Expr:
    """An array of what is computed from each item."""
    if value == lambdas.item_of(array):
        return array
    present = _present(array)
    if present is not None:
        return _or_empty(_changed(present, value, simplify))
    match array:
        case ex.OpaqueCall(args=(inner, *_), body=body) if body is not None:
            if lambdas.function_of(array) == "transform":
                composed = _with_item(array, value, lambdas.opened(array, lambdas.item_of(inner)))
                return _changed(inner, transform(composed, simplify), simplify)
    return lambdas.array_call("transform", array, value, ty.ArrayType(value.type))


def _exists(array: ex.Expr, condition: ex.Expr, simplify: Simplify) -> ex.Expr:
    """Whether a condition is true on an item, by how many there are."""
    match array:
        case ex.Call("array_distinct", (inner,)) if not ty.has_floats(array.type):
            array = inner
    unknown = simplify(ex.IsNull(condition))
    some = simplify(ex.Compare(">=", _counted(array, condition, simplify), ex.Literal(1, ty.INT)))
    branches: list[tuple[ex.Expr, ex.Expr]] = [(some, TRUE)]
    if unknown != FALSE:
        null = simplify(ex.Compare(">=", _counted(array, unknown, simplify), ex.Literal(1, ty.INT)))
        branches.append((null, NOTHING))
    branches.append((simplify(ex.IsNull(array)), NOTHING))
    return simplify(ex.Case(tuple(branches), FALSE))


def _first_truth(array: ex.Expr, first: ex.Expr, value: bool, simplify: Simplify) -> ex.Expr:
    """The truth value of items that meet a condition; the other one if only other items exist."""
    some = simplify(ex.Compare(">=", _counted(array, first, simplify), ex.Literal(1, ty.INT)))
    other = simplify(
        ex.Compare(">=", _counted(array, simplify(ex.Not(first)), simplify), ex.Literal(1, ty.INT))
    )
    truths = (TRUE, FALSE) if value else (FALSE, TRUE)
    return simplify(ex.Case(((some, truths[0]), (other, truths[1])), NOTHING))


def _counted(array: ex.Expr, condition: ex.Expr, simplify: Simplify) -> ex.Expr:
    return simplify(ex.Call("size", (_filtered(array, condition, simplify),), ty.INT))


def _size(array: ex.Expr, simplify: Simplify) -> ex.Expr:
    """How many items there are: as many as before they are changed."""
    present = _present(array)
    if present is not None:
        return simplify(
            ex.Call("coalesce", (_size(present, simplify), ex.Literal(0, ty.INT)), ty.INT)
        )
    match array:
        case ex.OpaqueCall(args=(inner, *_), body=body) if body is not None:
            if lambdas.function_of(array) == "transform":
                return _size(inner, simplify)
    return ex.Call("size", (array,), ty.INT)


def _or_empty(array: ex.Expr) -> ex.Expr:
    """An array, empty where it is null."""
    nothing = ex.Call("array", (), scalar_function("array").resolve(()).result)
    return ex.Call("coalesce", (array, ex.Cast(nothing, array.type)), array.type)


def _present(array: ex.Expr) -> ex.Expr | None:
    """What an array is that is empty where that is null."""
    match array:
        case ex.Call("coalesce", (inner, ex.Call("array", ()) | ex.Cast(ex.Call("array", ())))):
            return inner
        case _:
            return None


def _with_item(array: ex.Expr, body: ex.Expr, value: ex.Expr) -> ex.Expr:
    """A body about the items of an array, with what they are computed from in their place."""
    item = lambdas.item_of(array)

    def changed(expr: ex.Expr) -> ex.Expr:
        return value if expr == item else expr

    return transform(body, changed)
