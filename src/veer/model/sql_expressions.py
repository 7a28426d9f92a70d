"""Expressions as Spark SQL for people: no more parentheses than needed, columns as the reader sees them.

    (status = 'open') AND ((a = 1) OR (b = 2))   =>   status = 'open' AND (a = 1 OR b = 2)

The text is read, never run: a function that SQL has no word for keeps the name it has in Veer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias, assert_never, final

from veer.functions.registry import OVER, scalar_function
from veer.functions.traits import (
    Called,
    CalledBackwards,
    Converted,
    Indexed,
    Infix,
    InZone,
    Prefix,
    PythonOnly,
)
from veer.model.dag import Dataflow
from veer.model.expr import (
    WHOLE,
    AggregateCall,
    And,
    Call,
    Case,
    Cast,
    Column,
    Compare,
    Exists,
    Expr,
    GetField,
    InList,
    InQuery,
    IsNull,
    Literal,
    Not,
    OpaqueCall,
    Or,
    OuterColumn,
    OverCall,
    RowColumn,
    ScalarQuery,
    SortKey,
    Symbol,
)
from veer.model.pprint import CAST_NAMES, function_name, show_frame, show_value, show_variable
from veer.model.schema import Schema
from veer.model.types import quote_name


class Binding(IntEnum):
    """How tightly an expression holds together, from OR to what needs no parentheses."""

    OR = 1
    AND = 2
    NOT = 3
    COMPARISON = 4
    SUM = 5
    PRODUCT = 6
    WHOLE = 7


SYMBOLS = {
    **dict.fromkeys(("+", "-"), Binding.SUM),
    **dict.fromkeys(("*", "/", "%", "div"), Binding.PRODUCT),
}
BETWEEN_ARGUMENTS = ("like", "ilike", "rlike")  # written like operators
Bound: TypeAlias = tuple[str, Binding]


@final
@dataclass(frozen=True)
class VisibleRows:
    """The rows an expression is about: their schema, and how each column is written."""

    schema: Schema
    names: tuple[str, ...]

    def column(self, column: Column | OuterColumn) -> str:
        """How a column of the rows is written."""
        return self.names[self.schema.place(column.name, column.occurrence)]


Scope: TypeAlias = tuple[VisibleRows, ...]  # of an expression, then of the queries around it
QueryText: TypeAlias = Callable[[Dataflow, Scope], str]


@final
@dataclass(frozen=True)
class SqlExpressions:
    """Writes expressions over some rows; `query` writes the subqueries in them."""

    scope: Scope
    query: QueryText

    def text(self, expr: Expr, at_least: Binding = Binding.OR) -> str:
        """An expression, in parentheses if it holds together less tightly than its place needs."""
        text, binding = self._bound(expr)
        return text if binding >= at_least else f"({text})"

    def listed(self, exprs: Sequence[Expr]) -> str:
        """Expressions separated by commas."""
        return ", ".join(map(self.text, exprs))

    def sort_key(self, key: SortKey) -> str:
        """A sort key with what differs from Spark's default."""
        direction = "" if key.ascending else " DESC"
        nulls = "" if key.nulls_first == key.ascending else _nulls(key)
        return f"{self.text(key.expr)}{direction}{nulls}"

    def aggregate(self, call: AggregateCall) -> str:
        """A call of an aggregate function."""
        distinct = "DISTINCT " if call.distinct else ""
        return (
            f"{call.function}({distinct}{self.listed(call.args) or '*'}){self._where(call.where)}"
        )

    def over(self, call: OverCall) -> str:
        """A call of a window function; of its frame only what is not the default."""
        inside = []
        if call.partition:
            inside.append(f"PARTITION BY {self.listed(call.partition)}")
        if call.order:
            inside.append(f"ORDER BY {', '.join(map(self.sort_key, call.order))}")
        if call.function not in OVER and (call.order or call.frame != WHOLE):
            inside.append(show_frame(call.frame))
        nulls = " IGNORE NULLS" if call.ignore_nulls else ""
        args = self.listed(call.args) or ("*" if call.function == "count" else "")
        called = f"{call.function}({args}){nulls}{self._where(call.where)}"
        return f"{called} OVER ({' '.join(inside)})"

    def _where(self, condition: Expr | None) -> str:
        return "" if condition is None else f" FILTER (WHERE {self.text(condition)})"

    def _bound(self, expr: Expr) -> Bound:
        match expr:
            case Column():
                return self.scope[0].column(expr), Binding.WHOLE
            case OuterColumn(depth=depth):
                return self.scope[depth].column(expr), Binding.WHOLE
            case RowColumn() | Symbol():
                return show_variable(expr), Binding.WHOLE
            case Literal(value):
                return show_value(value), Binding.WHOLE
            case And(args):
                return self._joined(" AND ", args, Binding.AND) or "true", Binding.AND
            case Or(args):
                return self._joined(" OR ", args, Binding.OR) or "false", Binding.OR
            case Not(IsNull(arg)):
                return f"{self.text(arg, Binding.SUM)} IS NOT NULL", Binding.COMPARISON
            case Not(Exists(query)):
                return f"NOT EXISTS ({self.query(query, self.scope)})", Binding.NOT
            case Not(Compare("=", left, right)):
                return self._infix("<>", left, right), Binding.COMPARISON
            case Not(InList(arg, options)):
                text = f"{self.text(arg, Binding.SUM)} NOT IN ({self.listed(options)})"
                return text, Binding.COMPARISON
            case Not(arg):
                return f"NOT {self.text(arg, Binding.COMPARISON)}", Binding.NOT
            case Compare(op, left, right):
                return self._infix(op, left, right), Binding.COMPARISON
            case IsNull(arg):
                return f"{self.text(arg, Binding.SUM)} IS NULL", Binding.COMPARISON
            case InList(arg, options):
                text = f"{self.text(arg, Binding.SUM)} IN ({self.listed(options)})"
                return text, Binding.COMPARISON
            case InQuery(args, query):
                given = self.listed(args) if len(args) == 1 else f"({self.listed(args)})"
                return f"{given} IN ({self.query(query, self.scope)})", Binding.COMPARISON
            case _:
                return self._held(expr)

    def _held(
        self, expr: Case | Cast | Call | OpaqueCall | GetField | Exists | ScalarQuery
    ) -> Bound:
        """What mostly needs no parentheses."""
        match expr:
            case Case(branches, otherwise):
                whens = (f"WHEN {self.text(w)} THEN {self.text(t)}" for w, t in branches)
                return f"CASE {' '.join(whens)} ELSE {self.text(otherwise)} END", Binding.WHOLE
            case Cast(arg, type_, mode):
                return f"{CAST_NAMES[mode]}({self.text(arg)} AS {type_})", Binding.WHOLE
            case Call(function, args):
                return self._called(function, args)
            case OpaqueCall(identity, args):
                return f"{function_name(identity)}({self.listed(args)})", Binding.WHOLE
            case GetField(arg, name):
                return f"{self.text(arg, Binding.WHOLE)}.{quote_name(name)}", Binding.WHOLE
            case Exists(query):
                return f"EXISTS ({self.query(query, self.scope)})", Binding.WHOLE
            case ScalarQuery(query):
                return f"({self.query(query, self.scope)})", Binding.WHOLE
            case _:
                assert_never(expr)

    def _infix(self, symbol: str, left: Expr, right: Expr) -> str:
        """A comparison of two values."""
        return f"{self.text(left, Binding.SUM)} {symbol} {self.text(right, Binding.SUM)}"

    def _joined(self, word: str, args: Sequence[Expr], binding: Binding) -> str:
        tighter = Binding(binding + 1)
        return word.join(self.text(arg, tighter) for arg in args)

    def _called(self, function: str, args: Sequence[Expr]) -> Bound:
        match scalar_function(function).sql:
            case Infix(symbol):
                binding = SYMBOLS.get(symbol, Binding.COMPARISON)
                sides = self.text(args[0], binding), self.text(args[1], Binding(binding + 1))
                return f"{sides[0]} {symbol} {sides[1]}", binding
            case Prefix(symbol):
                return f"{symbol} {self.text(args[0], Binding.WHOLE)}", Binding.PRODUCT
            case Indexed():
                return f"{self.text(args[0], Binding.WHOLE)}[{self.text(args[1])}]", Binding.WHOLE
            case Called(name) if name in BETWEEN_ARGUMENTS and len(args) == 2:
                return self._infix(name.upper(), *args), Binding.COMPARISON
            case Called(name):
                return f"{name}({self.listed(args)})", Binding.WHOLE
            case CalledBackwards(name):
                return f"{name}({self.listed(args[::-1])})", Binding.WHOLE
            case Converted(type_, word):
                return f"{word}({self.listed(args)} AS {type_})", Binding.WHOLE
            case InZone() | PythonOnly():
                return f"{function}({self.listed(args)})", Binding.WHOLE
            case other:
                assert_never(other)


def _nulls(key: SortKey) -> str:
    return " NULLS FIRST" if key.nulls_first else " NULLS LAST"
