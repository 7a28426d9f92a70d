"""Builtin functions, `math` and `re`, applied to values of the row."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from veer.frontends.python.reading import arithmetic, comparisons
from veer.frontends.python.reading.branches import (
    State,
    Tree,
    ValueContinuation,
    require_kinds,
)
from veer.frontends.python.reading.constants import items_of, require_data
from veer.frontends.python.reading.texts import (
    matched,
    substituted,
)
from veer.frontends.python.reading.values import (
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
from veer.model.expr import Call, Case, Compare
from veer.model.types import BOOLEAN

if TYPE_CHECKING:
    from veer.frontends.python.reading.reader import FunctionReader

KINDS: dict[type, tuple[PythonKind, ...]] = {
    int: ("int", "bool"),
    bool: ("bool",),
    float: ("float",),
    str: ("str",),
    date: ("date", "datetime"),
}


def _one(args: Sequence[Value]) -> Value:
    if len(args) != 1:
        raise NotRead("a builtin with other than one argument")
    return args[0]


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
    """`min` or `max`: an item replaces the best so far if it is better.

    So of equal items the first is taken, as by Python: it shows where 1 and True are equal.
    """

    def followed(
        reader: FunctionReader, args: Sequence[Value], state: State, then: ValueContinuation
    ) -> Tree:
        whole = state.handler is None  # inside of `try` it shows which of two failures comes first
        items = items_of(args[0], whole) if len(args) == 1 else list(args)
        if not items:
            return reader.raises(ValueError, state)

        def over(best: Value, left: Sequence[Value], s: State) -> Tree:
            if not left:
                return then(best, s)

            def decided(v: Value, t: State) -> Tree:
                assert isinstance(v, Constant)
                return over(left[0] if v.value else best, left[1:], t)

            return comparisons.ordered(reader, sign, left[0], best, s, decided)

        return over(items[0], items[1:], state)

    return followed


def _sum(
    reader: FunctionReader, args: Sequence[Value], state: State, then: ValueContinuation
) -> Tree:
    """`sum`: 0 and the items, from left to right."""
    items = items_of(_one(args), state.handler is None)

    def over(total: Value, left: Sequence[Value], s: State) -> Tree:
        if not left:
            return then(total, s)
        if isinstance(left[0], Symbol) and left[0].kind == "float":
            raise NotRead("a sum of floats, which Python corrects for rounding")
        return arithmetic.compute(
            reader, ast.Add(), total, left[0], s, lambda v, t: over(v, left[1:], t)
        )

    return over(Constant(0), items, state)


def _quantified(
    is_any: bool,
) -> Callable[[FunctionReader, Sequence[Value], State, ValueContinuation], Tree]:
    """`any` or `all` of items that are computed before."""

    def followed(
        reader: FunctionReader, args: Sequence[Value], state: State, then: ValueContinuation
    ) -> Tree:
        def over(left: Sequence[Value], s: State) -> Tree:
            if not left:
                return then(Constant(not is_any), s)
            stop = lambda t: then(Constant(is_any), t)  # noqa: E731
            going = lambda t: over(left[1:], t)  # noqa: E731
            return reader.branch_on_value(left[0], s, *((stop, going) if is_any else (going, stop)))

        return over(items_of(_one(args)), state)

    return followed


def _listed(
    is_list: bool,
) -> Callable[[FunctionReader, Sequence[Value], State, ValueContinuation], Tree]:
    """`list` or `tuple` of items some of which depend on the row."""

    def followed(
        reader: FunctionReader, args: Sequence[Value], state: State, then: ValueContinuation
    ) -> Tree:
        del reader
        return then(Items(tuple(items_of(_one(args), all_taken=True)), is_list), state)

    return followed


def follow_isinstance(
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
    (sum, _sum),
    (any, _quantified(True)),
    (all, _quantified(False)),
    (list, _listed(True)),
    (tuple, _listed(False)),
    (isinstance, follow_isinstance),
    (math.floor, _rounded("floor")),
    (math.ceil, _rounded("ceil")),
    (math.trunc, _rounded("trunc")),
    (math.isnan, _isnan),
    (re.match, matched("match")),
    (re.search, matched("search")),
    (re.fullmatch, matched("fullmatch")),
    (re.sub, substituted),
)
