"""Formulas of Feature Constructor: a subset of Python over the numbers of one row.

They are parsed by Python's own grammar and never compiled. A missing value is NaN to them: it passes
through arithmetic, and comparisons with it are false. A formula with a part that is not modelled
is, as a whole, an opaque function: functions of Python may fail, and then the row has no
value, whatever the rest of the formula makes of it.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any

from veer.gui.orange.domain import SYSTEM, number, surely, without_nan
from veer.gui.orange.widgets import mentions_chance
from veer.gui.rows import NotModelled, Value, unknown_call
from veer.ir import expr as ex, types as ty
from veer.read import coercion

LONGEST = 10_000  # characters
DEEPEST = 60
_EXACT = 2**53  # up to here whole numbers are the same as floats
_FAR = 1e300  # sums and products of numbers below are finite, so that there is no NaN
_LARGEST: Mapping[ty.DataType, float] = {
    ty.BYTE: 2**7,
    ty.SHORT: 2**15,
    ty.INT: 2**31,
    ty.LONG: 2**63,
}
_ARITHMETIC: Mapping[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


class _Unknown(Exception):
    """A part of a formula that is not modelled."""


def parse(text: str) -> ast.expr:
    """The tree of a formula."""
    if len(text) > LONGEST:
        raise NotModelled(f"a formula of more than {LONGEST:,} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise NotModelled("a formula that is not an expression of Python") from None
    level: list[ast.AST] = [tree]
    for _ in range(DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return tree
    raise NotModelled(f"a formula nested deeper than {DEEPEST}")


def names_in(tree: ast.expr) -> list[str]:
    """The names that a formula mentions, each once."""
    found = (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    return sorted(dict.fromkeys(found))


def number_formula(text: str, columns: Mapping[str, Value], version: Any = None) -> Value:
    """The numeric value of a formula, by the columns it may mention under names of Python.

    What it makes of categories depends on the version of the settings it is in.
    """
    tree = parse(text)
    names = names_in(tree)
    if mentions_chance(text):
        raise NotModelled("a formula with random numbers")
    args = [columns[name] for name in names if name in columns]
    of = "" if version is None else f" (version {version})"
    unknown = unknown_call(SYSTEM, f"formula {_shape(tree)}{of}", *args, type_=ty.DOUBLE)
    reader = _Reader(columns)
    try:
        value = reader.given_number(tree)
    except _Unknown:
        return unknown
    if not reader.divisors:
        return Value(value)
    # A division by zero, wherever it is, makes a mistake of the whole row.
    zero = ex.Literal(0.0, ty.DOUBLE)
    by_zero = coercion.disjunction([coercion.compare("=", d, zero) for d in reader.divisors])
    return Value(ex.Case(((surely(by_zero), unknown.expr),), value))


def _shape(tree: ast.expr) -> str:
    """A formula as a name: spaces become underscores in it, so that others must look otherwise."""
    try:
        return ast.unparse(tree).replace("_", "\\_")
    except (ValueError, RecursionError):  # whole numbers may be too long to be written
        raise NotModelled("a formula with a number that is too long") from None


class _Reader:
    """Reads a formula; raises `_Unknown` if it is not modelled."""

    def __init__(self, columns: Mapping[str, Value]) -> None:
        self.columns = columns
        self.divisors: list[ex.Expr] = []

    def given_number(self, tree: ast.expr) -> ex.Expr:
        """A DOUBLE that is null, and not NaN, where it is missing."""
        value = self.number(tree)
        return value if self._most(tree) < _FAR else without_nan(value)

    def _most(self, tree: ast.expr) -> float:
        """What the value of a part is at most, either way: infinite where nothing tells."""
        match tree:
            case ast.Constant(value=int() | float() as value):
                return abs(value)
            case ast.Name(id=name) if name in self.columns and self.columns[name].known:
                return _LARGEST.get(self.columns[name].type, math.inf)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._most(operand)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
                return self._most(left) + self._most(right)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                most = self._most(left) * self._most(right)
                return math.inf if math.isnan(most) else most
            case ast.IfExp(body=body, orelse=orelse):
                return max(self._most(body), self._most(orelse))
            case _:
                return math.inf

    def number(self, tree: ast.expr) -> ex.Expr:
        """A DOUBLE, null where it is missing, or NaN."""
        match tree:
            case ast.Constant(value=bool()):
                raise _Unknown
            case ast.Constant(value=int(value)) if abs(value) <= _EXACT:
                return ex.Literal(float(value), ty.DOUBLE)
            case ast.Constant(value=float(value)):
                return ex.Literal(value, ty.DOUBLE)
            case ast.Name(id=name) if name in self.columns:
                return self._column(name)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Name() | ast.BinOp()):
                return coercion.arithmetic(
                    "-", ex.Literal(-0.0, ty.DOUBLE), self.number(tree.operand)
                )
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                if isinstance(value, bool) or abs(value) > _EXACT:
                    raise _Unknown
                return ex.Literal(float(-value), ty.DOUBLE)
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(type(op), left, right)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return ex.Case(((self.truth(test), self.number(body)),), self.number(orelse))
            case _:
                raise _Unknown

    def _column(self, name: str) -> ex.Expr:
        try:
            return number(self.columns[name])
        except NotModelled:
            raise _Unknown from None

    def _binary(self, op: type[ast.operator], left: ast.expr, right: ast.expr) -> ex.Expr:
        if not (names_in(left) or names_in(right)):
            raise _Unknown  # whole numbers of Python have no end
        if op in _ARITHMETIC:
            return coercion.arithmetic(_ARITHMETIC[op], self.number(left), self.number(right))
        if op is ast.Div:
            return self._quotient(left, right)
        raise _Unknown

    def _quotient(self, left: ast.expr, right: ast.expr) -> ex.Expr:
        """A quotient; by zero there is none."""
        dividend, divisor = self.number(left), self.number(right)
        self.divisors.append(divisor)
        by_zero = coercion.compare("=", divisor, ex.Literal(0.0, ty.DOUBLE))
        none = ex.Literal(None, ty.DOUBLE)
        return ex.Case(((by_zero, none),), coercion.divide("/", dividend, divisor))

    # -- conditions ----------------------------------------------------------------------------

    def truth(self, tree: ast.expr) -> ex.Expr:
        """A condition that is never null."""
        match tree:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._comparison(type(op), left, right)
            case ast.BoolOp(op=op, values=values):
                parts = tuple(self.truth(value) for value in values)
                return ex.And(parts) if isinstance(op, ast.And) else ex.Or(parts)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ex.Not(self.truth(operand))
            case ast.Constant(value=bool(value)):
                return ex.Literal(value, ty.BOOLEAN)
            case _:
                raise _Unknown

    def _comparison(self, op: type[ast.cmpop], left: ast.expr, right: ast.expr) -> ex.Expr:
        sides = self.given_number(left), self.given_number(right)
        if op in _COMPARISONS:
            return surely(coercion.compare(_COMPARISONS[op], *sides))
        if op is ast.NotEq:
            return ex.Not(surely(coercion.compare("=", *sides)))
        raise _Unknown
