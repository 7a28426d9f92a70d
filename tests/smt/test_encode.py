"""The solver's reading of expressions admits what the interpreter computes.

If it did not, something false could be proven: so every value the interpreter finds must be
possible for the solver, given the values of the columns.
"""

from __future__ import annotations

import os
from random import Random
from typing import Any

import pytest

from tests.generators.expressions import Expressions
from tests.generators.tables import wide_table
from veer.errors import VeerError
from veer.functions.registry import Failure
from veer.interpreter import run_dataflow
from veer.ir.dag import Dataflow
from veer.ir.expr import Column, Compare, Expr, Literal, Not, RowColumn, Symbol
from veer.ir.ops import Project
from veer.ir.types import BOOLEAN, parse_type
from veer.ir.walk import columns_read, substitute_columns
from veer.prove.solver import (
    All,
    Holds,
    No,
    Same,
    SameCount,
    Solver,
    SolverOutcome,
    Some,
    find_model,
    implies,
)
from veer.read.sql import read_sql

SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "8"))


def only_expr(dataflow: Dataflow) -> Expr:
    (project,) = [op for op in dataflow.operators.values() if isinstance(op, Project)]
    return project.columns[0].expr


@pytest.mark.parametrize("number", range(ROUNDS))
def test_what_the_interpreter_computes_is_possible(number: int) -> None:
    rng = Random(f"smt {SEED} {number}")
    table = wide_table(rng, 4)
    schema = {table.name: table.source}
    checked = 0
    for _ in range(25):
        text = Expressions(rng, wrong=0.0).any()
        try:
            dataflow = read_sql(f"SELECT {text} AS x FROM {table.name}", schema)
        except VeerError:
            continue
        expr = only_expr(dataflow)
        for row in table.rows[:3]:
            checked += possible(dataflow, expr, table, row, (SEED, number, text))
    assert checked


def possible(dataflow: Dataflow, expr: Expr, table: Any, row: Any, about: object) -> bool:
    try:
        result = run_dataflow(dataflow, {table.name: [row]})["result"]
    except (Failure, VeerError):
        return False
    ((value,),) = result.rows
    names = [f.name for f in table.source.fields]
    read = {c: RowColumn(1, names.index(c.name), c.type) for c in columns_read(expr)}
    given = [Same(c, Literal(row[c.index], c.type)) for c in read.values()]
    asked = substitute_columns(expr, lambda c: read[c])
    found = Solver().ask(No(Same(asked, Literal(value, expr.type))), given)
    assert found is not SolverOutcome.PROVEN, (about, row, value)
    return True


INT, DOUBLE, STRING = map(parse_type, ("int", "double", "string"))
A, B = RowColumn(1, 0, INT), RowColumn(1, 1, INT)
X, S = RowColumn(1, 2, DOUBLE), RowColumn(1, 3, STRING)
NEVER = RowColumn(1, 4, INT, nullable=False)


def less(a: Expr, b: Expr) -> Expr:
    return Compare("<", a, b)


@pytest.mark.parametrize(
    ("goal", "proven"),
    [
        (Holds(Compare("<=>", A, A)), True),
        (Holds(Compare("=", A, A)), False),  # null
        (Holds(Compare("=", NEVER, NEVER)), True),
        (implies(Holds(less(A, B)), No(Holds(less(B, A)))), True),
        (Some((Holds(less(A, B)), Holds(Not(less(A, B))))), False),  # null is neither
        (implies(Holds(less(S, Literal("b", STRING))), Holds(less(S, Literal("c", STRING)))), True),
        (
            implies(Holds(less(S, Literal("c", STRING))), Holds(less(S, Literal("b", STRING)))),
            False,
        ),
        (
            implies(Holds(Compare("=", X, Literal(0.0, DOUBLE))), Same(X, Literal(0.0, DOUBLE))),
            False,
        ),
        (Holds(Compare("=", Literal(-0.0, DOUBLE), Literal(0.0, DOUBLE))), True),
        (Same(Literal(-0.0, DOUBLE), Literal(0.0, DOUBLE)), False),
        (Holds(less(Literal(1e300, DOUBLE), Literal(float("nan"), DOUBLE))), True),
        (Holds(less(Literal(float("inf"), DOUBLE), Literal(float("nan"), DOUBLE))), True),
        (SameCount((Holds(less(A, B)),), (Holds(Compare(">", B, A)),)), True),
        (SameCount((Holds(less(A, B)), Holds(less(A, B))), (Holds(less(A, B)),)), False),
        (All(()), True),
        (Some(()), False),
    ],
)
def test_formulas(goal: Any, proven: bool) -> None:
    assert (Solver().ask(goal) is SolverOutcome.PROVEN) == proven


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-7 DIV 2", -3),
        ("7 DIV -2", -3),
        ("-7 % 2", -1),
        ("7 % -2", 1),
        ("CAST(1.25 AS DECIMAL(5, 2)) + CAST(1.5 AS DECIMAL(3, 1))", "2.75"),
        ("abs(-3) + 1", 4),
        ("coalesce(NULL, 3)", 3),
    ],
)
def test_constants_are_computed(text: str, value: Any) -> None:
    expr = only_expr(read_sql(f"SELECT {text} AS x FROM VALUES (1) AS t (a)", ""))
    wanted = Compare("=", expr, Literal(parse(value, expr), expr.type))
    assert Solver().ask(Holds(wanted)) is SolverOutcome.PROVEN


def parse(value: Any, expr: Expr) -> Any:
    from decimal import Decimal

    return Decimal(value) if isinstance(value, str) else value


def test_a_budget_gives_up_alike_every_time() -> None:
    hard = [RowColumn(i, 0, INT) for i in range(30)]
    pairs = [Holds(Not(Compare("=", a, b))) for i, a in enumerate(hard) for b in hard[:i]]
    small = [Holds(less(v, Literal(29, INT))) for v in hard]
    small += [Holds(less(Literal(-1, INT), v)) for v in hard]
    outcomes = {Solver(work=2_000).ask(No(All((*pairs, *small)))) for _ in range(3)}
    assert outcomes == {SolverOutcome.GAVE_UP}


def test_questions_are_counted_and_remembered() -> None:
    solver = Solver(questions=2)
    goal = Holds(Compare("<=>", A, A))
    assert solver.proves(goal) and solver.proves(goal)
    assert solver.asked == 1
    solver.ask(Holds(less(A, B)))
    assert solver.ask(Holds(less(B, A))) is SolverOutcome.GAVE_UP
    assert solver.gave_up


def test_models_are_read_back() -> None:
    day = RowColumn(2, 0, parse_type("date"))
    flag = Symbol(2, BOOLEAN, nullable=False)
    price = RowColumn(2, 1, parse_type("decimal(10,2)"))
    from datetime import date
    from decimal import Decimal

    found = find_model(
        [
            Holds(Compare("=", A, Literal(5, INT))),
            Holds(Compare("=", S, Literal("kilo", STRING))),
            Holds(Compare("=", day, Literal(date(2030, 1, 2), day.type))),
            Holds(Compare("=", price, Literal(Decimal("1.25"), price.type))),
            Holds(Compare("=", X, Literal(2.5, DOUBLE))),
            Holds(flag),
        ]
    )
    assert found is not None
    assert found[A] == 5 and found[S] == "kilo" and found[day] == date(2030, 1, 2)
    assert found[price] == Decimal("1.25") and found[X] == 2.5 and found[flag] is True
    assert find_model([Holds(less(A, B)), Holds(less(B, A))]) is None


def test_variables_are_the_same_only_if_all_of_them_is() -> None:
    """A column and a symbol of one number, and columns of other rows or places, are others."""
    others: list[Expr] = [
        Symbol(1, INT),
        RowColumn(1, 1, INT),
        RowColumn(2, 0, INT),
        RowColumn(10, 0, INT),
    ]
    for other in others:
        assert Solver().ask(Same(A, other)) is SolverOutcome.NOT_PROVEN
    assert Solver().ask(Same(A, RowColumn(1, 0, INT))) is SolverOutcome.PROVEN


def test_a_variable_with_two_types_or_of_an_input_proves_nothing() -> None:
    twice = Holds(Compare("<=>", RowColumn(1, 0, STRING), S))
    assert Solver().ask(Some((Holds(Compare("<=>", A, A)), twice))) is SolverOutcome.NOT_PROVEN
    column = Column("a", INT)
    assert Solver().ask(Holds(Compare("<=>", column, column))) is SolverOutcome.NOT_PROVEN
