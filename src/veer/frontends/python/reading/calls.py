"""What Python functions call: builtins, methods of texts, `re`, `math`, helpers of the project."""

from __future__ import annotations

import ast
import math
import re
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from veer.frontends.python.reading import comparisons
from veer.frontends.python.reading.branches import (
    Raises,
    State,
    Tree,
    ValueContinuation,
    require_kinds,
)
from veer.frontends.python.reading.constants import LONGEST, items_of, require_data, require_ordered
from veer.frontends.python.reading.texts import (
    MATCHED,
    matched,
    of_text,
    substituted,
)
from veer.frontends.python.reading.values import (
    NONE,
    NUMBERS,
    Constant,
    Items,
    IteratorItems,
    NotRead,
    PythonKind,
    Symbol,
    Value,
    as_float,
    as_int,
    as_symbol,
    function_call,
    negate,
    number,
)
from veer.frontends.python.source import Definition, definition_of
from veer.model.expr import Call, Case, Cast, Compare
from veer.model.types import BOOLEAN, INT, LONG

if TYPE_CHECKING:
    from veer.frontends.python.reading.reader import FunctionReader

MOST_ITEMS = 100
# Computed while reading when all arguments are constants.
COMPUTED = (
    enumerate, zip, range, sorted, reversed, list, tuple, dict, set, frozenset,
    len, min, max, sum, abs, round, str, int, float, bool, any, all,
)  # fmt: skip
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
KINDS: dict[type, tuple[PythonKind, ...]] = {
    int: ("int", "bool"),
    bool: ("bool",),
    float: ("float",),
    str: ("str",),
    date: ("date",),
}


# -- calls, attributes, subscripts -------------------------------------------------------------


def follow(reader: FunctionReader, node: ast.expr, state: State, then: ValueContinuation) -> Tree:
    """A call, an attribute or a subscript."""
    match node:
        case ast.Subscript(value=base, slice=ast.Slice() as part):
            return _sliced(reader, base, part, state, then)
        case ast.Subscript(value=base, slice=index):
            return reader.values(
                [base, index], state, lambda vs, s: _item(reader, vs[0], vs[1], s, then)
            )
        case ast.Attribute(value=base, attr=name):
            return reader.value(base, state, lambda v, s: _attribute(reader, v, name, s, then))
        case ast.Call(func=ast.Name(id="any" | "all" as word), args=[made], keywords=[]) if (
            isinstance(made, ast.GeneratorExp | ast.ListComp) and reader.is_builtin(word, state)
        ):
            return _quantified(reader, word == "any", made, state, then)
        case ast.Call(func=function, args=args, keywords=keywords):
            if any(isinstance(a, ast.Starred) for a in args) or any(
                k.arg is None for k in keywords
            ):
                raise NotRead("a variable number of arguments")
            names = [str(k.arg) for k in keywords]
            nodes = [*args, *(k.value for k in keywords)]
            if isinstance(function, ast.Attribute):
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
            raise NotRead(f"the expression {type(node).__name__}")


def _quantified(
    reader: FunctionReader,
    is_any: bool,
    comprehension: ast.GeneratorExp | ast.ListComp,
    state: State,
    then: ValueContinuation,
) -> Tree:
    """`any(...)` or `all(...)` over constants, one after the other."""
    if (
        len(comprehension.generators) != 1
        or comprehension.generators[0].ifs
        or comprehension.generators[0].is_async
    ):
        raise NotRead("a comprehension of several parts")
    source, names = comprehension.generators[0], state.names
    if isinstance(comprehension, ast.ListComp):
        raise NotRead("a list of conditions, all of which are computed")
    if any(isinstance(n, ast.NamedExpr) for n in ast.walk(comprehension)):
        raise NotRead("an assignment inside of a comprehension")

    def over(left: Sequence[Value], s: State) -> Tree:
        if not left:
            return then(Constant(not is_any), s.within(names))
        decided = lambda t: then(Constant(is_any), t.within(names))  # noqa: E731
        going = lambda t: over(left[1:], t.within(names))  # noqa: E731
        yes, no = (decided, going) if is_any else (going, decided)
        return reader.bind(
            source.target, left[0], s, lambda t: reader.branch_on(comprehension.elt, t, yes, no)
        )

    return reader.value(source.iter, state, lambda v, s: over(items_of(v), s))


def _attribute(
    reader: FunctionReader, base: Value, name: str, state: State, then: ValueContinuation
) -> Tree:
    if isinstance(base, Constant) and isinstance(base.value, types.ModuleType):
        if not hasattr(base.value, name):
            return Raises()
        return then(Constant(getattr(base.value, name)), state)
    if isinstance(base, Symbol) and base.kind == "date" and name in ("year", "month", "day"):
        return reader.require_not_none(
            base,
            state,
            lambda v, s: then(
                replace(
                    Symbol(Cast(Call(name, (as_symbol(v).expr,), INT), LONG), "int"),
                    low=0,
                    high=9999,
                ),
                s,
            ),
        )
    raise NotRead(f"the attribute {name}")


def _item(
    reader: FunctionReader, base: Value, index: Value, state: State, then: ValueContinuation
) -> Tree:
    """`base[index]`"""
    if isinstance(base, Constant) and isinstance(index, Constant):
        return reader.compute_constant(
            lambda: require_data(base.value)[require_data(index.value)], state, then
        )
    if isinstance(base, Items) and isinstance(index, Constant) and type(index.value) is int:
        if not -len(base.items) <= index.value < len(base.items):
            return Raises()
        return then(base.items[index.value], state)
    if isinstance(base, Constant) and isinstance(base.value, dict):
        return _looked_up(reader, base.value, index, state, then, lambda _: Raises())
    if not isinstance(base, Symbol) or base.kind not in ("str", "texts"):
        raise NotRead("a subscript")
    function = "python.at" if base.kind == "str" else "python.item"
    return require_kinds(
        reader, [base, index], ("str", "texts"), ("int", "bool"), state,
        lambda args, s: reader.continue_with(function_call(function, "str", args[0], as_int(args[1])), s, then),
    )  # fmt: skip


def _sliced(
    reader: FunctionReader, base: ast.expr, part: ast.Slice, state: State, then: ValueContinuation
) -> Tree:
    """`base[i:j]`, or backwards `base[::-1]`."""
    missing = ast.Constant(None)
    bounds = [part.lower or missing, part.upper or missing]
    backwards = part.step is not None
    if part.step is not None and (ast.unparse(part.step) != "-1" or part.lower or part.upper):
        raise NotRead("a slice with steps")

    def slice_values(values: list[Value], s: State) -> Tree:
        if all(isinstance(v, Constant) for v in values):
            text, low, high = (v.value for v in values if isinstance(v, Constant))
            span = slice(low, high, -1 if backwards else None)
            return reader.compute_constant(lambda: require_data(text)[span], s, then)
        if as_symbol(values[0]).kind == "texts":
            raise NotRead("a slice of a list")
        if backwards:
            return _cut(reader, "reversed", values[:1], s, then)
        return _between(reader, values[0], values[1], values[2], s, then)

    return reader.values([base, *bounds], state, slice_values)


def _between(
    reader: FunctionReader,
    text: Value,
    low: Value,
    high: Value,
    state: State,
    then: ValueContinuation,
) -> Tree:
    """A part of a text; a bound that is None is left out."""

    def from_start(s: State) -> Tree:
        return reader.unless_none(
            high,
            s,
            lambda t: _cut(reader, "from", [text, Constant(0)], t, then),
            lambda to, t: _cut(reader, "until", [text, to], t, then),
        )

    def from_place(at: Value, s: State) -> Tree:
        return reader.unless_none(
            high,
            s,
            lambda t: _cut(reader, "from", [text, at], t, then),
            lambda to, t: _cut(reader, "slice", [text, at, to], t, then),
        )

    return reader.unless_none(low, state, from_start, from_place)


def _cut(
    reader: FunctionReader,
    function: str,
    values: Sequence[Value],
    state: State,
    then: ValueContinuation,
) -> Tree:
    return require_kinds(
        reader, values, ("str",), ("int", "bool"), state,
        lambda args, s: reader.continue_with(
            function_call(f"python.{function}", "str", args[0], *map(as_int, args[1:])), s, then
        ),
    )  # fmt: skip


def _looked_up(
    reader: FunctionReader,
    table: dict[Any, Any],
    key: Value,
    state: State,
    then: ValueContinuation,
    missing: Any,
) -> Tree:
    """What a constant dict holds for a key of the row."""
    require_data(table)
    if len(table) > MOST_ITEMS:
        raise NotRead("a dict of too many items")

    def over(left: list[tuple[Any, Any]], s: State) -> Tree:
        if not left:
            tree: Tree = missing(s)
            return tree
        (wanted, value), rest = left[0], left[1:]

        def decided(v: Value, t: State) -> Tree:
            assert isinstance(v, Constant)
            return then(Constant(value), t) if v.value else over(rest, t)

        return comparisons.equal(reader, key, Constant(wanted), s, decided)

    return over(list(table.items()), state)


# -- functions ---------------------------------------------------------------------------------


def _called(
    reader: FunctionReader,
    function: Value,
    args: Sequence[Value],
    names: Sequence[str],
    state: State,
    then: ValueContinuation,
) -> Tree:
    """A function applied to values, the last of which have names."""
    if not isinstance(function, Constant):
        raise NotRead("a call of a value of the row")
    callee = function.value
    positional = list(args[: len(args) - len(names)])
    named = dict(zip(names, args[len(positional) :], strict=True))
    definition = callee if isinstance(callee, Definition) else None
    if definition is None and type(callee) is types.FunctionType and _is_own(callee):
        definition = definition_of(callee)
        if definition is None:
            raise NotRead(f"the source of {callee.__name__} is not to be had")
    if definition is not None:
        return reader.call(definition, positional, named, state, then)
    if named:
        raise NotRead("a builtin with named arguments")
    if any(callee is c for c in COMPUTED) and all(map(_is_known, args)):
        return _computed(reader, callee, args, state, then)
    for known, followed in FUNCTIONS:
        if callee is known:
            return followed(reader, positional, state, then)
    raise NotRead(f"a call of {getattr(callee, '__name__', type(callee).__name__)}")


def _is_own(function: types.FunctionType) -> bool:
    return function.__module__ not in ("re", "math")


def _is_known(value: Value) -> bool:
    if isinstance(value, IteratorItems):
        return all(isinstance(i, Constant) for i in value.items)
    return isinstance(value, Constant)


def _computed(
    reader: FunctionReader,
    function: Any,
    args: Sequence[Value],
    state: State,
    then: ValueContinuation,
) -> Tree:
    """A builtin applied to constants, while reading."""
    values = [require_data(a.value) if isinstance(a, Constant) else _items(a) for a in args]
    if function not in UNORDERED:
        values = [require_ordered(v) for v in values]
    if function is range and any(abs(v) > LONGEST for v in values if isinstance(v, int)):
        raise NotRead("a long range")
    if function in (len, bool, str, reversed) and any(isinstance(a, IteratorItems) for a in args):
        raise NotRead("an iterator as a value")
    try:
        result = function(*values)
        if function in (enumerate, zip, reversed):
            return then(IteratorItems(tuple(Constant(item) for item in result)), state)
    except (TypeError, ValueError, ArithmeticError, LookupError):
        return Raises()
    return then(Constant(result), state)


def _items(value: Value) -> list[Any]:
    return [i.value for i in items_of(value) if isinstance(i, Constant)]


def _one(args: Sequence[Value]) -> Value:
    if len(args) != 1:
        raise NotRead("a builtin with other than one argument")
    return args[0]


UNORDERED = (len, sorted, bool, set, frozenset, any, all)  # to which the order of a set is nothing


def _len(
    reader: FunctionReader, args: Sequence[Value], state: State, then: ValueContinuation
) -> Tree:
    value = _one(args)
    if isinstance(value, IteratorItems):
        raise NotRead("the length of an iterator")
    if isinstance(value, Items):
        return then(Constant(len(value.items)), state)
    return require_kinds(
        reader, [value], ("str", "texts"), (), state,
        lambda a, s: then(replace(function_call("python.len", "int", a[0]), low=0, high=1 << 31), s),
    )  # fmt: skip


def _str(
    reader: FunctionReader, args: Sequence[Value], state: State, then: ValueContinuation
) -> Tree:
    return reader.text(_one(args), state, then)


def _bool(
    reader: FunctionReader, args: Sequence[Value], state: State, then: ValueContinuation
) -> Tree:
    return reader.branch_on_value(
        _one(args),
        state,
        lambda s: then(Constant(True), s),
        lambda s: then(Constant(False), s),
    )


def _int(
    reader: FunctionReader, args: Sequence[Value], state: State, then: ValueContinuation
) -> Tree:
    def convert(a: list[Symbol], s: State) -> Tree:
        if a[0].kind == "float":
            return reader.continue_with(function_call("python.trunc", "int", a[0]), s, then)
        if a[0].kind == "str":
            return reader.continue_with(function_call("python.int", "int", a[0]), s, then)
        return then(as_int(a[0]), s)

    return require_kinds(reader, [_one(args)], (*NUMBERS, "str"), (), state, convert)


def _float(
    reader: FunctionReader, args: Sequence[Value], state: State, then: ValueContinuation
) -> Tree:
    def convert(a: list[Symbol], s: State) -> Tree:
        if a[0].kind == "str":
            return reader.continue_with(function_call("python.float", "float", a[0]), s, then)
        return then(as_float(a[0]), s)

    return require_kinds(reader, [_one(args)], (*NUMBERS, "str"), (), state, convert)


def _abs(
    reader: FunctionReader, args: Sequence[Value], state: State, then: ValueContinuation
) -> Tree:
    def absolute_value(a: list[Symbol], s: State) -> Tree:
        if a[0].kind == "float":
            return reader.continue_with(function_call("abs", "float", a[0]), s, then)
        whole = as_int(a[0])
        turned = Case(((Compare("<", whole.expr, number(0)), negate(whole).expr),), whole.expr)
        absolute = Symbol(turned, "int")
        if whole.low is not None and whole.high is not None:
            absolute = replace(absolute, low=0, high=max(abs(whole.low), abs(whole.high)))
        return then(absolute, s)

    return require_kinds(reader, [_one(args)], NUMBERS, (), state, absolute_value)


def _round(
    reader: FunctionReader, args: Sequence[Value], state: State, then: ValueContinuation
) -> Tree:
    if len(args) == 2 and not (isinstance(args[1], Constant) and type(args[1].value) is int):
        raise NotRead("a rounding to a place of the row")

    def round_value(a: list[Symbol], s: State) -> Tree:
        if a[0].kind == "float":
            if len(a) == 2:
                return reader.continue_with(function_call("python.round_to", "float", *a), s, then)
            return reader.continue_with(function_call("python.round", "int", a[0]), s, then)
        if len(a) == 2 and (a[1].low is None or a[1].low < 0):
            raise NotRead("a rounding of whole numbers to tens")
        return then(as_int(a[0]), s)

    return require_kinds(reader, args[:2], NUMBERS, ("int",), state, round_value)


def _extreme(
    sign: str,
) -> Callable[[FunctionReader, Sequence[Value], State, ValueContinuation], Tree]:
    """`min` or `max`: an item replaces the best so far if it is better."""

    def followed(
        reader: FunctionReader, args: Sequence[Value], state: State, then: ValueContinuation
    ) -> Tree:
        items = items_of(args[0]) if len(args) == 1 else list(args)
        if not items:
            return Raises()

        def over(best: Value, left: Sequence[Value], s: State) -> Tree:
            if not left:
                return then(best, s)

            def decided(v: Value, t: State) -> Tree:
                assert isinstance(v, Constant)
                return over(left[0] if v.value else best, left[1:], t)

            return comparisons.ordered(reader, sign, left[0], best, s, decided)

        return over(items[0], items[1:], state)

    return followed


def _isinstance(
    reader: FunctionReader, args: Sequence[Value], state: State, then: ValueContinuation
) -> Tree:
    if len(args) != 2 or not isinstance(args[1], Constant) or isinstance(args[0], Items):
        raise NotRead("isinstance")
    wanted = args[1].value if isinstance(args[1].value, tuple) else (args[1].value,)
    if not all(any(w is k for k in (*KINDS, type(None))) for w in wanted):
        raise NotRead("isinstance of other than plain types")
    value = args[0]
    if isinstance(value, Constant):
        return reader.compute_constant(
            lambda: isinstance(require_data(value.value), wanted), state, then
        )
    kinds = {kind for w in wanted for kind in KINDS.get(w, ())}
    return reader.unless_none(
        value,
        state,
        lambda s: then(Constant(type(None) in wanted), s),
        lambda v, s: then(Constant(as_symbol(v).kind in kinds), s),
    )


def _rounded(
    name: str,
) -> Callable[[FunctionReader, Sequence[Value], State, ValueContinuation], Tree]:
    def followed(
        reader: FunctionReader, args: Sequence[Value], state: State, then: ValueContinuation
    ) -> Tree:
        def round_value(a: list[Symbol], s: State) -> Tree:
            if a[0].kind == "float":
                return reader.continue_with(function_call(f"python.{name}", "int", a[0]), s, then)
            return then(as_int(a[0]), s)

        return require_kinds(reader, [_one(args)], NUMBERS, (), state, round_value)

    return followed


def _isnan(
    reader: FunctionReader, args: Sequence[Value], state: State, then: ValueContinuation
) -> Tree:
    return require_kinds(
        reader, [_one(args)], NUMBERS, (), state,
        lambda a, s: reader.truth_value(Call("isnan", (as_float(a[0]).expr,), BOOLEAN), s, then, True
        ),
    )  # fmt: skip


FUNCTIONS: tuple[
    tuple[Any, Callable[[FunctionReader, Sequence[Value], State, ValueContinuation], Tree]], ...
] = (
    (len, _len),
    (str, _str),
    (bool, _bool),
    (int, _int),
    (float, _float),
    (abs, _abs),
    (round, _round),
    (min, _extreme("<")),
    (max, _extreme(">")),
    (isinstance, _isinstance),
    (math.floor, _rounded("floor")),
    (math.ceil, _rounded("ceil")),
    (math.trunc, _rounded("trunc")),
    (math.isnan, _isnan),
    (re.match, matched("match")),
    (re.search, matched("search")),
    (re.fullmatch, matched("fullmatch")),
    (re.sub, substituted),
)


# -- methods -----------------------------------------------------------------------------------


def _method(
    reader: FunctionReader,
    base: Value,
    name: str,
    args: Sequence[Value],
    names: Sequence[str],
    state: State,
    then: ValueContinuation,
) -> Tree:
    """`base.name(args)`"""
    if isinstance(base, Constant) and isinstance(base.value, types.ModuleType):
        if not hasattr(base.value, name):
            return Raises()
        return _called(reader, Constant(getattr(base.value, name)), args, names, state, then)
    if names:
        raise NotRead("a method with named arguments")
    if isinstance(base, Constant) and isinstance(base.value, re.Pattern):
        if name == "sub" and len(args) == 2:
            return substituted(reader, [base, *args], state, then)
        if name in MATCHED and len(args) == 1:
            return matched(name)(reader, [base, *args], state, then)
        raise NotRead(f"the method {name} of a pattern")
    if isinstance(base, Constant) and isinstance(base.value, dict) and name == "get":
        default = args[1] if len(args) > 1 else NONE
        return _looked_up(reader, base.value, args[0], state, then, lambda s: then(default, s))
    if isinstance(base, Constant) and all(isinstance(a, Constant) for a in args):
        if name not in CONSTANT_METHODS.get(type(base.value), frozenset()):
            raise NotRead(f"the method {name}")
        values = [require_ordered(a.value) for a in args if isinstance(a, Constant)]
        method = getattr(require_ordered(base.value), name)
        if name in ("keys", "values", "items"):
            return then(IteratorItems(tuple(Constant(v) for v in method())), state)
        return reader.compute_constant(lambda: method(*values), state, then)
    if isinstance(base, Items | IteratorItems):
        raise NotRead(f"the method {name} of a list")
    return reader.require_not_none(
        base, state, lambda v, s: of_text(reader, as_symbol(v), name, args, s, then)
    )
