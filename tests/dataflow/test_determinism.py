"""When a limit is decided by the order below it: columns that are fixed need not be sorted by."""

from __future__ import annotations

import pytest

from veer.dataflow.determinism import dataflow_kind, expr_kind
from veer.dataflow.functions.registry import Kind
from veer.dataflow.ops import Project
from veer.frontends.sql import read_schema, read_sql

DDL = "CREATE TABLE t (a INT, b INT, c STRING, d DOUBLE); CREATE TABLE u (a INT, e INT)"
GROUPED = "SELECT a, c, count(*) AS n FROM t {where} GROUP BY a, c"

DECIDED = (
    f"SELECT * FROM ({GROUPED.format(where='')}) WHERE c = 'x' ORDER BY n, a LIMIT 3",
    f"SELECT * FROM ({GROUPED.format(where='')}) WHERE 'x' = c AND n > 1 ORDER BY n, a LIMIT 3",
    f"SELECT * FROM ({GROUPED.format(where='')}) WHERE c IS NULL ORDER BY a LIMIT 3",
    f"SELECT * FROM ({GROUPED.format(where=chr(32) + 'WHERE c = ' + repr('x'))}) ORDER BY n, a LIMIT 3",
    f"SELECT * FROM (SELECT * FROM ({GROUPED.format(where='')}) ORDER BY n, a) WHERE c = 'x' LIMIT 3",
    "SELECT a, 1 AS one, count(*) AS n FROM t GROUP BY a, 1 ORDER BY a LIMIT 3",
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
