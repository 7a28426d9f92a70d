"""SQL that was once read as something else: what `veer verify` says of two files of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import veer

TABLES = """
CREATE TABLE t (a INT, b INT, s STRING, d DOUBLE, st STRUCT<a: INT>, j INTERVAL DAY);

CREATE TABLE own (own STRUCT<i: INT>, i INT);
CREATE TABLE users (user STRING, city STRING);
CREATE TABLE people (name STRING, year DOUBLE)
"""
# P, Q, what is said: a verdict, or part of a refusal
PAIRS = [
    (  # the constant is an instant, and its date that of the session
        "SELECT TIMESTAMP '2020-01-01 23:00:00-08:00'::DATE AS d FROM t",
        "SELECT DATE '2020-01-01' AS d FROM t",
        "inequivalent",
    ),
    (
        "SELECT TIMESTAMP '2020-01-01 23:00:00-08:00'::DATE AS d FROM t",
        "SELECT CAST(TIMESTAMP '2020-01-01 23:00:00-08:00' AS DATE) AS d FROM t",
        "equivalent",
    ),
    ("SELECT +s AS x FROM t", "SELECT s AS x FROM t", "inequivalent"),  # a double
    ("SELECT +a AS x FROM t", "SELECT a AS x FROM t", "equivalent"),
    ("SELECT all, a FROM t", "SELECT a FROM t", "a column called all"),
    ("SELECT ALL a FROM t", "SELECT a FROM t", "equivalent"),
    ("FROM t |> AGGREGATE sum(a) AS x GROUP BY 1", "SELECT 1, sum(a) AS x FROM t", "|> AGGREGATE"),
    ("FROM t |> EXTEND st.a AS x", "SELECT *, st.a AS x FROM t", "|> EXTEND"),
    ("FROM t |> WHERE a > 1 |> SELECT a", "SELECT a FROM t WHERE a > 1", "equivalent"),
    ("SELECT s:path FROM t", "SELECT s AS path FROM t", "a path into a VARIANT"),
    (
        "SELECT (SELECT user) AS x FROM users",
        "SELECT user AS x FROM users",
        "'user', a column of the rows around a subquery or a function",
    ),
    (
        "SELECT (SELECT city) AS x FROM users",
        "SELECT city AS x FROM users",
        "equivalent",
    ),
    ("SELECT own.own.i AS x FROM own", "SELECT own.i AS x FROM own", "or a field of a column"),
    (
        "SELECT SUM(1) AS x FROM t GROUP BY GROUPING SETS ((a + b), (b + a))",
        "SELECT SUM(1) AS x FROM t GROUP BY GROUPING SETS ((a + b), (a + b))",
        "grouping sets that write one key in two ways",
    ),
    (
        "SELECT a, SUM(b) AS x FROM t GROUP BY GROUPING SETS ((a, b), (a)) ORDER BY SUM(b) LIMIT 1",
        "SELECT a, SUM(b) AS x FROM t GROUP BY GROUPING SETS ((a, b), (a)) ORDER BY x LIMIT 1",
        "ORDER BY of an aggregate of a grouping key",
    ),
    (
        "SELECT pmod(CAST(1 AS INT), CAST(a AS DECIMAL(3, 0))) AS x FROM t",
        "SELECT pmod(1, CAST(a AS DECIMAL(3, 0))) AS x FROM t",
        "an integer constant with suffix or cast together with a decimal",
    ),
    (
        "SELECT pmod(a, CAST(b AS DECIMAL(3, 0))) AS x FROM t",
        "SELECT pmod(a, CAST(b AS DECIMAL(3, 0))) AS x FROM t WHERE true",
        "equivalent",
    ),
    (  # names that Spark makes up are no certain difference
        "SELECT struct(a AS x).x FROM t",
        "SELECT struct(a AS x).x AS x FROM t",
        "unknown",
    ),
    ("SELECT st.a FROM t", "SELECT st.a AS z FROM t", "inequivalent"),
    ("SELECT GROUPING(a, b) FROM t GROUP BY CUBE(a, b)", "SELECT 1", "grouping: 2 arguments"),
    (
        "SELECT SUM(a) OVER (ORDER BY s RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS x FROM t",
        "SELECT 1",
        "RANGE with an offset over string",
    ),
    ("SELECT CAST(s AS INTERVAL DAY) AS x FROM t", "SELECT j AS x FROM t", "unknown"),
    (
        "SELECT x.a FROM (SELECT * FROM VALUES (1, 2) AS v(a, b)) AS x JOIN t"
        " ON x.a = t.a AND EXISTS (SELECT 1 FROM users WHERE user = x.b)",
        "SELECT x.a FROM (SELECT * FROM VALUES (1, 2) AS v(a, b)) AS x JOIN t"
        " ON x.a = t.a AND EXISTS (SELECT 1 FROM users WHERE user = x.b AND true)",
        "equivalent",
    ),
    # a constant that fails always fails, whatever the rows hold
    (
        "SELECT name FROM people WHERE year = ''",
        "SELECT name FROM people WHERE year IS NULL",
        "unknown",
    ),
    (
        "SELECT name FROM people WHERE year = '1'",
        "SELECT name FROM people WHERE year IS NULL",
        "inequivalent",
    ),
    (
        "SELECT CAST(x AS INT) AS y FROM (SELECT 'a' AS x, name FROM people)",
        "SELECT 1 AS y FROM people",
        "unknown",
    ),
    (
        "SELECT CASE WHEN year > 1 THEN CAST('a' AS INT) ELSE 1 END AS y FROM people",
        "SELECT 2 AS y FROM people",
        "inequivalent",
    ),
    ("SELECT COUNT(DISTINCT map(a, b)) AS n FROM t", "SELECT 1", "DISTINCT maps"),
    ("SELECT to_timestamp(s, 'yyyy[-MM]') AS x FROM t", "SELECT 1", "unknown"),
]


@pytest.mark.parametrize(("p", "q", "said"), PAIRS)
def test_what_is_said(tmp_path: Path, p: str, q: str, said: str) -> None:
    for name, text in (("p.sql", p), ("q.sql", q), ("t.ddl", TABLES)):
        (tmp_path / name).write_text(text)
    done = veer("verify", "p.sql", "q.sql", "--schema", "t.ddl", "--format", "json", cwd=tmp_path)
    if " " in said:
        assert done.returncode == 65, done.stdout
        assert said in " ".join(done.stderr.split())
    else:
        assert done.returncode in (0, 1, 2), done.stderr
        assert json.loads(done.stdout)["verdict"] == said


@pytest.mark.parametrize(
    ("setting", "is_refused"),
    [
        ("spark.sql.optimizer.windowGroupLimitThreshold=0", True),
        ("spark.sql.optimizer.decorrelateSubqueryLegacyIncorrectCountHandling.enabled=true", True),
        ("spark.sql.optimizer.noSuchThing=true", True),
        ("spark.sql.codegen.invented=1", True),
        ("spark.sql.optimizer.inSetConversionThreshold=3", False),
        ("spark.sql.codegen.wholeStage=false", False),
        ("spark.sql.catalog.mine.uri=x", False),
    ],
)
def test_harmless_settings_are_a_list_of_names(
    tmp_path: Path, setting: str, is_refused: bool
) -> None:
    (tmp_path / "p.sql").write_text("SELECT 1 AS x")
    done = veer("verify", "p.sql", "p.sql", "--conf", setting, cwd=tmp_path)
    assert (done.returncode == 65) is is_refused, done.stderr
    assert is_refused is (setting.split("=")[0] in done.stderr)
