"""What may fail in one version only is told, or makes the verdict unknown."""

from __future__ import annotations

import pytest

from veer.api import Comparison, Version, verify
from veer.options import ErrorHandling
from veer.read.sql import read_sql
from veer.show.wording import caveat_text, reason_text
from veer.verdict import SinkReport, Verdict
from veer.verification.failures import FailingExpression, may_fail

SCHEMA = "CREATE TABLE t (a INT, b INT, s STRING, l BIGINT, n DECIMAL(10, 2), big DECIMAL(38, 0)); CREATE TABLE u (a INT)"


def failing(text: str) -> set[str]:
    return {_shown(f) for f in may_fail(read_sql(text, SCHEMA), "result")}


def _shown(failing: FailingExpression) -> str:
    guards = f" where {' and '.join(failing.guards)}" if failing.guards else ""
    return f"{failing.text}{guards}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT a FROM t WHERE b > 1", set()),
        ("SELECT CAST(s AS INT) AS x FROM t", {"CAST(t.s AS int)"}),
        ("SELECT make_date(2024, 2, 29) AS x FROM t", set()),
        ("SELECT make_date(2023, 2, 29) AS x FROM t", {"make_date(2023, 2, 29)"}),
        ("SELECT a FROM t WHERE s LIKE 'a%' AND 1 / 2 > 0", set()),
        ("SELECT a FROM t WHERE s LIKE 'a!b' ESCAPE '!'", {"like(t.s, 'a!b', '!')"}),
        ("SELECT TRY_CAST(s AS INT) AS x FROM t", set()),
        ("SELECT CAST(a AS BIGINT) AS x FROM t", set()),
        ("SELECT CAST(l AS INT) AS x FROM t", {"CAST(t.l AS int)"}),
        ("SELECT CAST(a AS STRING) AS x FROM t", set()),
        ("SELECT a DIV 2 AS x FROM t", set()),
        ("SELECT a DIV -1 AS x FROM t", set()),
        ("SELECT l DIV 2 AS x FROM t", set()),
        ("SELECT l DIV -1 AS x FROM t", {"(t.l div -1)"}),
        ("SELECT l / -1 AS x, l % -1 AS y FROM t", set()),
        ("SELECT n / 3 AS x, n / 0.001 AS y, n DIV 0.001 AS z FROM t", set()),
        ("SELECT big DIV -1000000000000000000000 AS x FROM t", set()),
        ("SELECT big / 2 AS x FROM t", {"(t.big / 2)"}),
        ("SELECT n / 0.0001 AS x FROM t", set()),
        ("SELECT big / 0.01 AS x FROM t", {"(t.big / 0.01)"}),
        ("SELECT big DIV 2 AS x FROM t", {"(t.big div 2)"}),
        ("SELECT a DIV b AS x FROM t", {"(CAST(t.a AS bigint) div CAST(t.b AS bigint))"}),
        (
            "SELECT a DIV b AS x FROM t WHERE b <> 0 AND a > 1 AND s = 'x'",
            {"(CAST(t.a AS bigint) div CAST(t.b AS bigint)) where (NOT (t.b = 0)) and (t.a > 1)"},
        ),
        (
            "SELECT CASE WHEN b > 0 THEN a DIV b END AS x FROM t",
            {"(CAST(t.a AS bigint) div CAST(t.b AS bigint)) where (t.b > 0)"},
        ),
    ],
)
def test_expressions_with_their_guards(text: str, found: set[str]) -> None:
    assert failing(text) == found


def test_a_scalar_subquery_may_have_two_rows() -> None:
    assert len(failing("SELECT (SELECT a FROM u) AS x FROM t")) == 1
    assert not failing("SELECT (SELECT MAX(a) FROM u) AS x FROM t")


def sink(p: str, q: str, errors: str = "ignore") -> SinkReport:
    one, two = (Version(t, read_sql(t, SCHEMA), False) for t in (p, q))
    return verify(one, two, Comparison(errors=ErrorHandling(errors))).sinks[0]


LATE = "SELECT x FROM (SELECT b, CAST(s AS INT) AS x FROM t) AS y WHERE b > 1"
EARLY = "SELECT CAST(s AS INT) AS x FROM t WHERE b > 1"
UNUSED = "SELECT b FROM (SELECT b, CAST(s AS INT) AS x FROM t) AS y WHERE b > 1"


def test_a_failure_in_one_version_only_is_a_caveat() -> None:
    found = sink(UNUSED, "SELECT b FROM t WHERE b > 1")
    assert found.verdict is Verdict.EQUIVALENT
    assert [caveat_text(c) for c in found.caveats] == [
        "an expression may fail before but not after: CAST(t.s AS int)"
    ]


def test_strict_errors_make_it_unknown() -> None:
    found = sink(UNUSED, "SELECT b FROM t WHERE b > 1", "strict")
    assert found.verdict is Verdict.UNKNOWN
    assert "an expression may fail before but not after: CAST(t.s AS int)" in reason_text(
        found.reason
    )


def test_a_guard_on_other_columns_does_not_matter() -> None:
    for errors in ("ignore", "strict"):
        found = sink(LATE, EARLY, errors)
        assert found.verdict is Verdict.EQUIVALENT
        assert not found.caveats


def test_a_guard_on_the_same_column_does() -> None:
    p = "SELECT x FROM (SELECT b, 10 DIV b AS x FROM t) AS y WHERE b > 0"
    q = "SELECT 10 DIV b AS x FROM t WHERE b > 0"
    found = sink(p, q)
    assert found.verdict is Verdict.EQUIVALENT
    assert [caveat_text(c) for c in found.caveats] == [
        "an expression may fail before but not after: (10 div CAST(t.b AS bigint))",
    ]
    assert sink(p, q, "strict").verdict is Verdict.UNKNOWN
