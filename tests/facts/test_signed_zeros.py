"""Nothing rests on the sign of a zero: Spark keeps it or not, depending on its plan."""

from __future__ import annotations

import pytest

from veer.api import Comparison, Version, verify
from veer.facts.signed_zeros import shown_zero_sign, without_zero_signs
from veer.interpreter import run_dataflow
from veer.read.sql import read_sql
from veer.verdict import TableSemantics, Verdict

DDL = "CREATE TABLE t (a INT, f DOUBLE, g FLOAT, s STRING); CREATE TABLE u (b INT, h DOUBLE)"
TEXT = "CAST(f AS STRING)"

SHOWN = (
    f"SELECT {TEXT} AS x FROM t WHERE f = 0D",
    f"SELECT {TEXT} AS x FROM t WHERE f <=> 0D",
    f"SELECT {TEXT} AS x FROM t WHERE NOT (f <> 0D)",
    f"SELECT {TEXT} AS x FROM t WHERE f IN (0D, 1D)",
    f"SELECT {TEXT} AS x FROM t JOIN u ON f = h",
    "SELECT CAST(h AS STRING) AS x FROM t JOIN u ON f = h",
    f"SELECT {TEXT} AS x FROM t WHERE f IN (SELECT h FROM u)",
    "SELECT a FROM t WHERE f IN (SELECT h FROM u WHERE CAST(h AS STRING) = '0.0')",
    f"SELECT {TEXT} AS x, count(*) AS n FROM t GROUP BY f",
    f"SELECT {TEXT} AS x FROM (SELECT DISTINCT f FROM t)",
    f"SELECT f, count(*) AS n FROM t GROUP BY f HAVING {TEXT} = '-0.0'",
    f"SELECT {TEXT} AS x, count(*) OVER (PARTITION BY f) AS n FROM t",
    f"SELECT {TEXT} AS x FROM (SELECT f FROM t INTERSECT ALL SELECT h FROM u)",
    "SELECT CAST(e AS STRING) AS x FROM (SELECT f * 2 AS e FROM t) WHERE e = 0D",
    "SELECT power(f, -1D) AS x FROM t WHERE f = 0D",
    "SELECT concat(s, f) AS x FROM t WHERE f = 0D",
    "SELECT CAST(g AS STRING) AS x FROM t WHERE g = f",
    "SELECT a FROM t WHERE f = 0D AND EXISTS (SELECT 1 FROM u WHERE CAST(t.f AS STRING) = '0.0')",
    "SELECT CAST(array(f) AS STRING) AS x FROM t WHERE f = 0D",
)
NOT_SHOWN = (
    f"SELECT {TEXT} AS x FROM t",
    f"SELECT {TEXT} AS x FROM t WHERE f > 0D",
    f"SELECT {TEXT} AS x FROM t WHERE a = 0",
    f"SELECT {TEXT} AS x FROM t JOIN u ON a = b",
    "SELECT CAST(h AS STRING) AS x FROM t, u WHERE f = 0D",
    "SELECT f FROM t WHERE f = 0D",
    "SELECT CAST(f AS INT) AS x, CAST(f AS DECIMAL(10, 2)) AS y FROM t WHERE f = 0D",
    "SELECT a / f AS x, -f AS y, abs(f) AS z, round(f, 1) AS r FROM t WHERE f <> 0D",
    "SELECT sum(f) AS x, max(g) AS y FROM t GROUP BY f, g",
)


@pytest.mark.parametrize("text", SHOWN)
def test_the_sign_shows(text: str) -> None:
    assert shown_zero_sign(read_sql(text, DDL))


@pytest.mark.parametrize("text", NOT_SHOWN)
def test_the_sign_does_not_show(text: str) -> None:
    assert not shown_zero_sign(read_sql(text, DDL))


def verdict(p: str, q: str, semantics: TableSemantics = TableSemantics.BAG) -> Verdict:
    one, two = (Version(t, read_sql(t, DDL), False) for t in (p, q))
    return verify(one, two, Comparison(semantics)).verdict


@pytest.mark.parametrize(
    ("p", "q"),
    [
        # Spark gives either, as its plan wills: neither proven nor refuted.
        (
            f"SELECT {TEXT} AS x FROM t WHERE f = 0D AND a > 1",
            f"SELECT {TEXT} AS x FROM (SELECT * FROM t WHERE a > 1) AS o WHERE f = 0D",
        ),
        ("SELECT f FROM t WHERE f = 0D", "SELECT 0D AS f FROM t WHERE f = 0D"),
        ("SELECT f FROM t", "SELECT f + 0D AS f FROM t"),
        (f"SELECT {TEXT} AS x FROM t", "SELECT CAST(f + 0D AS STRING) AS x FROM t"),
        (
            f"SELECT f, count(*) AS n FROM t GROUP BY f HAVING {TEXT} = '0.0'",
            f"SELECT f, count(*) AS n FROM t WHERE {TEXT} = '0.0' GROUP BY f",
        ),
        ("SELECT DISTINCT f FROM t WHERE f = 0D", "SELECT DISTINCT -f AS f FROM t WHERE f = 0D"),
    ],
)
def test_no_verdict_rests_on_the_sign(p: str, q: str) -> None:
    for semantics in TableSemantics:
        assert verdict(p, q, semantics) is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (f"SELECT {TEXT} AS x FROM t WHERE a > 1", f"SELECT {TEXT} AS x FROM t WHERE a > 2"),
        (f"SELECT {TEXT} AS x FROM t", "SELECT CAST(-f AS STRING) AS x FROM t"),
        (f"SELECT {TEXT} AS x FROM t WHERE f = 1D", f"SELECT {TEXT} AS x FROM t WHERE f = 2D"),
    ],
)
def test_what_differs_otherwise_is_refuted(p: str, q: str) -> None:
    assert verdict(p, q) is Verdict.INEQUIVALENT


def test_what_does_not_show_is_proven() -> None:
    p = f"SELECT {TEXT} AS x FROM t WHERE f > 0D AND a > 1"
    q = f"SELECT {TEXT} AS x FROM (SELECT * FROM t WHERE a > 1) AS o WHERE f > 0D"
    assert verdict(p, q) is Verdict.EQUIVALENT
    p, q = (side.replace(TEXT, "f").replace(">", "=") for side in (p, q))
    assert verdict(p, q) is Verdict.EQUIVALENT


def test_without_signs_texts_are_those_of_zero() -> None:
    flow = read_sql(f"SELECT {TEXT} AS x, power(f, -1D) AS y, f AS z FROM t", DDL)
    blind = without_zero_signs(flow)
    assert blind is not None and blind != flow
    (row,) = run_dataflow(blind, {"t": [(1, -0.0, 0.0, "")]})["result"].rows
    assert row[:2] == ("0.0", float("inf"))
    assert without_zero_signs(read_sql("SELECT f FROM t", DDL)) is not None
    assert without_zero_signs(read_sql("SELECT CAST(array(f) AS STRING) AS x FROM t", DDL)) is None
