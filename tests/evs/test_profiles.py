"""The profiles: what each may be asked, and that the solver loads only when somebody asks."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import pytest

from veer.errors import UsageError
from veer.ir.query_pair import QueryPair
from veer.prove.verifiers import registry
from veer.read.sql import read_sql
from veer.reasons import Cause
from veer.refute import Refutation, first_difference
from veer.verdict import TableSemantics, Verdict

SCHEMA = """
CREATE TABLE t (a INT, b INT, s STRING);
CREATE TABLE u (k INT NOT NULL, a INT, PRIMARY KEY (k));
CREATE TABLE f (
  k INT NOT NULL, m INT, x INT,
  FOREIGN KEY (k) REFERENCES u (k), FOREIGN KEY (m) REFERENCES u (k)
)
"""
BAG, SET, ORDERED = TableSemantics.BAG, TableSemantics.SET, TableSemantics.ORDERED_BAG


def pair(p: str, q: str, semantics: TableSemantics) -> QueryPair:
    sides = read_sql(p, SCHEMA), read_sql(q, SCHEMA)
    columns = tuple((i, i) for i in range(len(sides[0].result_schema)))
    return QueryPair(*sides, semantics, columns)


PLAIN = "SELECT a FROM t WHERE b > 1"
LEFT = "SELECT t.a FROM t LEFT JOIN u ON t.a = u.a"
COUNT = "SELECT a, COUNT(*) AS n FROM t GROUP BY a"
EXCEPT = "SELECT DISTINCT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE t.a <=> u.k)"
INNER = "SELECT f.x, u.a FROM f JOIN u ON f.k = u.k"
SCALAR = "SELECT a FROM t WHERE b = (SELECT MAX(k) FROM u)"
DEEP = "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE k IN (SELECT b FROM t WHERE {}))"


@pytest.mark.parametrize(
    ("ev", "p", "q", "semantics", "why"),
    [
        ("equitas", PLAIN, PLAIN, BAG, "equitas proves set, bag is needed"),  # R1
        ("equitas", PLAIN, "SELECT a FROM t UNION ALL SELECT a FROM t", SET, "is a Union"),  # R2
        ("equitas", PLAIN, "SELECT a FROM t WHERE a * b > 1", SET, "is not linear"),  # R3
        ("equitas", LEFT, PLAIN, SET, "1 outer joins before but 0 after"),  # R4
        ("equitas", PLAIN, "SELECT DISTINCT a FROM t", SET, "0 Aggregate before but 1 after"),  # R5
        (
            "equitas",
            COUNT,
            "SELECT t.a, COUNT(*) AS n FROM t LEFT JOIN u ON t.a = u.k GROUP BY t.a",
            SET,
            "1 outer joins after",
        ),
        (
            "equitas",
            COUNT,
            "SELECT t.a, COUNT(*) AS n FROM t JOIN t AS v ON t.a = v.a GROUP BY t.a",
            SET,
            "counts rows of a table that is read twice",
        ),  # R6
        ("spes", PLAIN, PLAIN, ORDERED, "spes proves bag, ordered is needed"),
        ("spes", PLAIN, "SELECT a FROM t WHERE a IN (SELECT a FROM u)", BAG, "holds a subquery"),
        ("spes", PLAIN, "SELECT a FROM t ORDER BY a LIMIT 1", BAG, "is a Limit"),
        ("udp", PLAIN, PLAIN, ORDERED, "udp proves bag, ordered is needed"),
        ("udp", PLAIN, "SELECT a FROM t ORDER BY a", BAG, "is a Sort"),
        ("udp", LEFT, LEFT, BAG, "is a left join"),
        ("udp", PLAIN, "SELECT a FROM t WHERE b IS NULL", BAG, "tests for null"),
        ("udp", PLAIN, "SELECT CASE WHEN b > 1 THEN a END AS a FROM t", BAG, "holds a CASE"),
        ("udp", PLAIN, "SELECT coalesce(a, b) AS a FROM t", BAG, "coalesce, which sees nulls"),
        ("udp", PLAIN, "SELECT a FROM (VALUES (1), (2)) AS v (a)", BAG, "is a Values"),
        ("udp", PLAIN, SCALAR, BAG, "holds a scalar subquery"),
        ("udp", PLAIN, DEEP.format("a IS NULL"), BAG, "whose 'filter_1' tests for null"),
        (
            "udp",
            COUNT,
            "SELECT a, SUM(b) AS n FROM t GROUP BY a",
            BAG,
            "different aggregate functions",
        ),
        ("udp", PLAIN, "SELECT a FROM t WHERE rand() > 0.5", BAG, "can give different results"),
        ("wetune", PLAIN, PLAIN, ORDERED, "wetune proves bag, ordered is needed"),
        ("wetune", PLAIN, "SELECT t.a FROM t FULL JOIN u ON t.a = u.a", BAG, "is a full join"),
        ("wetune", PLAIN, SCALAR, BAG, "holds a scalar subquery"),
        ("wetune", PLAIN, DEEP.format("a IN (SELECT * FROM (VALUES (1)))"), BAG, "is a Values"),
        ("wetune", COUNT, COUNT.replace("COUNT(*)", "COUNT(b)"), BAG, "different aggregates"),
        ("wetune", COUNT, COUNT.replace("BY a", "BY a, b"), BAG, "different aggregates"),
    ],
)
def test_restrictions_give_their_reason(
    ev: str, p: str, q: str, semantics: TableSemantics, why: str
) -> None:
    found = list(registry.get(ev).violations(pair(p, q, semantics)))
    if "outer joins after" in why:
        assert any("1 after" in text for text in found) and found
    else:
        assert any(why in text for text in found), found
    assert registry.get(ev).verify(pair(p, q, semantics)).verdict is Verdict.UNKNOWN


def test_counts_may_stand_on_plain_joins_and_minimums_on_anything() -> None:
    same = "SELECT t.a, COUNT(*) AS n FROM t JOIN u ON t.a = u.a GROUP BY t.a"
    assert registry.get("equitas").is_valid(pair(same, same, SET))
    twice = "SELECT t.a, MIN(v.b) AS m FROM t JOIN t AS v ON t.a = v.a GROUP BY t.a"
    assert registry.get("equitas").is_valid(pair(twice, twice, SET))


def test_a_set_is_no_bag() -> None:
    p, q = "SELECT DISTINCT a FROM t", "SELECT DISTINCT x.a FROM t AS x JOIN t AS y ON x.a <=> y.a"
    assert registry.get("algebra").verify(pair(p, q, SET)).verdict is Verdict.EQUIVALENT
    plain = "SELECT x.a FROM t AS x JOIN t AS y ON x.a <=> y.a"
    asked = pair("SELECT a FROM t", plain, SET)
    assert registry.get("equitas").verify(asked).verdict is Verdict.EQUIVALENT
    asked = pair("SELECT a FROM t", plain, BAG)
    for name in ("equitas", "spes", "algebra"):
        assert registry.get(name).verify(asked).verdict is Verdict.UNKNOWN


def test_spes_is_complete_only_for_what_it_says() -> None:
    spes = registry.get("spes")
    asked = pair(COUNT, COUNT, BAG)
    assert spes.is_valid(asked)
    spes.relaxed = False
    assert not spes.is_valid(asked)
    assert spes.is_valid(pair(PLAIN, PLAIN, BAG))


PROVEN_BY = [
    # A selection moves below a join; the join turns round.
    (
        "udp wetune",
        "SELECT t.a FROM t JOIN u ON t.a = u.k WHERE t.b > 1",
        "SELECT x.a FROM u JOIN (SELECT a, b FROM t WHERE b > 1) AS x ON u.k = x.a",
    ),
    # A key, a foreign key, and what both make of a join.
    (
        "udp wetune",
        "SELECT x.a FROM u AS x JOIN u AS y ON x.k = y.k",
        "SELECT a FROM u",
    ),
    ("udp wetune", "SELECT f.x FROM f JOIN u ON f.k = u.k", "SELECT x FROM f"),
    # IN is EXISTS, and a join with a key.
    (
        "udp wetune",
        "SELECT a FROM t WHERE a IN (SELECT k FROM u)",
        "SELECT t.a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.a)",
    ),
    (
        "udp wetune",
        "SELECT a FROM t WHERE a IN (SELECT k FROM u)",
        "SELECT t.a FROM t, u WHERE t.a = u.k",
    ),
    # DISTINCT by containment both ways.
    (
        "udp wetune",
        "SELECT DISTINCT x.a FROM t AS x JOIN t AS y ON x.a = y.a",
        "SELECT DISTINCT a FROM t WHERE a = a",
    ),
    ("udp", "SELECT a FROM t EXCEPT SELECT k AS a FROM u", EXCEPT),
    # Unions, branch by branch.
    (
        "udp wetune",
        "SELECT a FROM t WHERE b > 1 UNION ALL SELECT k AS a FROM u",
        "SELECT k AS a FROM u UNION ALL SELECT a FROM t WHERE 1 < b",
    ),
    # The same aggregate of the same rows.
    (
        "udp wetune",
        "SELECT * FROM (SELECT a, SUM(b) AS n FROM t GROUP BY a) AS g WHERE a > 1",
        "SELECT a, SUM(b) AS n FROM t WHERE a > 1 GROUP BY a",
    ),
    (
        "udp",
        "SELECT t.a, COUNT(*) AS n FROM t JOIN u ON t.a = u.k GROUP BY t.a",
        "SELECT u.k, COUNT(*) AS n FROM t JOIN u ON t.a = u.k GROUP BY u.k",
    ),
    # Padding that nobody sees, and a parent that is always there.
    ("wetune", "SELECT f.x FROM f LEFT JOIN u ON f.k = u.k", "SELECT x FROM f"),
    (
        "wetune",
        "SELECT f.x, u.a FROM f LEFT JOIN u ON f.k = u.k",
        "SELECT f.x, u.a FROM u RIGHT JOIN f ON f.k = u.k",
    ),
    ("wetune", "SELECT f.x, u.a FROM f LEFT JOIN u ON f.k = u.k", INNER),
    ("wetune", "SELECT k FROM u WHERE k IS NOT NULL", "SELECT k FROM u"),
]


@pytest.mark.parametrize(
    ("ev", "p", "q"), [(ev, p, q) for evs, p, q in PROVEN_BY for ev in evs.split()]
)
def test_what_udp_and_wetune_prove(ev: str, p: str, q: str) -> None:
    asked = pair(p, q, BAG)
    assert registry.get(ev).verify(asked).verdict is Verdict.EQUIVALENT
    assert registry.get("algebra").verify(asked).verdict is Verdict.EQUIVALENT
    assert not differ(asked)


@pytest.mark.parametrize("ev", ["udp", "wetune"])
@pytest.mark.parametrize(
    ("p", "q"),
    [
        ("SELECT a FROM t WHERE a > 5", "SELECT a FROM t WHERE a >= 6"),
        ("SELECT a FROM t WHERE a = -b", "SELECT a FROM t WHERE b = -a"),
        ("SELECT a + b AS a FROM t", "SELECT b + a AS a FROM t"),
        ("SELECT a FROM t WHERE NOT a > 1", "SELECT a FROM t WHERE a <= 1"),
        (
            "SELECT a FROM t WHERE a = 1 OR a = 2",
            "SELECT a FROM t WHERE a = 1 UNION ALL SELECT a FROM t WHERE a = 2",
        ),
    ],
)
def test_arithmetic_order_and_counting_are_beyond_udp_and_wetune(ev: str, p: str, q: str) -> None:
    asked = pair(p, q, BAG)
    assert registry.get(ev).is_valid(asked)
    assert registry.get(ev).verify(asked).reason is Cause.NO_PROOF_FOUND
    assert registry.get("algebra").verify(asked).verdict is Verdict.EQUIVALENT


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ("SELECT a FROM t WHERE a < b", "SELECT a FROM t WHERE b < a"),
        ("SELECT a FROM t WHERE a < b", "SELECT a FROM t WHERE a <= b"),
        ("SELECT a - b AS a FROM t", "SELECT b - a AS a FROM t"),
        ("SELECT f.x FROM f JOIN u ON f.m = u.k", "SELECT x FROM f"),  # m may be null
        ("SELECT f.x FROM f JOIN u ON f.x = u.a", "SELECT x FROM f"),
        ("SELECT x.a FROM u AS x JOIN u AS y ON x.a = y.a", "SELECT a FROM u"),
        ("SELECT a FROM t WHERE a IN (SELECT a FROM u)", "SELECT t.a FROM t, u WHERE t.a = u.a"),
        ("SELECT DISTINCT a FROM t", "SELECT a FROM t"),
        ("SELECT a FROM t EXCEPT SELECT k AS a FROM u", EXCEPT.replace("DISTINCT", "")),
        ("SELECT f.x, u.a FROM f LEFT JOIN u ON f.m = u.k", INNER.replace("f.k", "f.m")),
        ("SELECT f.x FROM f LEFT JOIN u ON f.x = u.a", "SELECT x FROM f"),
    ],
)
def test_near_misses_are_proven_by_nobody(p: str, q: str) -> None:
    asked = pair(p, q, BAG)
    assert differ(asked)
    for name in registry.names():
        assert registry.get(name).verify(asked).verdict is Verdict.UNKNOWN, name


def differ(asked: QueryPair) -> bool:
    """Whether random instances tell the results apart."""
    sinks = asked.p.sinks[0], asked.q.sinks[0]
    refutation = Refutation.of(asked.p, asked.q, *sinks, asked.columns, asked.semantics)
    return any(first_difference(refutation, 60, seed) is not None for seed in (21, 22))


def test_udp_is_complete_for_a_bijection_between_unions_of_joins() -> None:
    udp = registry.get("udp")
    assert udp.is_valid(pair(COUNT, COUNT, BAG))
    udp.relaxed = False
    assert not udp.is_valid(pair(COUNT, COUNT, BAG))
    assert udp.is_valid(pair(PLAIN, "SELECT a FROM t", BAG))
    (why,) = udp.violations(pair("SELECT a FROM u", "SELECT x.a FROM u AS x, u AS y", BAG))
    assert why == "1 tables are read before but 2 after"


def test_monotonicity_follows_from_the_restrictions() -> None:
    assert registry.get("spes").monotonic
    for name in ("equitas", "udp", "wetune"):
        assert not registry.get(name).monotonic  # balance can be restored by a neighbor


def test_unknown_verifiers_are_named() -> None:
    with pytest.raises(UsageError, match="no verifier named 'nobody'; there are spes, equitas"):
        registry.get("nobody")


def test_the_solver_is_not_loaded_for_what_needs_none() -> None:
    code = (
        "import sys, veer.prove.verifiers.registry, veer.api; veer.prove.verifiers.registry.names(); "
        "sys.exit('z3' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_many_tables_alike_are_no_trouble() -> None:
    """Twelve rows of one table can be paired in 479 million ways: only some are looked at."""
    names = [f"t{i}" for i in range(12)]
    chain = [f"{a}.a = {b}.b" for a, b in pairwise(names)]
    tables = ", ".join(f"t AS {n}" for n in names)
    turned = ", ".join(f"t AS {n}" for n in reversed(names))
    p = f"SELECT t0.a FROM {tables} WHERE {' AND '.join(chain)}"
    q = f"SELECT t0.a FROM {turned} WHERE {' AND '.join(reversed(chain))}"
    ours, theirs = (read_sql(text, "CREATE TABLE t (a INT, b INT)") for text in (p, q))
    pair = QueryPair(ours, theirs, TableSemantics.BAG, ((0, 0),))
    assert registry.get("algebra").verify(pair).verdict is not Verdict.INEQUIVALENT
