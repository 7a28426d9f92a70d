"""Builtin functions, `math` and `re`, applied to values of the row."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from veer.ir import expr as ex
from veer.ir.types import BOOLEAN
from veer.read.python.reading import arithmetic, comparisons, values as val
from veer.read.python.reading.branches import (
    State,
    Tree,
    ValueContinuation,
    require_kinds,
)
from veer.read.python.reading.constants import items_of, require_data
from veer.read.python.reading.texts import (
    matched,
    substituted,
)

if TYPE_CHECKING:
    from veer.read.python.reading.reader import FunctionReader

KINDS: dict[type, tuple[val.PythonKind, ...]] = {
    int: ("int", "bool"),
    bool: ("bool",),
    float: ("float",),
    str: ("str",),
    date: ("date", "datetime"),
}


def _one(args: Sequence[val.Value]) -> val.Value:
    if len(args) != 1:
        raise val.NotRead("a builtin with other than one argument")
    return args[0]


def _len(
    reader: FunctionReader, args: Sequence[val.Value], state: State, then: ValueContinuation
) -> Tree:
    value = _one(args)
    if isinstance(value, val.IteratorItems):
        raise val.NotRead("the length of an iterator")
    if isinstance(value, val.Items):
        return then(val.Constant(len(value.items)), state)
    return require_kinds(
        reader, [value], ("str", "texts"), (), state,
        lambda a, s: then(replace(val.function_call("python.len", "int", a[0]), low=0, high=1 << 31), s),
    )  # fmt: skip


def _str(
    reader: FunctionReader, args: Sequence[val.Value], state: State, then: ValueContinuation
) -> Tree:
    return reader.text(_one(args), state, then)


def _bool(
    reader: FunctionReader, args: Sequence[val.Value], state: State, then: ValueContinuation
) -> Tree:
    return reader.branch_on_value(
        _one(args),
        state,
        lambda s: then(val.Constant(True), s),
        lambda s: then(val.Constant(False), s),
    )


def _int(
    reader: FunctionReader, args: Sequence[val.Value], state: State, then: ValueContinuation
) -> Tree:
    def convert(a: list[val.Symbol], s: State) -> Tree:
        if a[0].kind == "float":
            return reader.continue_with(val.function_call("python.trunc", "int", a[0]), s, then)
        if a[0].kind == "str":
            return reader.continue_with(val.function_call("python.int", "int", a[0]), s, then)
        return then(val.as_int(a[0]), s)

    return require_kinds(reader, [_one(args)], (*val.NUMBERS, "str"), (), state, convert)


def _float(
    reader: FunctionReader, args: Sequence[val.Value], state: State, then: ValueContinuation
) -> Tree:
    def convert(a: list[val.Symbol], s: State) -> Tree:
        if a[0].kind == "str":
            return reader.continue_with(val.function_call("python.float", "float", a[0]), s, then)
        return then(val.as_float(a[0]), s)

    return require_kinds(reader, [_one(args)], (*val.NUMBERS, "str"), (), state, convert)


def _abs(
    reader: FunctionReader, args: Sequence[val.Value], state: State, then: ValueContinuation
) -> Tree:
    def absolute_value(a: list[val.Symbol], s: State) -> Tree:
        if a[0].kind == "float":
            return reader.continue_with(val.function_call("abs", "float", a[0]), s, then)
        whole = val.as_int(a[0])
        turned = ex.Case(
            ((ex.Compare("<", whole.expr, val.number(0)), val.negate(whole).expr),), whole.expr
        )
        absolute = val.Symbol(turned, "int")
        if whole.low is not None and whole.high is not None:
            absolute = replace(absolute, low=0, high=max(abs(whole.low), abs(whole.high)))
        return then(absolute, s)

    return require_kinds(reader, [_one(args)], val.NUMBERS, (), state, absolute_value)


def _round(
    reader: FunctionReader, args: Sequence[val.Value], state: State, then: ValueContinuation
) -> Tree:
    if len(args) == 2 and not (isinstance(args[1], val.Constant) and type(args[1].value) is int):
        raise val.NotRead("a rounding to a place of the row")

    def round_value(a: list[val.Symbol], s: State) -> Tree:
        if a[0].kind == "float":
            if len(a) == 2:
                return reader.continue_with(
                    val.function_call("python.round_to", "float", *a), s, then
                )
            return reader.continue_with(val.function_call("python.round", "int", a[0]), s, then)
        if len(a) == 2 and (a[1].low is None or a[1].low < 0):
            raise val.NotRead("a rounding of whole numbers to tens")
        return then(val.as_int(a[0]), s)

    return require_kinds(reader, args[:2], val.NUMBERS, ("int",), state, round_value)


def _extreme(
    sign: str,
) -> Callable[[FunctionReader, Sequence[val.Value], State, ValueContinuation], Tree]:
    """`min` or `max`: an item replaces the best so far if it is better.

    So of equal items the first is taken, as by Python: it shows where 1 and True are equal.
    """

    def followed(
        reader: FunctionReader, args: Sequence[val.Value], state: State, then: ValueContinuation
    ) -> Tree:
        whole = state.handler is None  # inside of `try` it shows which of two failures comes first
        items = items_of(args[0], whole) if len(args) == 1 else list(args)
        if not items:
            return reader.raises(ValueError, state)

        def over(best: val.Value, left: Sequence[val.Value], s: State) -> Tree:
            if not left:
                return then(best, s)

            def decided(v: val.Value, t: State) -> Tree:
                assert isinstance(v, val.Constant)
                return over(left[0] if v.value else best, left[1:], t)

            return comparisons.ordered(reader, sign, left[0], best, s, decided)

        return over(items[0], items[1:], state)

    return followed


def _sum(
    reader: FunctionReader, args: Sequence[val.Value], state: State, then: ValueContinuation
) -> Tree:
    """`sum`: 0 and the items, from left to right."""
    items = items_of(_one(args), state.handler is None)

    def over(total: val.Value, left: Sequence[val.Value], s: State) -> Tree:
        if not left:
            return then(total, s)
        if isinstance(left[0], val.Symbol) and left[0].kind == "float":
            raise val.NotRead("a sum of floats, which Python corrects for rounding")
        return arithmetic.compute(
            reader, ast.Add(), total, left[0], s, lambda v, t: over(v, left[1:], t)
        )

    return over(val.Constant(0), items, state)


def _quantified(
    is_any: bool,
) -> Callable[[FunctionReader, Sequence[val.Value], State, ValueContinuation], Tree]:
    """`any` or `all` of items that are computed before."""

    def followed(
        reader: FunctionReader, args: Sequence[val.Value], state: State, then: ValueContinuation
    ) -> Tree:
        def over(left: Sequence[val.Value], s: State) -> Tree:
            if not left:
                return then(val.Constant(not is_any), s)
            stop = lambda t: then(val.Constant(is_any), t)  # noqa: E731
            going = lambda t: over(left[1:], t)  # noqa: E731
            return reader.branch_on_value(left[0], s, *((stop, going) if is_any else (going, stop)))

        return over(items_of(_one(args)), state)

    return followed


def _listed(
    is_list: bool,
) -> Callable[[FunctionReader, Sequence[val.Value], State, ValueContinuation], Tree]:
    """`list` or `tuple` with some items that depend on the row."""

    def followed(
        reader: FunctionReader, args: Sequence[val.Value], state: State, then: ValueContinuation
    ) -> Tree:
        del reader
        return then(val.Items(tuple(items_of(_one(args), all_taken=True)), is_list), state)

    return followed


def follow_isinstance(
    reader: FunctionReader, args: Sequence[val.Value], state: State, then: ValueContinuation
) -> Tree:
    if len(args) != 2 or not isinstance(args[1], val.Constant) or isinstance(args[0], val.Items):
        raise val.NotRead("isinstance")
    wanted = args[1].value if isinstance(args[1].value, tuple) else (args[1].value,)
    if not all(any(w is k for k in (*KINDS, type(None))) for w in wanted):
        raise val.NotRead("isinstance of other than plain types")
    value = args[0]
    if isinstance(value, val.Constant):
        return reader.compute_constant(
            lambda: isinstance(require_data(value.value), wanted), state, then
        )
    kinds = {kind for w in wanted for kind in KINDS.get(w, ())}
    return reader.unless_none(
        value,
        state,
        lambda s: then(val.Constant(type(None) in wanted), s),
        lambda v, s: then(val.Constant(val.as_symbol(v).kind in kinds), s),
    )


def _rounded(
    name: str,
) -> Callable[[FunctionReader, Sequence[val.Value], State, ValueContinuation], Tree]:
    def followed(
        reader: FunctionReader, args: Sequence[val.Value], state: State, then: ValueContinuation
    ) -> Tree:
        def round_value(a: list[val.Symbol], s: State) -> Tree:
            if a[0].kind == "float":
                return reader.continue_with(
                    val.function_call(f"python.{name}", "int", a[0]), s, then
                )
            return then(val.as_int(a[0]), s)

        return require_kinds(reader, [_one(args)], val.NUMBERS, (), state, round_value)

    return followed


def _isnan(
    reader: FunctionReader, args: Sequence[val.Value], state: State, then: ValueContinuation
) -> Tree:
    return require_kinds(
        reader, [_one(args)], val.NUMBERS, (), state,
        lambda a, s: reader.truth_value(ex.Call("isnan", (val.as_float(a[0]).expr,), BOOLEAN), s, then, True
        ),
    )  # fmt: skip


FUNCTIONS: tuple[
    tuple[Any, Callable[[FunctionReader, Sequence[val.Value], State, ValueContinuation], Tree]], ...
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
