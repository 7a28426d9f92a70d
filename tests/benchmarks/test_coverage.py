"""The page of coverage: features are read from dataflows, and nothing undecided goes unexplained."""

from __future__ import annotations

import pytest

from benchmarks.runners import coverage
from benchmarks.runners.coverage import (
    PAGE,
    Result,
    complaints,
    own_cases,
    page,
    shortened,
    workloads,
)
from benchmarks.support import needs
from benchmarks.support.alone import EVS, alone, everyone
from benchmarks.support.features import FEATURES, PLAIN, features
from veer.prove.verifiers import registry
from veer.read.sql import read_sql
from veer.verdict import TableSemantics, Verdict

SCHEMA = """
CREATE TABLE t (a INT, b INT, d DOUBLE);
CREATE TABLE u (k INT NOT NULL, a INT, PRIMARY KEY (k), FOREIGN KEY (a) REFERENCES u (k))
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT a FROM t WHERE b > 1", {PLAIN}),
        ("SELECT u.k FROM u, t", {"inner join", "declared key", "declared foreign key"}),
        ("SELECT t.a FROM t RIGHT JOIN t AS x ON t.a = x.a", {"left or right join"}),
        ("SELECT t.a FROM t FULL JOIN t AS x ON t.a = x.a", {"full join"}),
        ("SELECT a FROM t EXCEPT ALL SELECT b FROM t", {"INTERSECT ALL, EXCEPT ALL"}),
        ("SELECT a FROM t UNION SELECT b FROM t", {"UNION ALL", "DISTINCT"}),
        ("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM t LIMIT 1)",
         {"EXISTS, IN subquery", "LIMIT, OFFSET"}),
        ("SELECT (SELECT MAX(b) FROM t) AS m FROM t",
         {"scalar subquery", "aggregate without groups"}),
        ("SELECT a, COUNT(DISTINCT b) FILTER (WHERE b > 1) AS n FROM t GROUP BY a",
         {"aggregate by groups", "DISTINCT aggregate", "FILTER aggregate"}),
        ("SELECT a, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) AS n FROM t",
         {"window function"}),
        ("SELECT a FROM t ORDER BY a", {"ORDER BY"}),
        ("SELECT x FROM (VALUES (1)) AS v (x)", {"VALUES"}),
        ("SELECT CASE WHEN a IS NULL THEN b END AS x FROM t",
         {"CASE", "IS NULL, NULL, <=>, COALESCE"}),
        ("SELECT a + 1 AS x FROM t WHERE d > 1.5D", {"arithmetic", "floating point"}),
        ("SELECT CAST(a AS BIGINT) AS x FROM t", {"cast"}),
    ],
)  # fmt: skip
def test_features_are_read_from_the_dataflow(text: str, expected: set[str]) -> None:
    assert features(read_sql(text, SCHEMA)) == expected


def test_grouping_sets_are_known_though_they_are_read_as_unions() -> None:
    sets = read_sql("SELECT a, COUNT(*) AS n FROM t GROUP BY ROLLUP (a)", SCHEMA)
    assert "grouping sets" in features(sets)
    plain = read_sql("SELECT a, COUNT(*) AS n FROM t GROUP BY a", SCHEMA)
    assert "grouping sets" not in features(plain)


def test_needs_name_features_there_are() -> None:
    for wanted, _ in needs.BY_FEATURES:
        assert wanted <= set(FEATURES)


def test_every_verifier_has_a_column() -> None:
    assert set(EVS) == set(registry.BUILT_IN)


def test_what_a_verifier_attempts_and_proves_alone() -> None:
    p, q = (read_sql(f"SELECT a FROM t WHERE {c}", SCHEMA) for c in ("a > 5", "a >= 6"))
    found = everyone(p, q, TableSemantics.BAG, by_name=True)
    assert found == {ev: alone(ev, p, q) for ev in EVS}
    assert found["spes"] is found["equitas"] is Verdict.EQUIVALENT
    assert found["udp"] is found["wetune"] is Verdict.UNKNOWN
    left = read_sql("SELECT t.a FROM t LEFT JOIN u ON t.a = u.k", SCHEMA)
    assert alone("udp", left, left) is None
    assert alone("wetune", left, left) is Verdict.EQUIVALENT


def test_reasons_are_told_without_the_operators() -> None:
    reason = (
        "not proven equal: 'a' [Filter x] before, 'b' [Join [y]] after; 'a' before and 'b' after: "
        "refused by algebra: operator 'a' (before) [Limit 10] can give different results on the same input; 400 small instances show no difference"
    )
    assert shortened(reason) == "algebra: Limit can give different results on the same input"


def test_complaints_name_what_is_stale_or_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(needs.NAMED, "cases", {"old": "something", "open": "something"})
    found = {
        "cases": [
            Result("old", "equivalent", "", 0.1),
            Result("open", "unknown", "no proof found", 0.1),
            Result("odd", "unknown", "no proof found", 0.1),
        ]
    }
    assert complaints(found) == [
        "cases: there is no word on what odd would need: no proof found",
        "cases: old is decided, or gone",
    ]
    written = page(found)
    assert complaints(found, written) == complaints(found)
    gone = {"cases": found["cases"][:2]}
    assert "cases: the page still lists odd" in complaints(gone, written)
    assert "cases: the page lacks odd" in complaints(found, page(gone))


def test_the_page_lists_what_is_undecided_of_veers_own_pairs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Cases that expect a verdict are asserted elsewhere: only the others can be undecided."""
    monkeypatch.setattr(coverage, "everyone", lambda *_, **__: {})
    text = PAGE.read_text(encoding="utf-8")
    found = {"cases": list(own_cases(("unproven",))), "workloads": list(workloads())}
    assert not complaints(found, text), "run " + coverage.COMMAND
    assert coverage.COMMAND in text
