"""Values of a Python function while it is read: constants, and what depends on the row.

A symbol's expression is null exactly where the Python value is None. Functions here assume that
their operands are not None; `branches` decides that before.
"""

from __future__ import annotations

import math
import typing
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, TypeAlias, final

from veer.ir import expr as ex, types as ty

EXACT = 1 << 53  # whole numbers up to here are exact as floats
# What a value is in Python; `texts` and `match` are what split and regular expressions give.
PythonKind: TypeAlias = typing.Literal[
    "int", "float", "str", "bool", "date", "datetime", "texts", "match"
]
TYPES: dict[PythonKind, ty.DataType] = {
    "int": ty.LONG,
    "float": ty.DOUBLE,
    "str": ty.STRING,
    "bool": ty.BOOLEAN,
    "date": ty.DATE,
    "datetime": ty.TIMESTAMP_NTZ,  # without a time zone
    "texts": ty.ArrayType(ty.STRING),  # what split gives
    "match": ty.BOOLEAN,  # what a regular expression finds: true, or null for None
}
NUMBERS: tuple[PythonKind, ...] = ("bool", "int", "float")


class NotRead(Exception):
    """Something outside of the Python that is read."""


@final
@dataclass(frozen=True)
class Symbol:
    """A value that depends on the row; `low` and `high` bound an int that is bounded."""

    expr: ex.Expr
    kind: PythonKind
    nullable: bool = False
    low: int | None = None
    high: int | None = None

    def not_none(self) -> Symbol:
        """The same, known not to be None."""
        return replace(self, nullable=False)


@final
@dataclass(frozen=True, eq=False)
class Constant:
    """A value known while reading: a number, a text, a collection of such, a function, a module."""

    value: Any

    def __eq__(self, other: object) -> bool:
        # Python takes 1, 1.0 and True for equal, and 0.0 and -0.0.
        return isinstance(other, Constant) and _is_same(self.value, other.value)

    def __hash__(self) -> int:
        return hash(type(self.value))  # the value may be a list, which has no hash


@final
@dataclass(frozen=True)
class Items:
    """A list or tuple with some items that depend on the row."""

    items: tuple[Value, ...]
    is_list: bool = False


@final
@dataclass(frozen=True)
class IteratorItems:
    """What goes over items once: it is read where it stands, or not at all.

    A lazy one computes items only as they are taken: it is read where all of them are.
    """

    items: tuple[Value, ...]
    lazy: bool = False


Value: TypeAlias = Symbol | Constant | Items | IteratorItems
NONE = Constant(None)


def _is_same(one: Any, two: Any) -> bool:
    """Whether two values are the same to the letter."""
    if one is two:
        return True
    if type(one) is not type(two):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(map(_is_same, one, two))
    if isinstance(one, bool | int | float | str | date):
        return repr(one) == repr(two)
    return False


def argument(expr: ex.Expr) -> Symbol:
    """The Python value of an argument of a UDF."""
    match expr.type:
        case ty.IntegralType() as type_:
            # To Python all whole numbers are of one type: bigint is the widest to compute in.
            half = 1 << (ty.INTEGER_BITS[type_] - 1)
            wide = expr if type_ == ty.LONG else ex.Cast(expr, ty.LONG)
            return Symbol(wide, "int", True, -half, half - 1)
        case ty.FloatType():
            return Symbol(ex.Cast(expr, ty.DOUBLE), "float", True)
        case ty.DoubleType():
            return Symbol(expr, "float", True)
        case ty.StringType():
            return Symbol(expr, "str", True)
        case ty.BooleanType():
            return Symbol(expr, "bool", True)
        case ty.DateType():
            return Symbol(expr, "date", True)
        case _:
            raise NotRead(f"an argument of type {expr.type}")


def as_symbol(value: Value) -> Symbol:
    """A constant as a symbol."""
    if isinstance(value, Symbol):
        return value
    if isinstance(value, Items | IteratorItems):
        raise NotRead("a list or tuple as a value")
    constant = value.value
    # By type and not by `isinstance`: True is an int to Python, a datetime is a date.
    if type(constant) is bool:
        return Symbol(ex.Literal(constant, ty.BOOLEAN), "bool")
    if type(constant) is int and -(1 << 63) <= constant < 1 << 63:
        return Symbol(ex.Literal(constant, ty.LONG), "int", False, constant, constant)
    if type(constant) is float and not math.isnan(constant):
        return Symbol(ex.Literal(constant, ty.DOUBLE), "float")
    if type(constant) is str:
        return Symbol(ex.Literal(constant, ty.STRING), "str")
    if type(constant) is date and not isinstance(constant, datetime):
        return Symbol(ex.Literal(constant, ty.DATE), "date")
    raise NotRead(f"a {type(constant).__name__} as a value")


def number(value: int) -> ex.Literal:
    """A whole number as an expression."""
    return ex.Literal(value, ty.LONG)


def as_int(symbol: Symbol) -> Symbol:
    """A truth value as the number it is in Python."""
    if symbol.kind == "bool":
        return Symbol(ex.Case(((symbol.expr, number(1)),), number(0)), "int", False, 0, 1)
    return symbol


def as_float(symbol: Symbol) -> Symbol:
    """A number as a float: rounded as Spark rounds."""
    symbol = as_int(symbol)
    if symbol.kind == "int":
        if isinstance(symbol.expr, ex.Literal):
            return Symbol(ex.Literal(float(symbol.expr.value), ty.DOUBLE), "float")
        return Symbol(ex.Cast(symbol.expr, ty.DOUBLE), "float")
    return symbol


def is_exact(symbol: Symbol) -> bool:
    """Whether an int is certainly exact as a float."""
    low, high = symbol.low, symbol.high
    return low is not None and high is not None and low >= -EXACT and high <= EXACT


def function_call(function: str, kind: PythonKind, *args: Symbol) -> Symbol:
    """A function of the registry."""
    call = ex.Call(function, tuple(a.expr for a in args), TYPES[kind])
    return Symbol(call, kind)


def add(left: Symbol, right: Symbol) -> Symbol:
    """`left + right`"""
    if left.kind == "str":
        return _concatenated(left.expr, right.expr)
    return _computed("+", left, right)


def _concatenated(left: ex.Expr, right: ex.Expr) -> Symbol:
    """Texts one behind the other, constants next to each other as one."""
    parts: list[ex.Expr] = []
    for side in (left, right):
        is_sum = isinstance(side, ex.Call) and side.function == "concat"
        for part in side.args if isinstance(side, ex.Call) and is_sum else (side,):
            if isinstance(part, ex.Literal) and parts and isinstance(parts[-1], ex.Literal):
                parts[-1] = ex.Literal(parts[-1].value + part.value, ty.STRING)
            elif not isinstance(part, ex.Literal) or part.value:
                parts.append(part)
    if len(parts) < 2:
        return Symbol(parts[0] if parts else ex.Literal("", ty.STRING), "str")
    return Symbol(ex.Call("concat", tuple(parts), ty.STRING), "str")


def _computed(operator: str, left: Symbol, right: Symbol) -> Symbol:
    """`left operator right`; a whole number keeps the bounds that its operands give it.

    Python's whole numbers never overflow, Spark's do: the bounds tell whether a result fits.
    """
    if "float" in (left.kind, right.kind):
        return function_call(operator, "float", as_float(left), as_float(right))
    left, right = as_int(left), as_int(right)
    result = function_call(operator, "int", left, right)
    ends = _ends(operator, left, right)
    return replace(result, low=min(ends), high=max(ends)) if ends else result


def _ends(operator: str, left: Symbol, right: Symbol) -> list[int]:
    """What the bounds of the operands make of the result."""
    a, b, c, d = left.low, left.high, right.low, right.high
    if a is None or b is None or c is None or d is None:
        return []
    if operator == "+":
        return [a + c, b + d]
    if operator == "-":
        return [a - d, b - c]
    return [a * c, a * d, b * c, b * d]


def subtract(left: Symbol, right: Symbol) -> Symbol:
    """`left - right`"""
    return _computed("-", left, right)


def multiply(left: Symbol, right: Symbol) -> Symbol:
    """`left * right`"""
    return _computed("*", left, right)


def divide(left: Symbol, right: Symbol) -> Symbol:
    """`left / right`, the divisor not zero."""
    # Python divides whole numbers exactly and rounds once, Spark rounds both to doubles first.
    for side in (left, right):
        if side.kind != "float" and not is_exact(as_int(side)):
            raise NotRead("a quotient of numbers that may be too large to be exact as floats")
    return function_call("/", "float", as_float(left), as_float(right))


def floor_divide(left: Symbol, right: Symbol) -> Symbol:
    """`left // right` of whole numbers, the divisor not zero: rounded down, not towards zero."""
    quotient, remainder = _truncated(left, right)
    less = ex.Call("-", (quotient, number(1)), ty.LONG)
    quotient_down = Symbol(ex.Case(((_is_off(remainder, right), less),), quotient), "int")
    if left.low is None or left.high is None:
        return quotient_down
    most = max(abs(left.low), abs(left.high)) + 1
    return replace(quotient_down, low=-most, high=most)


def modulo(left: Symbol, right: Symbol) -> Symbol:
    """`left % right` of whole numbers, the divisor not zero: with the divisor's sign."""
    _, remainder = _truncated(left, right)
    turned = ex.Call("+", (remainder, right.expr), ty.LONG)
    result = Symbol(ex.Case(((_is_off(remainder, right), turned),), remainder), "int")
    if right.low is None or right.high is None:
        return result
    most = max(abs(right.low), abs(right.high))
    return replace(result, low=0 if right.low > 0 else -most, high=most)


def _truncated(left: Symbol, right: Symbol) -> tuple[ex.Expr, ex.Expr]:
    pair = (left.expr, right.expr)
    return ex.Call("div", pair, ty.LONG), ex.Call("%", pair, ty.LONG)


def _is_off(remainder: ex.Expr, divisor: Symbol) -> ex.Expr:
    """Whether truncation went the other way: the remainder has not the divisor's sign."""
    zero = number(0)
    negative = ex.Compare("<", remainder, zero)
    if divisor.low is not None and divisor.low > 0:
        return negative
    same = ex.Compare("=", negative, ex.Compare("<", divisor.expr, zero))
    return ex.And((ex.Not(ex.Compare("=", remainder, zero)), ex.Not(same)))


def negate(symbol: Symbol) -> Symbol:
    """`-symbol`"""
    if symbol.kind == "float":
        return function_call("negative", "float", symbol)
    return subtract(as_symbol(Constant(0)), as_int(symbol))


def text(symbol: Symbol) -> Symbol:
    """`str(symbol)`; of floats and truth values Spark's cast gives other texts than Python."""
    match symbol.kind:
        case "str":
            return symbol
        case "int":
            return Symbol(ex.Cast(symbol.expr, ty.STRING), "str")
        case "bool":
            words = ex.Literal("True", ty.STRING), ex.Literal("False", ty.STRING)
            return Symbol(ex.Case(((symbol.expr, words[0]),), words[1]), "str")
        case "float":
            return function_call("python.float_text", "str", symbol)
        case _:
            raise NotRead(f"the text of a {symbol.kind}")


def is_truthy(symbol: Symbol) -> ex.Expr:
    """`bool(symbol)`"""
    match symbol.kind:
        case "bool":
            return symbol.expr
        case "int":
            return ex.Not(ex.Compare("=", symbol.expr, number(0)))
        case "float":  # NaN is true, -0.0 is false: as with Spark's `=`
            return ex.Not(ex.Compare("=", symbol.expr, ex.Literal(0.0, ty.DOUBLE)))
        case "str":
            return ex.Not(ex.Compare("=", symbol.expr, ex.Literal("", ty.STRING)))
        case "texts":
            return ex.Not(
                ex.Compare("=", function_call("python.len", "int", symbol).expr, number(0))
            )
        case _:
            return ex.Literal(True, ty.BOOLEAN)


def compare_symbols(operator: str, left: Symbol, right: Symbol) -> ex.Expr | None:
    """A comparison; None where Python refuses to order, for `=` never."""
    if left.kind in NUMBERS and right.kind in NUMBERS:
        return _compared_numbers(operator, left, right)
    if left.kind != right.kind:
        return ex.Literal(False, ty.BOOLEAN) if operator == "=" else None
    if left.kind in ("texts", "match"):
        raise NotRead(f"a comparison of {left.kind}")
    return ex.Compare(operator, left.expr, right.expr)


def _compared_numbers(operator: str, left: Symbol, right: Symbol) -> ex.Expr:
    if left.kind == right.kind == "bool" and operator == "=":
        return ex.Compare("=", left.expr, right.expr)
    if "float" not in (left.kind, right.kind):
        return ex.Compare(operator, as_int(left).expr, as_int(right).expr)
    for side in (left, right):
        if side.kind != "float" and not is_exact(as_int(side)):
            raise NotRead("a comparison of a float with a number that may be too large")
    sides = as_float(left).expr, as_float(right).expr
    conditions: list[ex.Expr] = [ex.Compare(operator, *sides)]
    # To Python NaN is not even equal to itself; to Spark it is, and greater than the rest.
    conditions += [
        ex.Not(ex.Call("isnan", (s,), ty.BOOLEAN)) for s in sides if not isinstance(s, ex.Literal)
    ]
    return ex.And(tuple(conditions)) if len(conditions) > 1 else conditions[0]


def is_none(symbol: Symbol) -> ex.Expr:
    """Whether a value of the row is None."""
    return ex.IsNull(symbol.expr)
