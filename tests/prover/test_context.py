"""Symbols, tuple variables and substitution."""

from __future__ import annotations

import pytest

from veer.errors import IllFormedError
from veer.ir.expr import Column, Compare, Literal, RowColumn, Symbol
from veer.ir.ops import Filter, Source
from veer.ir.pprint import show_expr
from veer.ir.schema import Field, Schema
from veer.ir.types import BOOLEAN, INT
from veer.ir.walk import ResolvedRow, resolve
from veer.prove.algebra.context import Context
from veer.prove.algebra.prove import Algebra
from veer.prove.algebra.terms import Atom, Table, Term
from veer.prove.solver import Solver

TABLE = Table(Source("t", (Field("a", INT), Field("b", INT))))


def greater(context: Context, bound: int) -> Term:
    row = Atom(context.fresh(), TABLE)
    return Term((row,), (Compare(">", row.columns[0], Literal(bound, INT)),), ())


def test_equal_definitions_are_one_symbol() -> None:
    context = Algebra(Solver())
    one, other = (context.exists((greater(context, 5),)) for _ in range(2))
    assert one == other and isinstance(one, Symbol)
    assert (one.type, one.nullable) == (BOOLEAN, False)
    assert context.exists((greater(context, 6),)) != one


def test_substituting_reaches_into_definitions_and_captures_nothing() -> None:
    context = Algebra(Solver())
    outer, other, inner = (Atom(context.fresh(), TABLE) for _ in range(3))
    same = Compare("<=>", inner.columns[0], outer.columns[1])
    symbol = context.exists((Term((inner,), (same,), ()),))
    assert context.free(symbol) == {outer.columns[1]}
    moved = context.substitute(symbol, {outer.columns[1]: other.columns[1]})
    assert moved != symbol and context.free(moved) == {other.columns[1]}
    assert context.substitute(symbol, {inner.columns[0]: other.columns[1]}) == symbol


def test_variables_are_printed_as_the_readme_of_the_evidence_says() -> None:
    assert show_expr(RowColumn(5, 2, INT)) == "t5.2"
    assert show_expr(RowColumn(5, 2, INT, nullable=False)) == "t5.2!"
    assert show_expr(Symbol(3, INT)) == "?3"
    assert show_expr(Symbol(3, INT, nullable=False)) == "?3!"


def test_no_operator_holds_a_variable_of_a_proof() -> None:
    schema = Schema((Field("a", INT),))
    for variable in (RowColumn(1, 0, INT), Symbol(1, INT)):
        with pytest.raises(IllFormedError):
            Filter(Compare("=", variable, Literal(1, INT))).output([schema])


def test_a_variable_in_an_expression_of_a_dataflow_is_not_taken_for_a_column() -> None:
    class NoSubqueries:
        def exists(self, *_: object) -> Literal:
            raise AssertionError

        contains = scalar = exists

    rows = (ResolvedRow(Schema((Field("a", INT),)), (RowColumn(7, 0, INT),)),)
    assert resolve(Column("a", INT), rows, NoSubqueries()) == RowColumn(7, 0, INT)
    for variable in (RowColumn(7, 0, INT), Symbol(1, INT)):
        with pytest.raises(IllFormedError):
            resolve(variable, rows, NoSubqueries())
