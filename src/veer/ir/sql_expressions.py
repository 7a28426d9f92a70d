"""Expressions as Spark SQL for people: no more parentheses than needed, columns as the reader sees them.

    (status = 'open') AND ((a = 1) OR (b = 2))   =>   status = 'open' AND (a = 1 OR b = 2)

The text is read, never run: a function that SQL has no word for keeps the name it has in Veer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias, assert_never, final

from veer.functions import traits
from veer.functions.registry import OVER, scalar_function
from veer.ir import expr as ex, pprint
from veer.ir.dag import Dataflow
from veer.ir.expr import WHOLE
from veer.ir.schema import Schema
from veer.ir.types import quote_name


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

    def column(self, column: ex.Column | ex.OuterColumn) -> str:
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

    def text(self, expr: ex.Expr, at_least: Binding = Binding.OR) -> str:
        """An expression, in parentheses if it holds together less tightly than its place needs."""
        text, binding = self._bound(expr)
        return text if binding >= at_least else f"({text})"

    def listed(self, exprs: Sequence[ex.Expr]) -> str:
        """Expressions separated by commas."""
        return ", ".join(map(self.text, exprs))

    def sort_key(self, key: ex.SortKey) -> str:
        """A sort key with what differs from Spark's default."""
        direction = "" if key.ascending else " DESC"
        nulls = "" if key.nulls_first == key.ascending else _nulls(key)
        return f"{self.text(key.expr)}{direction}{nulls}"

    def aggregate(self, call: ex.AggregateCall) -> str:
        """A call of an aggregate function."""
        distinct = "DISTINCT " if call.distinct else ""
        return (
            f"{call.function}({distinct}{self.listed(call.args) or '*'}){self._where(call.where)}"
        )

    def over(self, call: ex.OverCall) -> str:
        """A call of a window function; of its frame only what is not the default."""
        inside = []
        if call.partition:
            inside.append(f"PARTITION BY {self.listed(call.partition)}")
        if call.order:
            inside.append(f"ORDER BY {', '.join(map(self.sort_key, call.order))}")
        if call.function not in OVER and (call.order or call.frame != WHOLE):
            inside.append(pprint.show_frame(call.frame))
        nulls = " IGNORE NULLS" if call.ignore_nulls else ""
        args = self.listed(call.args) or ("*" if call.function == "count" else "")
        called = f"{call.function}({args}){nulls}{self._where(call.where)}"
        return f"{called} OVER ({' '.join(inside)})"

    def _where(self, condition: ex.Expr | None) -> str:
        return "" if condition is None else f" FILTER (WHERE {self.text(condition)})"

    def _bound(self, expr: ex.Expr) -> Bound:
        match expr:
            case ex.Column():
                return self.scope[0].column(expr), Binding.WHOLE
            case ex.OuterColumn(depth=depth):
                return self.scope[depth].column(expr), Binding.WHOLE
            case ex.RowColumn() | ex.Symbol():
                return pprint.show_variable(expr), Binding.WHOLE
            case ex.Literal(value):
                return pprint.show_value(value), Binding.WHOLE
            case ex.And(args):
                return self._joined(" AND ", args, Binding.AND) or "true", Binding.AND
            case ex.Or(args):
                return self._joined(" OR ", args, Binding.OR) or "false", Binding.OR
            case ex.Not(ex.IsNull(arg)):
                return f"{self.text(arg, Binding.SUM)} IS NOT NULL", Binding.COMPARISON
            case ex.Not(ex.Exists(query)):
                return f"NOT EXISTS ({self.query(query, self.scope)})", Binding.NOT
            case ex.Not(ex.Compare("=", left, right)):
                return self._infix("<>", left, right), Binding.COMPARISON
            case ex.Not(ex.InList(arg, options)):
                text = f"{self.text(arg, Binding.SUM)} NOT IN ({self.listed(options)})"
                return text, Binding.COMPARISON
            case ex.Not(arg):
                return f"NOT {self.text(arg, Binding.COMPARISON)}", Binding.NOT
            case ex.Compare(op, left, right):
                return self._infix(op, left, right), Binding.COMPARISON
            case ex.IsNull(arg):
                return f"{self.text(arg, Binding.SUM)} IS NULL", Binding.COMPARISON
            case ex.InList(arg, options):
                text = f"{self.text(arg, Binding.SUM)} IN ({self.listed(options)})"
                return text, Binding.COMPARISON
            case ex.InQuery(args, query):
                given = self.listed(args) if len(args) == 1 else f"({self.listed(args)})"
                return f"{given} IN ({self.query(query, self.scope)})", Binding.COMPARISON
            case _:
                return self._held(expr)

    def _held(
        self,
        expr: ex.Case
        | ex.Cast
        | ex.Call
        | ex.OpaqueCall
        | ex.GetField
        | ex.Exists
        | ex.ScalarQuery,
    ) -> Bound:
        """What mostly needs no parentheses."""
        match expr:
            case ex.Case(branches, otherwise):
                whens = (f"WHEN {self.text(w)} THEN {self.text(t)}" for w, t in branches)
                return f"CASE {' '.join(whens)} ELSE {self.text(otherwise)} END", Binding.WHOLE
            case ex.Cast(arg, type_, mode):
                return f"{pprint.CAST_NAMES[mode]}({self.text(arg)} AS {type_})", Binding.WHOLE
            case ex.Call(function, args):
                return self._called(function, args)
            case ex.OpaqueCall(identity, args):
                return f"{pprint.function_name(identity)}({self.listed(args)})", Binding.WHOLE
            case ex.GetField(arg, name):
                return f"{self.text(arg, Binding.WHOLE)}.{quote_name(name)}", Binding.WHOLE
            case ex.Exists(query):
                return f"EXISTS ({self.query(query, self.scope)})", Binding.WHOLE
            case ex.ScalarQuery(query):
                return f"({self.query(query, self.scope)})", Binding.WHOLE
            case _:
                assert_never(expr)

    def _infix(self, symbol: str, left: ex.Expr, right: ex.Expr) -> str:
        """A comparison of two values."""
        return f"{self.text(left, Binding.SUM)} {symbol} {self.text(right, Binding.SUM)}"

    def _joined(self, word: str, args: Sequence[ex.Expr], binding: Binding) -> str:
        tighter = Binding(binding + 1)
        return word.join(self.text(arg, tighter) for arg in args)

    def _called(self, function: str, args: Sequence[ex.Expr]) -> Bound:
        match scalar_function(function).sql:
            case traits.Infix(symbol):
                binding = SYMBOLS.get(symbol, Binding.COMPARISON)
                sides = self.text(args[0], binding), self.text(args[1], Binding(binding + 1))
                return f"{sides[0]} {symbol} {sides[1]}", binding
            case traits.Prefix(symbol):
                return f"{symbol} {self.text(args[0], Binding.WHOLE)}", Binding.PRODUCT
            case traits.Indexed():
                return f"{self.text(args[0], Binding.WHOLE)}[{self.text(args[1])}]", Binding.WHOLE
            case traits.Called(name) if name in BETWEEN_ARGUMENTS and len(args) == 2:
                return self._infix(name.upper(), *args), Binding.COMPARISON
            case traits.Called(name):
                return f"{name}({self.listed(args)})", Binding.WHOLE
            case traits.CalledBackwards(name):
                return f"{name}({self.listed(args[::-1])})", Binding.WHOLE
            case traits.Converted(type_, word):
                return f"{word}({self.listed(args)} AS {type_})", Binding.WHOLE
            case traits.InZone() | traits.PythonOnly():
                return f"{function}({self.listed(args)})", Binding.WHOLE
            case other:
                assert_never(other)


def _nulls(key: ex.SortKey) -> str:
    return " NULLS FIRST" if key.nulls_first else " NULLS LAST"
