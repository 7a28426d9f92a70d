"""Arithmetic of Python functions, with Python's meaning: division, powers, texts that are added."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from veer.ir.expr import Literal
from veer.ir.types import BOOLEAN
from veer.read.python.reading import constants, formats, values as val
from veer.read.python.reading.branches import State, Tree, ValueContinuation

if TYPE_CHECKING:
    from veer.read.python.reading.reader import FunctionReader


def negative(
    reader: FunctionReader, value: val.Value, state: State, then: ValueContinuation
) -> Tree:
    """`-value`"""
    if isinstance(value, val.Constant):
        return reader.compute_constant(lambda: -constants.require_data(value.value), state, then)

    def turned(v: val.Value, s: State) -> Tree:
        symbol = val.as_symbol(v)
        return (
            then(val.negate(symbol), s)
            if symbol.kind in val.NUMBERS
            else reader.raises(TypeError, s)
        )

    return reader.require_not_none(value, state, turned)


def compute(
    reader: FunctionReader,
    op: ast.operator,
    a: val.Value,
    b: val.Value,
    state: State,
    then: ValueContinuation,
) -> Tree:
    """`a op b`"""
    if isinstance(op, ast.Mod) and isinstance(a, val.Constant) and type(a.value) is str:
        return formats.percent(reader, a.value, b, state, then)
    if isinstance(a, val.Constant) and isinstance(b, val.Constant):
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
    a: val.Value,
    b: val.Value,
    state: State,
    then: ValueContinuation,
) -> Tree:
    left, right = val.as_symbol(a), val.as_symbol(b)
    if isinstance(op, ast.Mod) and left.kind == "str":
        raise val.NotRead("formatting with % of a text of the row")
    kinds = {left.kind, right.kind}
    if kinds == {"str"} and isinstance(op, ast.Add):
        return then(val.add(left, right), state)
    if not kinds <= set(val.NUMBERS):
        # `"ab" * 2` repeats a text; any other operator of a text and a number is a TypeError.
        if isinstance(op, ast.Mult) or not kinds <= {*val.NUMBERS, "str"}:
            raise val.NotRead("arithmetic of other than numbers")
        return reader.raises(TypeError, state)
    match op:
        case ast.Add():
            return then(val.add(left, right), state)
        case ast.Sub():
            return then(val.subtract(left, right), state)
        case ast.Mult():
            return then(val.multiply(left, right), state)
        case ast.Div() | ast.FloorDiv() | ast.Mod():
            return _divided(reader, op, left, right, state, then)
        case ast.Pow():
            return _raised(reader, left, b, state, then)
        case _:
            raise val.NotRead(f"the operator {type(op).__name__}")


def _divided(
    reader: FunctionReader,
    op: ast.operator,
    left: val.Symbol,
    right: val.Symbol,
    state: State,
    then: ValueContinuation,
) -> Tree:
    # Python fails on a zero divisor, of floats too.
    zero = val.compare_symbols("=", right, val.as_symbol(val.Constant(0)))
    assert zero is not None
    if isinstance(right.expr, Literal):
        zero = Literal(not right.expr.value, BOOLEAN)
    by_zero = lambda s: reader.raises(ZeroDivisionError, s)  # noqa: E731
    if isinstance(op, ast.Div):
        return reader.branch(zero, state, by_zero, lambda s: then(val.divide(left, right), s))
    if "float" in (left.kind, right.kind):
        raise val.NotRead("a remainder of floats")
    divide_whole = val.floor_divide if isinstance(op, ast.FloorDiv) else val.modulo
    whole = val.as_int(left), val.as_int(right)
    return reader.branch(zero, state, by_zero, lambda s: then(divide_whole(*whole), s))


def _raised(
    reader: FunctionReader,
    left: val.Symbol,
    exponent: val.Value,
    state: State,
    then: ValueContinuation,
) -> Tree:
    """`left ** exponent` of a whole number, as a product; a power of floats rounds otherwise."""
    if (
        not isinstance(exponent, val.Constant)
        or exponent.value not in (1, 2, 3, 4)
        or type(exponent.value) is not int
        or left.kind == "float"
    ):
        raise val.NotRead("a power")
    base = power = val.as_int(left)
    for _ in range(exponent.value - 1):
        power = val.multiply(power, base)
    return then(power, state)
