"""Expressions over an operator's input, as expressions over what its columns hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, final

from veer.errors import IllFormedError
from veer.ir import expr as ex
from veer.ir.schema import Schema
from veer.ir.walk import map_children

if TYPE_CHECKING:
    from veer.ir.dag import Dataflow


@final
@dataclass(frozen=True, slots=True)
class ResolvedRow:
    """A row of an input: for each column of its schema the expression that is its value."""

    schema: Schema
    values: tuple[ex.Expr, ...]

    def value(self, name: str, occurrence: int) -> ex.Expr:
        """The value of one column."""
        return self.values[self.schema.place(name, occurrence)]


EnclosingRows: TypeAlias = tuple[ResolvedRow, ...]  # the innermost query's row first


class SubqueryReader(Protocol):
    """Gives subqueries a value, where the rows they may read are known."""

    def exists(self, query: Dataflow, rows: EnclosingRows) -> ex.Expr:
        """Whether the query has a row; never null."""

    def contains(self, args: tuple[ex.Expr, ...], query: Dataflow, rows: EnclosingRows) -> ex.Expr:
        """`args IN query`, with its three truth values; the arguments are resolved."""

    def scalar(self, query: Dataflow, rows: EnclosingRows) -> ex.Expr:
        """The single value of the query."""


def resolve(
    expr: ex.Expr,
    rows: EnclosingRows,
    subqueries: SubqueryReader,
    finish: Callable[[ex.Expr], ex.Expr] = lambda node: node,
) -> ex.Expr:
    """The expression with its columns replaced by their values, and its subqueries by theirs.

    `finish` is applied to every other node once its parts are resolved.
    """
    match expr:
        case ex.Column(name, _, occurrence):
            return rows[0].value(name, occurrence)
        case ex.OuterColumn(name, _, occurrence, depth):
            return rows[depth].value(name, occurrence)
        case ex.RowColumn() | ex.Symbol():
            # It would be taken for one of the variables that stand for the columns.
            raise IllFormedError("a variable of a proof is not a column of an input")
        case ex.Exists(query):
            return subqueries.exists(query, rows)
        case ex.InQuery(args, query):
            resolved = tuple(resolve(a, rows, subqueries, finish) for a in args)
            return subqueries.contains(resolved, query, rows)
        case ex.ScalarQuery(query):
            return subqueries.scalar(query, rows)
        case _:
            return finish(map_children(expr, lambda e: resolve(e, rows, subqueries, finish)))
