"""Calls inside of Python functions: of the project's helpers, of builtins, of methods."""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from veer.read.python.reading import comprehensions, dates, formats, subscripts, values as val
from veer.read.python.reading.branches import (
    State,
    Tree,
    ValueContinuation,
)
from veer.read.python.reading.builtin_functions import FUNCTIONS
from veer.read.python.reading.constants import LONGEST, items_of, require_data, require_ordered
from veer.read.python.reading.local_functions import LocalFunction
from veer.read.python.reading.texts import (
    MATCHED,
    matched,
    of_text,
    substituted,
)
from veer.read.python.source import Definition, definition_of

if TYPE_CHECKING:
    from veer.read.python.reading.reader import FunctionReader

# Computed while reading when all arguments are constants.
# All are functions of their arguments, which keep nothing and call nothing of the project.
COMPUTED = (
    enumerate, zip, range, sorted, reversed, list, tuple, dict, set, frozenset,
    len, min, max, sum, abs, round, str, int, float, bool, any, all,
)  # fmt: skip
# Methods of constants that change nothing.
CONSTANT_METHODS: dict[type, frozenset[str]] = {
    str: frozenset(
        [
            "upper",
            "lower",
            "strip",
            "lstrip",
            "rstrip",
            "title",
            "capitalize",
            "split",
            "join",
            "replace",
            "startswith",
            "endswith",
            "format",
            "zfill",
            "find",
            "count",
            "isdigit",
            "isalpha",
            "isalnum",
            "casefold",
            "removeprefix",
            "removesuffix",
        ]
    ),
    dict: frozenset({"get", "keys", "values", "items"}),
    tuple: frozenset({"index", "count"}),
    list: frozenset({"index", "count"}),
}


# -- calls, attributes, subscripts -------------------------------------------------------------


def follow(reader: FunctionReader, node: ast.expr, state: State, then: ValueContinuation) -> Tree:
    """A call, an attribute or a subscript."""
    match node:
        case ast.Subscript(value=base, slice=ast.Slice() as part):
            return subscripts.sliced(reader, base, part, state, then)
        case ast.Subscript(value=base, slice=index):
            return reader.values(
                [base, index], state, lambda vs, s: subscripts.item(reader, vs[0], vs[1], s, then)
            )
        case ast.Attribute(value=base, attr=name):
            return reader.value(
                base, state, lambda v, s: subscripts.attribute(reader, v, name, s, then)
            )
        case ast.Call(func=ast.Name(id="any" | "all" as word), args=[items], keywords=[]) if (
            isinstance(items, ast.GeneratorExp) and reader.is_builtin(word, state)
        ):
            return comprehensions.quantified(reader, word == "any", items, state, then)
        case ast.Call(func=function, args=args, keywords=keywords):
            if any(isinstance(a, ast.Starred) for a in args) or any(
                k.arg is None for k in keywords
            ):
                raise val.NotRead("a variable number of arguments")
            names = [str(k.arg) for k in keywords]
            nodes = [*args, *(k.value for k in keywords)]
            if isinstance(function, ast.Attribute):
                if function.attr == "join" and isinstance(nodes[0], ast.GeneratorExp):
                    # It takes all items before it joins them: a list does the same.
                    nodes = [ast.ListComp(nodes[0].elt, nodes[0].generators)]
                return reader.values(
                    [function.value, *nodes],
                    state,
                    lambda vs, s: _method(reader, vs[0], function.attr, vs[1:], names, s, then),
                )
            return reader.values(
                [function, *nodes],
                state,
                lambda vs, s: _called(reader, vs[0], vs[1:], names, s, then),
            )
        case _:
            raise val.NotRead(f"the expression {type(node).__name__}")


# -- functions ---------------------------------------------------------------------------------


def _called(
    reader: FunctionReader,
    function: val.Value,
    args: Sequence[val.Value],
    names: Sequence[str],
    state: State,
    then: ValueContinuation,
) -> Tree:
    """A function applied to positional and named values."""
    if not isinstance(function, val.Constant):
        raise val.NotRead("a call of a value of the row")
    callee = function.value
    positional = list(args[: len(args) - len(names)])
    named = dict(zip(names, args[len(positional) :], strict=True))
    if isinstance(callee, LocalFunction):
        return reader.call(callee.definition, positional, named, state, then, callee.captured)
    definition = callee if isinstance(callee, Definition) else None
    if definition is None and type(callee) is types.FunctionType and _is_own(callee):
        definition = definition_of(callee)
        if definition is None:
            raise val.NotRead(f"the source of {callee.__name__} is not to be had")
    if definition is not None:
        return reader.call(definition, positional, named, state, then)
    if named:
        raise val.NotRead("a builtin with named arguments")
    if any(callee is c for c in COMPUTED) and all(map(_is_known, args)):
        return _computed(reader, callee, args, state, then)
    for function_read, follow_call in FUNCTIONS:
        if callee is function_read:
            return follow_call(reader, positional, state, then)
    raise val.NotRead(f"a call of {getattr(callee, '__name__', type(callee).__name__)}")


def _is_own(function: types.FunctionType) -> bool:
    return function.__module__ not in ("re", "math")


def _is_known(value: val.Value) -> bool:
    if isinstance(value, val.IteratorItems):
        return all(isinstance(i, val.Constant) for i in value.items)
    return isinstance(value, val.Constant)


def _computed(
    reader: FunctionReader,
    function: Any,
    args: Sequence[val.Value],
    state: State,
    then: ValueContinuation,
) -> Tree:
    """A builtin applied to constants, while reading."""
    stops = function in STOPPING
    values = [
        require_data(a.value) if isinstance(a, val.Constant) else _items(a, stops) for a in args
    ]
    if function not in UNORDERED:
        values = [require_ordered(v) for v in values]
    if function is range and any(abs(v) > LONGEST for v in values if isinstance(v, int)):
        raise val.NotRead("a long range")
    if function in (len, bool, str, reversed) and any(
        isinstance(a, val.IteratorItems) for a in args
    ):
        raise val.NotRead("an iterator as a value")
    try:
        result = function(*values)
        if function in (enumerate, zip, reversed):
            return then(val.IteratorItems(tuple(val.Constant(item) for item in result)), state)
    except (TypeError, ValueError, ArithmeticError, LookupError) as error:
        return reader.raises(type(error), state)
    return then(val.Constant(result), state)


def _items(value: val.Value, stops: bool) -> list[Any]:
    items = items_of(value, all_taken=not stops)
    return [i.value for i in items if isinstance(i, val.Constant)]


STOPPING = (any, all, enumerate, zip, reversed)  # which may leave items behind
UNORDERED = (len, sorted, bool, set, frozenset, any, all)  # to which the order of a set is nothing


# -- methods -----------------------------------------------------------------------------------


def _method(
    reader: FunctionReader,
    base: val.Value,
    name: str,
    args: Sequence[val.Value],
    names: Sequence[str],
    state: State,
    then: ValueContinuation,
) -> Tree:
    """`base.name(args)`"""
    if isinstance(base, val.Constant) and isinstance(base.value, types.ModuleType):
        if not hasattr(base.value, name):
            return reader.raises(AttributeError, state)
        return _called(reader, val.Constant(getattr(base.value, name)), args, names, state, then)
    if names:
        if isinstance(base, val.Constant) and type(base.value) is str and name == "format":
            count = len(args) - len(names)
            named = dict(zip(names, args[count:], strict=True))
            return formats.formatted(reader, base.value, args[:count], named, state, then)
        raise val.NotRead("a method with named arguments")
    if isinstance(base, val.Constant) and isinstance(base.value, re.Pattern):
        if name == "sub" and len(args) == 2:
            return substituted(reader, [base, *args], state, then)
        if name in MATCHED and len(args) == 1:
            return matched(name)(reader, [base, *args], state, then)
        raise val.NotRead(f"the method {name} of a pattern")
    if isinstance(base, val.Constant) and isinstance(base.value, dict) and name == "get":
        default = args[1] if len(args) > 1 else val.NONE
        return subscripts.looked_up(
            reader, base.value, args[0], state, then, lambda s: then(default, s)
        )
    if isinstance(base, val.Constant) and any(
        base.value is d for d in (dates.DATE, dates.DATETIME)
    ):
        return dates.made(reader, base.value, name, args, state, then)
    if isinstance(base, val.Symbol) and base.kind in ("date", "datetime"):
        return dates.of_date(reader, base, name, args, state, then)
    if isinstance(base, val.Constant) and all(isinstance(a, val.Constant) for a in args):
        if name not in CONSTANT_METHODS.get(type(base.value), frozenset()):
            raise val.NotRead(f"the method {name}")
        values = [require_ordered(a.value) for a in args if isinstance(a, val.Constant)]
        method = getattr(require_ordered(base.value), name)
        if name in ("keys", "values", "items"):
            return then(val.IteratorItems(tuple(val.Constant(v) for v in method())), state)
        return reader.compute_constant(lambda: method(*values), state, then)
    if isinstance(base, val.Items | val.IteratorItems):
        raise val.NotRead(f"the method {name} of a list")
    if isinstance(base, val.Constant) and type(base.value) is str and name == "format":
        return formats.formatted(reader, base.value, args, {}, state, then)
    return reader.require_not_none(
        base,
        state,
        lambda v, s: of_text(reader, val.as_symbol(v), name, args, s, then),
        AttributeError,
    )
