"""Arithmetic of Python functions, with Python's meaning: division, powers, texts that are added."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from veer.frontends.python.reading import constants, formats
from veer.frontends.python.reading.branches import State, Tree, ValueContinuation
from veer.frontends.python.reading.values import (
    NUMBERS,
    Constant,
    NotRead,
    Symbol,
    Value,
    add,
    as_int,
    as_symbol,
    compare_symbols,
    divide,
    floor_divide,
    modulo,
    multiply,
    negate,
    subtract,
)
from veer.model.expr import Literal
from veer.model.types import BOOLEAN

if TYPE_CHECKING:
    from veer.frontends.python.reading.reader import FunctionReader


def negative(reader: FunctionReader, value: Value, state: State, then: ValueContinuation) -> Tree:
    """`-value`"""
    if isinstance(value, Constant):
        return reader.compute_constant(lambda: -constants.require_data(value.value), state, then)

    def turned(v: Value, s: State) -> Tree:
        symbol = as_symbol(v)
        return then(negate(symbol), s) if symbol.kind in NUMBERS else reader.raises(TypeError, s)

    return reader.require_not_none(value, state, turned)


def compute(
    reader: FunctionReader,
    op: ast.operator,
    a: Value,
    b: Value,
    state: State,
    then: ValueContinuation,
) -> Tree:
    """`a op b`"""
    if isinstance(op, ast.Mod) and isinstance(a, Constant) and type(a.value) is str:
        return formats.percent(reader, a.value, b, state, then)
    if isinstance(a, Constant) and isinstance(b, Constant):
        return reader.compute_constant(lambda: constants.compute(op, a.value, b.value), state, then)
    return reader.require_not_none(
        a,
        state,
        lambda x, s: reader.require_not_none(
            b, s, lambda y, t: _arithmetic(reader, op, x, y, t, then)
        ),
    )


def _arithmetic(
    reader: FunctionReader,
    op: ast.operator,
    a: Value,
    b: Value,
    state: State,
    then: ValueContinuation,
) -> Tree:
    left, right = as_symbol(a), as_symbol(b)
    if isinstance(op, ast.Mod) and left.kind == "str":
        raise NotRead("formatting with % of a text of the row")
    kinds = {left.kind, right.kind}
    if kinds == {"str"} and isinstance(op, ast.Add):
        return then(add(left, right), state)
    if not kinds <= set(NUMBERS):
        # `"ab" * 2` repeats a text; any other operator of a text and a number is a TypeError.
        if isinstance(op, ast.Mult) or not kinds <= {*NUMBERS, "str"}:
            raise NotRead("arithmetic of other than numbers")
        return reader.raises(TypeError, state)
    match op:
        case ast.Add():
            return then(add(left, right), state)
        case ast.Sub():
            return then(subtract(left, right), state)
        case ast.Mult():
            return then(multiply(left, right), state)
        case ast.Div() | ast.FloorDiv() | ast.Mod():
            return _divided(reader, op, left, right, state, then)
        case ast.Pow():
            return _raised(reader, left, b, state, then)
        case _:
            raise NotRead(f"the operator {type(op).__name__}")


def _divided(
    reader: FunctionReader,
    op: ast.operator,
    left: Symbol,
    right: Symbol,
    state: State,
    then: ValueContinuation,
) -> Tree:
    # Python fails on a zero divisor, of floats too.
    zero = compare_symbols("=", right, as_symbol(Constant(0)))
    assert zero is not None
    if isinstance(right.expr, Literal):
        zero = Literal(not right.expr.value, BOOLEAN)
    by_zero = lambda s: reader.raises(ZeroDivisionError, s)  # noqa: E731
    if isinstance(op, ast.Div):
        return reader.branch(zero, state, by_zero, lambda s: then(divide(left, right), s))
    if "float" in (left.kind, right.kind):
        raise NotRead("a remainder of floats")
    divide_whole = floor_divide if isinstance(op, ast.FloorDiv) else modulo
    whole = as_int(left), as_int(right)
    return reader.branch(zero, state, by_zero, lambda s: then(divide_whole(*whole), s))


def _raised(
    reader: FunctionReader, left: Symbol, exponent: Value, state: State, then: ValueContinuation
) -> Tree:
    """`left ** exponent` of a whole number, as a product; a power of floats rounds otherwise."""
    if (
        not isinstance(exponent, Constant)
        or exponent.value not in (1, 2, 3, 4)
        or type(exponent.value) is not int
        or left.kind == "float"
    ):
        raise NotRead("a power")
    base = power = as_int(left)
    for _ in range(exponent.value - 1):
        power = multiply(power, base)
    return then(power, state)
