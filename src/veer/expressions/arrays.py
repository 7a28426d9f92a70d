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
from veer.model.conditions import conjunction
from veer.model.expr import Call, Case, Cast, Compare, Expr, IsNull, Literal, Not, OpaqueCall
from veer.model.lambdas import PARTS, array_call, function_of, item_of, opened, reads_item
from veer.model.types import BOOLEAN, INT, ArrayType, has_floats
from veer.model.walk import transform

NOTHING = Literal(None, BOOLEAN)


@law("exists(xs, x -> p(x)) => size(filter(xs, x -> p(x))) >= 1, or null", OpaqueCall)
def function_of_items(expr: Expr, simplify: Simplify) -> Expr | None:
    """FILTER, TRANSFORM, EXISTS and FORALL, whose function is known."""
    assert isinstance(expr, OpaqueCall)
    if expr.body is None or reads_item(expr):
        return None
    array = expr.args[0]
    body = transform(opened(expr, item_of(array)), simplify)
    match function_of(expr):
        case "filter":
            return _filtered(array, body, simplify)
        case "transform":
            return _changed(array, body, simplify)
        case "exists":
            return _exists(array, body, simplify)
        case _:
            return Not(_exists(array, simplify(Not(body)), simplify))


@law("array_contains(xs, 1) => exists(xs, x -> x = 1)", "array_contains")
def search_of_items(expr: Expr, simplify: Simplify) -> Expr | None:
    """What is looked for is a constant, and has no floats: they may be NaN."""
    match expr:
        case Call(_, (array, Literal(value) as wanted)) if value is not None:
            if not has_floats(wanted.type) and not reads_item(expr):
                return _exists(array, Compare("=", item_of(array), wanted), simplify)
    return None


@law("size(transform(xs, x -> f(x))) => size(xs)", "size")
def size_of_original(expr: Expr, simplify: Simplify) -> Expr | None:
    """There are as many items as before they are changed; 0 of an array that is empty where it is null."""
    match expr:
        case Call(_, (array,)) if not reads_item(expr):
            return _size(array, simplify)
    return None


@law("size(array_distinct(xs)) >= 1 => size(xs) >= 1", Compare)
def size_of_some(expr: Expr, simplify: Simplify) -> Expr | None:
    """Whether there is an item at all."""
    match expr:
        case Compare(
            op, Call("size", (Call("array_distinct", (array,)),)), Literal(int() as number)
        ) if (op, number) in ((">=", 1), ("<=", 0), ("=", 0)) and not reads_item(expr):
            return replace(expr, left=_size(array, simplify))
    return None


@law("array_max(flags) => CASE WHEN size(filter(flags, x -> x)) >= 1 THEN TRUE ... END",
     "array_max", "array_min")  # fmt: skip
def extreme_of_truths(expr: Expr, simplify: Simplify) -> Expr | None:
    """Of truth values: one that decides, else the other one, if there is any."""
    match expr:
        case Call(extreme, (array,)) if expr.type == BOOLEAN and not reads_item(expr):
            first = item_of(array) if extreme == "array_max" else Not(item_of(array))
            return _first_truth(array, first, extreme == "array_max", simplify)
    return None


@law("array_distinct(coalesce(xs, array())) => coalesce(array_distinct(xs), array())",
     "array_distinct", "array_max", "array_min")  # fmt: skip
def function_of_present_items(expr: Expr, simplify: Simplify) -> Expr | None:
    """A function that does not see duplicates, of an array that is empty where it would be null.

    Not of different floats: which of the two zeros is left shows. The extremes of no items are null.
    """
    match expr:
        case Call(function, (array,)) if not reads_item(expr):
            present = _present(array)
            if present is not None:
                inner = simplify(replace(expr, args=(present,)))
                return _or_empty(inner) if function == "array_distinct" else inner
            if isinstance(array, Call) and array.function == "array_distinct":
                if function == "array_distinct":
                    return array
                return None if has_floats(array.type) else replace(expr, args=array.args)
    return None


@law("filter(xs, x -> p(x)) IS NULL => xs IS NULL", IsNull)
def null_of_items(expr: Expr, simplify: Simplify) -> Expr | None:
    """Null where the array is."""
    match expr:
        case IsNull(OpaqueCall(args=(array, *_), body=body) as call) if body is not None:
            if function_of(call) in PARTS and not reads_item(expr):
                return IsNull(array)
        case IsNull(Call("array_distinct", (array,))) if not reads_item(expr):
            return IsNull(array)
    return None


def _filtered(array: Expr, condition: Expr, simplify: Simplify) -> Expr:
    """The items of an array on which a condition is true."""
    condition = where_true(condition)
    is_map_keys = isinstance(array, Call) and array.function == "map_keys"  # none of them is null
    if condition == TRUE or (is_map_keys and condition == Not(IsNull(item_of(array)))):
        return array
    present = _present(array)
    if present is not None:
        return _or_empty(_filtered(present, condition, simplify))
    match array:
        case OpaqueCall(args=(inner, *_), body=body) if body is not None:
            item = item_of(inner)
            before = opened(array, item)
            if function_of(array) == "filter":
                both = conjunction([before, condition])
                return _filtered(inner, transform(both, simplify), simplify)
            asked = transform(_with_item(array, condition, before), simplify)
            return _changed(_filtered(inner, asked, simplify), before, simplify)
        case Call("array_distinct", (inner,)) if not has_floats(array.type):
            return replace(array, args=(_filtered(inner, condition, simplify),))
        case _:
            return array_call("filter", array, condition, array.type)


def _changed(array: Expr, value: Expr, simplify: Simplify) -> Expr:
    """An array of what is computed from each item."""
    if value == item_of(array):
        return array
    present = _present(array)
    if present is not None:
        return _or_empty(_changed(present, value, simplify))
    match array:
        case OpaqueCall(args=(inner, *_), body=body) if body is not None:
            if function_of(array) == "transform":
                composed = _with_item(array, value, opened(array, item_of(inner)))
                return _changed(inner, transform(composed, simplify), simplify)
    return array_call("transform", array, value, ArrayType(value.type))


def _exists(array: Expr, condition: Expr, simplify: Simplify) -> Expr:
    """Whether a condition is true on an item, by how many there are."""
    match array:
        case Call("array_distinct", (inner,)) if not has_floats(array.type):
            array = inner
    unknown = simplify(IsNull(condition))
    some = simplify(Compare(">=", _counted(array, condition, simplify), Literal(1, INT)))
    branches: list[tuple[Expr, Expr]] = [(some, TRUE)]
    if unknown != FALSE:
        null = simplify(Compare(">=", _counted(array, unknown, simplify), Literal(1, INT)))
        branches.append((null, NOTHING))
    branches.append((simplify(IsNull(array)), NOTHING))
    return simplify(Case(tuple(branches), FALSE))


def _first_truth(array: Expr, first: Expr, value: bool, simplify: Simplify) -> Expr:
    """The truth value of items that meet a condition; the other one if only other items exist."""
    some = simplify(Compare(">=", _counted(array, first, simplify), Literal(1, INT)))
    other = simplify(
        Compare(">=", _counted(array, simplify(Not(first)), simplify), Literal(1, INT))
    )
    truths = (TRUE, FALSE) if value else (FALSE, TRUE)
    return simplify(Case(((some, truths[0]), (other, truths[1])), NOTHING))


def _counted(array: Expr, condition: Expr, simplify: Simplify) -> Expr:
    return simplify(Call("size", (_filtered(array, condition, simplify),), INT))


def _size(array: Expr, simplify: Simplify) -> Expr:
    """How many items there are: as many as before they are changed."""
    present = _present(array)
    if present is not None:
        return simplify(Call("coalesce", (_size(present, simplify), Literal(0, INT)), INT))
    match array:
        case OpaqueCall(args=(inner, *_), body=body) if body is not None:
            if function_of(array) == "transform":
                return _size(inner, simplify)
    return Call("size", (array,), INT)


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


def _with_item(array: Expr, body: Expr, value: Expr) -> Expr:
    """A body about the items of an array, with what they are computed from in their place."""
    item = item_of(array)

    def changed(expr: Expr) -> Expr:
        return value if expr == item else expr

    return transform(body, changed)
