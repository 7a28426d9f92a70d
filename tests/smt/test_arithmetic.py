"""Which laws of arithmetic the solver may use: those that no rounding and no overflow breaks."""

from __future__ import annotations

import pytest

from veer.ir.expr import Expr, RowColumn
from veer.ir.ops import Project
from veer.ir.walk import substitute_columns
from veer.prove.solver import Holds, Same, Solver, SolverOutcome, implies
from veer.read.sql import read_sql

SCHEMA = """
CREATE TABLE t (
  a INT NOT NULL, b INT NOT NULL, c INT NOT NULL, e INT NOT NULL, l BIGINT NOT NULL,
  x DOUBLE NOT NULL, y DOUBLE NOT NULL, z DOUBLE NOT NULL,
  p DECIMAL(8, 2) NOT NULL, q DECIMAL(8, 2) NOT NULL, r DECIMAL(38, 10) NOT NULL,
  d DATE NOT NULL, s STRING NOT NULL
)
"""


INT_RANGE = "a BETWEEN -2147483648 AND 2147483647"


def read(text: str) -> Expr:
    """An expression over one row of the table, whose columns have names of one letter."""
    dataflow = read_sql(f"SELECT {text} AS v FROM t", SCHEMA)
    (project,) = [op for op in dataflow.operators.values() if isinstance(op, Project)]
    return substitute_columns(
        project.columns[0].expr, lambda c: RowColumn(1, ord(c.name), c.type, nullable=False)
    )


@pytest.mark.parametrize(
    ("left", "right", "proven"),
    [
        ("a + b", "b + a", True),
        ("a - b", "b - a", False),
        ("a * (b + c)", "a * b + a * c", True),
        ("a * (b + c)", "a * b + c", False),
        ("a * b * c", "c * (b * a)", True),
        ("a * b * c * e", "e * c * (b * a)", True),
        ("a * b * c", "a * b * b", False),
        ("a * a", "abs(a) * abs(a)", False),  # true, but products of unknowns are not computed
        ("(a DIV 2) * 2 + a % 2", "CAST(a AS BIGINT)", True),
        ("(a DIV -2) * -2 + a % -2", "CAST(a AS BIGINT)", True),
        ("a % 2", "pmod(a, 2)", False),  # the remainder of a negative number is negative
        ("pmod(a, 4) % 2", "pmod(a, 2)", True),
        ("a DIV b", "a DIV b", True),
        ("a DIV b", "b DIV a", False),
        # Doubles round, and then neither law holds.
        ("x + y", "x + y", True),
        ("(x + y) + z", "x + (y + z)", False),
        ("x * 3 / 3", "x", False),
        # Decimals, where the type of the sum has room for every digit, and where it has not.
        ("(p + q) + p", "(p + p) + q", True),
        ("(r + r) - r", "r + (r - r)", False),
    ],
)
def test_laws(left: str, right: str, proven: bool) -> None:
    one, two = read(left), read(right)
    assert one.type == two.type  # else no law would be proven
    assert (Solver().ask(Same(one, two)) is SolverOutcome.PROVEN) == proven


@pytest.mark.parametrize(
    ("given", "goal", "proven"),
    [
        # Casts to a narrower type keep the number where it fits, and fail where it does not; ranges
        # are not the encoder's facts.
        ("a > 0", "CAST(CAST(a AS BIGINT) AS INT) = a", True),
        ("l > 0", "CAST(l AS INT) = l", True),
        (INT_RANGE, "TRY_CAST(CAST(a AS BIGINT) AS INT) = a", True),
        ("l > 0", "TRY_CAST(l AS INT) = l", False),
        # Of integers of 32 bits a double holds sums and products by small numbers exactly.
        (f"{INT_RANGE} AND a > 0", "CAST(a AS DOUBLE) * 2 > CAST(a AS DOUBLE)", True),
        ("x > 0", "x * 2 > x", False),  # infinity
        ("l > 0", "CAST(l AS DOUBLE) + 1D > CAST(l AS DOUBLE)", False),  # beyond 53 bits
        (f"{INT_RANGE} AND CAST(a AS DOUBLE) / 4 = 0.25D", "a = 1", True),
        (f"{INT_RANGE} AND CAST(a AS DOUBLE) / 3 = 0.25D", "a = 1", False),
        # A year begins on its first day.
        ("year(d) = 2020", "d >= DATE '2020-01-01' AND d < DATE '2021-01-01'", True),
        ("d >= DATE '2020-01-01' AND d < DATE '2021-01-01'", "year(d) = 2020", True),
        ("d >= DATE '2020-01-01' AND d <= DATE '2021-01-01'", "year(d) = 2020", False),
        ("date_add(d, 1) > DATE '2020-02-29'", "d >= DATE '2020-02-29'", True),
        # Texts are ordered by their bytes.
        ("s > 'z'", "s > 'Z'", True),
        ("s > 'Z'", "s > 'z'", False),
        ("s > '\uffee'", "s > '\U0001f600'", False),
        ("s > '\U0001f600'", "s > '\uffee'", True),
    ],
)
def test_consequences(given: str, goal: str, proven: bool) -> None:
    outcome = Solver().ask(implies(Holds(read(given)), Holds(read(goal))))
    assert (outcome is SolverOutcome.PROVEN) == proven
