"""Constants computed and conditions written in one way mean what they meant, to the interpreter and
to the solver."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from tests.generators.conditions import COLUMNS, Conditions, near_table
from tests.generators.expressions import Expressions
from tests.generators.tables import Table, wide_table
from veer.errors import VeerError
from veer.expressions.laws import simplified
from veer.functions.registry import Failure
from veer.interpreter import run_dataflow
from veer.ir.dag import Dataflow
from veer.ir.expr import Expr, Literal, RowColumn
from veer.ir.ops import Project
from veer.ir.walk import columns_read, map_exprs, substitute_columns, transform
from veer.prove.solver import No, Same, Solver, SolverOutcome
from veer.read.sql import read_sql

SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "3"))
NAMES = tuple(COLUMNS)


def plain(dataflow: Dataflow) -> Dataflow:
    changed = {
        id_: map_exprs(operator, lambda e: transform(e, simplified))
        for id_, operator in dataflow.operators.items()
    }
    return Dataflow(changed, dataflow.links)


def values(dataflow: Dataflow, table: str, row: Any) -> Any:
    """What a query gives on one row; None where it fails or is not interpreted."""
    try:
        return repr(run_dataflow(dataflow, {table: [row]})["result"].rows)
    except (Failure, VeerError):
        return None


def readable(make: Callable[[], str], table: Table, number: int) -> Iterator[tuple[str, Dataflow]]:
    for _ in range(number):
        text = make()
        try:
            yield (
                text,
                read_sql(f"SELECT {text} AS x FROM {table.name}", {table.name: table.source}),
            )
        except VeerError:
            continue


def only_expr(dataflow: Dataflow) -> Expr:
    (project,) = [op for op in dataflow.operators.values() if isinstance(op, Project)]
    return project.columns[0].expr


@pytest.mark.parametrize("number", range(ROUNDS))
def test_conditions_mean_the_same(number: int) -> None:
    random = Random(f"conditions {SEED} {number}")
    table = near_table(random, 20)
    changed = 0
    for text, dataflow in readable(Conditions(random).any, table, 80):
        other = plain(dataflow)
        changed += only_expr(other) != only_expr(dataflow)
        for row in table.rows:
            before = values(dataflow, "c", row)
            assert before is None or before == values(other, "c", row), (text, row)
    assert changed > 5


@pytest.mark.parametrize("number", range(ROUNDS))
def test_expressions_mean_the_same(number: int) -> None:
    random = Random(f"constants {SEED} {number}")
    table = wide_table(random, 4)
    expressions = Expressions(random, wrong=0.0, constants=0.8)
    changed = 0
    for text, dataflow in readable(expressions.any, table, 150):
        other = plain(dataflow)
        assert only_expr(other).type == only_expr(dataflow).type, text
        changed += only_expr(other) != only_expr(dataflow)
        for row in table.rows[:3]:
            before = values(dataflow, table.name, row)
            assert before is None or before == values(other, table.name, row), (text, row)
    assert changed > 5


@pytest.mark.parametrize("number", range(ROUNDS))
def test_conditions_are_to_the_solver_what_they_are(number: int) -> None:
    random = Random(f"solver {SEED} {number}")
    table = near_table(random, 3)
    known = 0
    for text, dataflow in readable(Conditions(random).any, table, 25):
        known += sum(is_known(dataflow, row, text) for row in table.rows)
    assert known > 20


def is_known(dataflow: Dataflow, row: Any, text: str) -> bool:
    """Whether the solver computes a condition on one row; it must never compute something else."""
    expr = transform(only_expr(dataflow), simplified)
    read = {c: RowColumn(1, NAMES.index(c.name), c.type) for c in columns_read(expr)}
    asked = substitute_columns(expr, lambda c: read[c])
    try:
        ((value,),) = run_dataflow(dataflow, {"c": [row]})["result"].rows
    except (Failure, VeerError):
        return False
    given = [Same(c, Literal(row[c.index], c.type)) for c in read.values()]
    is_value = Same(asked, Literal(value, expr.type))
    assert Solver().ask(No(is_value), given) is not SolverOutcome.PROVEN, (text, row)
    return Solver().proves(is_value, given)
