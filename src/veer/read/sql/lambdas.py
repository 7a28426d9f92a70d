"""Functions of functions: `transform(items, x -> x + 1)`.

A lambda function is read for its type; the whole call is then a function of the values it reads,
known by what it does: equal bodies over equal values give equal results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from veer.errors import IllFormedError, UnsupportedError
from veer.facts.determinism import expr_kind
from veer.functions.registry import Kind
from veer.ir import expr as ex, types as ty
from veer.ir.digests import json_digest
from veer.ir.json import encode
from veer.ir.lambdas import FUNCTIONS, array_call, reads_only_item
from veer.ir.walk import parts, query_of, replace_down
from veer.read.sql.placeholders import placeholder
from veer.settings import current, name_key

if TYPE_CHECKING:
    from veer.read.sql.expressions import ExprReader

Typing = Callable[[list[ty.DataType], list[ty.DataType]], ty.DataType]  # of values and of bodies


def _array(type_: ty.DataType) -> ty.ArrayType:
    if not isinstance(type_, ty.ArrayType):
        raise IllFormedError(f"{type_} is not an array")
    return type_


def _map(type_: ty.DataType) -> ty.MapType:
    if not isinstance(type_, ty.MapType):
        raise IllFormedError(f"{type_} is not a map")
    return type_


# The types of a lambda function's variables, by what the collections before it are.
VARIABLES: dict[str, Callable[[list[ty.DataType]], list[ty.DataType]]] = {
    "transform": lambda v: [_array(v[0]).element, ty.INT],
    "filter": lambda v: [_array(v[0]).element, ty.INT],
    "exists": lambda v: [_array(v[0]).element],
    "forall": lambda v: [_array(v[0]).element],
    "zip_with": lambda v: [_array(v[0]).element, _array(v[1]).element],
    "map_filter": lambda v: [_map(v[0]).key, _map(v[0]).value],
    "transform_values": lambda v: [_map(v[0]).key, _map(v[0]).value],
    "transform_keys": lambda v: [_map(v[0]).key, _map(v[0]).value],
    "array_sort": lambda v: [_array(v[0]).element, _array(v[0]).element],
}
RESULTS: dict[str, Typing] = {
    "transform": lambda v, b: ty.ArrayType(b[0]),
    "filter": lambda v, b: v[0],
    "exists": lambda v, b: ty.BOOLEAN,
    "forall": lambda v, b: ty.BOOLEAN,
    "zip_with": lambda v, b: ty.ArrayType(b[0]),
    "map_filter": lambda v, b: v[0],
    "transform_values": lambda v, b: ty.MapType(_map(v[0]).key, b[0]),
    "transform_keys": lambda v, b: ty.MapType(b[0], _map(v[0]).value),
    "array_sort": lambda v, b: v[0],
}
CONDITIONS = ("filter", "exists", "forall", "map_filter")
AGGREGATES = ("aggregate", "reduce")


def is_higher_order(function: str, args: Sequence[exp.Expr]) -> bool:
    """Whether a call hands a lambda function over."""
    return any(isinstance(arg, exp.Lambda) for arg in args)


def read_higher_order(reader: ExprReader, function: str, args: Sequence[exp.Expr]) -> ex.Expr:
    """The call of a function that takes lambda functions."""
    values = [reader.read(a) for a in args if not isinstance(a, exp.Lambda)]
    lambdas = [a for a in args if isinstance(a, exp.Lambda)]
    if function in AGGREGATES and len(values) == 2 and 1 <= len(lambdas) <= 2:
        return _aggregate(reader, values, lambdas)
    if function not in RESULTS or len(lambdas) != 1 or isinstance(args[0], exp.Lambda):
        raise UnsupportedError(f"the function {function} with a lambda function")
    given = [v.type for v in values]
    body = _body(reader, lambdas[0], VARIABLES[function](given))
    if function in CONDITIONS and body.type != ty.BOOLEAN:
        raise IllFormedError(f"{function}: the lambda function gives {body.type}, no condition")
    return _closed(function, values, [body], RESULTS[function](given, [body.type]))


def _aggregate(reader: ExprReader, values: list[ex.Expr], lambdas: list[exp.Lambda]) -> ex.Expr:
    """A fold: from a start by a step, and perhaps a last function of what came out."""
    items, start = values
    merged = _body(reader, lambdas[0], [start.type, _array(items.type).element])
    if merged.type != start.type:
        raise UnsupportedError(f"aggregate from {start.type} to {merged.type}")
    bodies = [merged]
    if len(lambdas) == 2:
        bodies.append(_body(reader, lambdas[1], [start.type]))
    return _closed("aggregate", values, bodies, bodies[-1].type)


def _body(reader: ExprReader, node: exp.Lambda, types: Sequence[ty.DataType]) -> ex.Expr:
    """The body of a lambda function over variables of these types."""
    names = [name_key(e.name) for e in node.expressions]
    if not names or len(names) > len(types) or len(set(names)) < len(names):
        raise IllFormedError(f"a lambda function of {len(names)} variables")
    depth = len(reader.variables)
    variables = {
        name: ex.OpaqueCall(f"lambda variable {depth} {place}", (), type_)
        for place, (name, type_) in enumerate(zip(names, types, strict=False))
    }
    reader.variables.append(variables)
    try:
        return reader.value(node.this)
    finally:
        reader.variables.pop()


def _closed(
    function: str, values: list[ex.Expr], bodies: Sequence[ex.Expr], type_: ty.DataType
) -> ex.Expr:
    """A function of the values and of the columns that the bodies read."""
    args = list(values)
    places: dict[ex.Expr, int] = {}

    def closed(expr: ex.Expr) -> ex.Expr | None:
        # Variables of functions around are read like columns, by what stands for them here.
        if isinstance(expr, ex.Column | ex.OuterColumn):
            if expr not in places:
                places[expr] = len(args)
                args.append(expr)
            return ex.OpaqueCall(f"lambda argument {places[expr]}", (), expr.type)
        return None

    inside = [part for body in bodies for part in parts(body)]
    if any(query_of(part) is not None or placeholder(part) is not None for part in inside):
        raise UnsupportedError("a subquery or an aggregate inside of a lambda function")
    texts = [encode(replace_down(body, closed)) for body in bodies]
    kinds = {expr_kind(body) for body in bodies}
    kind = Kind.PURE if kinds == {Kind.PURE} else Kind.CHOICE
    if function in FUNCTIONS and kind is Kind.PURE and all(map(reads_only_item, bodies)):
        return array_call(function, values[0], bodies[0], type_)
    identity = f"{current().identity(function)} {json_digest(texts)}"
    return ex.OpaqueCall(identity, tuple(args), type_, kind)
