"""When a limit makes no choice: the order below it decides, or which rows it keeps does not show."""

from __future__ import annotations

import pytest

from veer.facts.determinism import dataflow_kind, expr_kind
from veer.facts.run_times import may_be_of_today
from veer.functions.registry import Kind
from veer.ir.expr import Cast, Column, Literal
from veer.ir.ops import Project
from veer.ir.types import STRING, TIMESTAMP
from veer.read.sql import read_schema, read_sql

DDL = (
    "CREATE TABLE t (a INT, b INT, c STRING, d DOUBLE); CREATE TABLE u (a INT, e INT); "
    "CREATE TABLE k (id INT NOT NULL, v INT, PRIMARY KEY (id))"
)
GROUPED = "SELECT a, c, count(*) AS n FROM t {where} GROUP BY a, c"

DECIDED = (
    f"SELECT * FROM ({GROUPED.format(where='')}) WHERE c = 'x' ORDER BY n, a LIMIT 3",
    f"SELECT * FROM ({GROUPED.format(where='')}) WHERE 'x' = c AND n > 1 ORDER BY n, a LIMIT 3",
    f"SELECT * FROM ({GROUPED.format(where='')}) WHERE c IS NULL ORDER BY a LIMIT 3",
    f"SELECT * FROM ({GROUPED.format(where=chr(32) + 'WHERE c = ' + repr('x'))}) ORDER BY n, a LIMIT 3",
    f"SELECT * FROM (SELECT * FROM ({GROUPED.format(where='')}) ORDER BY n, a) WHERE c = 'x' LIMIT 3",
    "SELECT a, 1 AS one, count(*) AS n FROM t GROUP BY a, 1 ORDER BY a LIMIT 3",
    # What is one to one of a key decides as the key does.
    "SELECT * FROM k ORDER BY -id LIMIT 3",
    "SELECT * FROM k ORDER BY 2 * id + 1 LIMIT 3",
    "SELECT * FROM k ORDER BY 7 - CAST(id AS BIGINT) * 3 LIMIT 3",
    "SELECT id, v FROM (SELECT id + 1 AS id, v FROM k) ORDER BY id LIMIT 3",
    "SELECT id, row_number() OVER (ORDER BY 5 - id) AS n FROM k",
    # Whether there are rows does not depend on which ones a limit keeps.
    "SELECT a FROM u WHERE EXISTS (SELECT 1 FROM t LIMIT 1)",
    "SELECT a FROM u WHERE EXISTS (SELECT b FROM t WHERE t.a = u.a ORDER BY b LIMIT 2 OFFSET 3)",
    "SELECT a FROM u WHERE NOT EXISTS (SELECT 1 FROM (SELECT b FROM t LIMIT 5) LIMIT 1 OFFSET 2)",
)
OPEN = (
    f"SELECT * FROM ({GROUPED.format(where='')}) ORDER BY n, a LIMIT 3",
    f"SELECT * FROM ({GROUPED.format(where='')}) WHERE c = 'x' ORDER BY n LIMIT 3",
    f"SELECT * FROM ({GROUPED.format(where='')}) WHERE c = 'x' OR n > 1 ORDER BY n, a LIMIT 3",
    f"SELECT * FROM ({GROUPED.format(where='')}) WHERE NOT c = 'x' ORDER BY n, a LIMIT 3",
    f"SELECT * FROM ({GROUPED.format(where='')}) WHERE c > 'x' ORDER BY n, a LIMIT 3",
    # The sides of an outer join that are padded are not fixed any more.
    "SELECT * FROM (SELECT u.a, t.c FROM u LEFT JOIN (SELECT * FROM t WHERE c = 'x') t "
    "ON u.a = t.a GROUP BY u.a, t.c) ORDER BY a LIMIT 3",
    "SELECT * FROM (SELECT t.a, t.c FROM (SELECT * FROM t WHERE c = 'x') t FULL JOIN u "
    "ON u.a = t.a GROUP BY t.a, t.c) ORDER BY a LIMIT 3",
    # 0.0 and -0.0 are equal to a constant, and not the same.
    "SELECT * FROM (SELECT DISTINCT a, d FROM t) WHERE d = 0.0D ORDER BY a LIMIT 3",
    "SELECT * FROM k ORDER BY 0 * id LIMIT 3",
    "SELECT * FROM k ORDER BY id % 7 LIMIT 3",
    "SELECT * FROM k ORDER BY id DIV 2 LIMIT 3",
    "SELECT * FROM k ORDER BY try_add(id, 1) LIMIT 3",
    "SELECT * FROM k ORDER BY TRY_CAST(id AS TINYINT) LIMIT 3",
    "SELECT * FROM k ORDER BY id + NULL LIMIT 3",
    "SELECT * FROM k ORDER BY id + v LIMIT 3",
    "SELECT * FROM k ORDER BY 0.5D * id LIMIT 3",
    # Below a condition or groups it does show which rows a limit keeps.
    "SELECT a FROM u WHERE EXISTS (SELECT 1 FROM (SELECT b FROM t LIMIT 5) WHERE b > 2)",
    "SELECT a FROM u WHERE EXISTS (SELECT b FROM (SELECT b FROM t LIMIT 5) GROUP BY b OFFSET 1)",
    "SELECT a FROM u WHERE EXISTS (SELECT 1 FROM t WHERE rand() < 0.5 LIMIT 1)",
    "SELECT a FROM u WHERE a IN (SELECT b FROM t LIMIT 1)",
)


@pytest.mark.parametrize("text", DECIDED)
def test_fixed_columns_decide(text: str) -> None:
    assert dataflow_kind(read_sql(text, read_schema(DDL))) is Kind.PURE


@pytest.mark.parametrize("text", OPEN)
def test_others_leave_it_open(text: str) -> None:
    assert dataflow_kind(read_sql(text, read_schema(DDL))) is Kind.CHOICE


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("CAST('now' AS TIMESTAMP)", Kind.RUN_CONSTANT),
        ("CAST(' Today ' AS DATE)", Kind.RUN_CONSTANT),
        ("to_date('yesterday')", Kind.RUN_CONSTANT),
        ("CAST(concat('n', 'ow') AS DATE)", Kind.RUN_CONSTANT),
        ("CAST('2020-01-01' AS DATE)", Kind.PURE),
        ("CAST(c AS DATE)", Kind.PURE),
        ("CAST('now' AS STRING)", Kind.PURE),
    ],
)
def test_texts_that_mean_the_time_of_the_run(text: str, kind: Kind) -> None:
    flow = read_sql(f"SELECT {text} AS x FROM t", read_schema(DDL))
    (project,) = (op for op in flow.operators.values() if isinstance(op, Project))
    assert expr_kind(project.columns[0].expr) is kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("12:30:00", Kind.RUN_CONSTANT),
        ("T12:30", Kind.RUN_CONSTANT),
        ("T12", Kind.RUN_CONSTANT),
        ("2024-01-05 12:30:00", Kind.PURE),
        ("2024-01-05T12:30", Kind.PURE),
        ("2024", Kind.PURE),
    ],
)
def test_a_time_alone_is_one_of_the_day_of_the_run(text: str, kind: Kind) -> None:
    assert expr_kind(Cast(Literal(text, STRING), TIMESTAMP)) is kind
    of_column = Cast(Column("c", STRING), TIMESTAMP)
    assert expr_kind(of_column) is Kind.PURE and may_be_of_today(of_column)
