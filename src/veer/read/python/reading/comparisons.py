"""Comparisons of Python functions: `==`, `<`, `is None`, `in`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from veer.ir import expr as ex
from veer.read.python.reading import constants, values as val
from veer.read.python.reading.branches import (
    State,
    Tree,
    ValueContinuation,
    require_kinds,
)
from veer.read.python.reading.constants import LONGEST, items_of, require_data

if TYPE_CHECKING:
    from veer.read.python.reading.reader import FunctionReader

ORDERS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
MOST_ITEMS = 100


def compare(
    reader: FunctionReader,
    op: ast.cmpop,
    a: val.Value,
    b: val.Value,
    state: State,
    then: ValueContinuation,
) -> Tree:
    """`a op b` as a value."""
    match op:
        case ast.Is() | ast.IsNot():
            # Whether equal values are one object is up to the interpreter; None there is but one.
            if a != val.NONE and b != val.NONE:
                raise val.NotRead("`is` of other than None")
            return equal(reader, a, b, state, then, isinstance(op, ast.Is))
        case ast.Eq() | ast.NotEq():
            return equal(reader, a, b, state, then, isinstance(op, ast.Eq))
        case ast.In() | ast.NotIn():
            return contained(reader, a, b, state, then, isinstance(op, ast.In))
        case _:
            return ordered(reader, ORDERS[type(op)], a, b, state, then)


def equal(
    reader: FunctionReader,
    a: val.Value,
    b: val.Value,
    state: State,
    then: ValueContinuation,
    wanted: bool = True,
) -> Tree:
    """`a == b`, or `a != b`; None equals None alone, so the result is never null."""
    if isinstance(a, val.Constant) and isinstance(b, val.Constant):
        return reader.compute_constant(
            lambda: (require_data(a.value) == require_data(b.value)) is wanted, state, then
        )
    for side in (a, b):
        if isinstance(side, val.Items | val.IteratorItems) or getattr(side, "kind", "") == "texts":
            raise val.NotRead("a comparison of lists")
    if a == val.NONE or b == val.NONE:
        return reader.truth_value(
            val.is_none(val.as_symbol(b if a == val.NONE else a)), state, then, wanted
        )

    def unequal(s: State) -> Tree:
        return then(val.Constant(not wanted), s)

    def first(x: val.Value, s: State) -> Tree:
        return reader.unless_none(b, s, unequal, lambda y, t: second(x, y, t))

    def second(x: val.Value, y: val.Value, s: State) -> Tree:
        for side in (x, y):
            if isinstance(side, val.Constant) and not constants.is_scalar(side.value):
                require_data(side.value)
                return unequal(s)  # a collection
        condition = val.compare_symbols("=", val.as_symbol(x), val.as_symbol(y))
        assert condition is not None
        return reader.truth_value(condition, s, then, wanted)

    def none(s: State) -> Tree:
        both = lambda t: then(val.Constant(wanted), t)  # noqa: E731
        return reader.unless_none(b, s, both, lambda _, t: unequal(t))

    return reader.unless_none(a, state, none, first)


def ordered(
    reader: FunctionReader,
    operator: str,
    a: val.Value,
    b: val.Value,
    state: State,
    then: ValueContinuation,
) -> Tree:
    """`a < b` and its kin; Python fails on None and on values of different kinds."""
    if isinstance(a, val.Constant) and isinstance(b, val.Constant):
        return reader.compute_constant(
            lambda: constants.ordered(operator, a.value, b.value), state, then
        )

    def both(x: val.Value, y: val.Value, s: State) -> Tree:
        condition = val.compare_symbols(operator, val.as_symbol(x), val.as_symbol(y))
        if condition is None:
            return reader.raises(TypeError, s)
        return reader.truth_value(condition, s, then, True)

    return reader.require_not_none(
        a, state, lambda x, s: reader.require_not_none(b, s, lambda y, t: both(x, y, t))
    )


def contained(
    reader: FunctionReader,
    a: val.Value,
    b: val.Value,
    state: State,
    then: ValueContinuation,
    wanted: bool,
) -> Tree:
    """`a in b`, or `a not in b`."""
    if isinstance(a, val.Constant) and isinstance(b, val.Constant):
        return reader.compute_constant(
            lambda: (require_data(a.value) in require_data(b.value)) is wanted, state, then
        )
    if isinstance(b, val.Symbol) or (isinstance(b, val.Constant) and isinstance(b.value, str)):
        return _in_text(reader, a, b, state, then, wanted)
    items = (
        items_of(b)
        if not isinstance(b, val.Constant)
        else [val.Constant(v) for v in _options(b.value)]
    )
    if len(items) > LONGEST:
        raise val.NotRead("a collection of too many items")
    if isinstance(a, val.Symbol) and isinstance(b, val.Constant) and a.kind in ("str", "int"):
        return _listed(
            reader, a, [i.value for i in items if isinstance(i, val.Constant)], state, then, wanted
        )
    # One comparison an item, the first that holds decides.
    if len(items) > MOST_ITEMS:
        raise val.NotRead("a collection of too many items")
    if any(isinstance(i, val.Symbol) and i.kind == "float" for i in items):
        raise val.NotRead("a search among floats, which finds NaN where it is the same object")

    def over(left: Sequence[val.Value], s: State) -> Tree:
        if not left:
            return then(val.Constant(not wanted), s)

        def decided(v: val.Value, t: State) -> Tree:
            assert isinstance(v, val.Constant)
            return then(val.Constant(wanted), t) if v.value else over(left[1:], t)

        return equal(reader, a, left[0], s, decided)

    return over(items, state)


def _in_text(
    reader: FunctionReader,
    a: val.Value,
    b: val.Value,
    state: State,
    then: ValueContinuation,
    wanted: bool,
) -> Tree:
    """`a in b` where `b` is a text or what split gave."""
    if isinstance(b, val.Symbol) and b.kind == "texts":
        if not isinstance(a, val.Symbol) or a.kind != "str" or a.nullable:
            raise val.NotRead("a search in a list")
        condition = val.function_call("python.member", "bool", a, b).expr
        return reader.truth_value(condition, state, then, wanted)

    def search(texts: list[val.Symbol], s: State) -> Tree:
        condition = val.function_call("python.contains", "bool", *texts).expr
        return reader.truth_value(condition, s, then, wanted)

    return require_kinds(reader, [b, a], ("str",), ("str",), state, search)


def _options(value: Any) -> list[Any]:
    options = require_data(value)
    if options is None or isinstance(options, bool | int | float | date):
        raise val.NotRead("a search in no collection")
    return list(options)


def _listed(
    reader: FunctionReader,
    a: val.Symbol,
    options: list[Any],
    state: State,
    then: ValueContinuation,
    wanted: bool,
) -> Tree:
    """A text or whole number in a constant collection."""
    if a.kind == "str":
        fitting = [ex.Literal(o, a.expr.type) for o in options if type(o) is str]
    else:
        # To Python 1, 1.0 and True are equal; no text or fraction equals a whole number.
        wholes = [int(o) for o in options if isinstance(o, bool | int | float) and o == o // 1]
        fitting = [val.number(o) for o in wholes if -(1 << 63) <= o < 1 << 63]
        if len(fitting) < len(wholes) and (a.low is None or a.high is None):
            raise val.NotRead("a number that may need more than 64 bits")
    none = val.Constant((None in options) is wanted)
    if not fitting:
        return reader.unless_none(
            a, state, lambda s: then(none, s), lambda _, s: then(val.Constant(not wanted), s)
        )
    unique = tuple(sorted(set(fitting), key=lambda o: repr(o.value)))
    condition = ex.InList(a.expr, unique) if len(unique) > 1 else ex.Compare("=", a.expr, unique[0])
    return reader.unless_none(
        a,
        state,
        lambda s: then(none, s),
        lambda _, s: reader.truth_value(condition, s, then, wanted),
    )
