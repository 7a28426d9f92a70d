"""The profiles: what each may be asked, and that the solver loads only when somebody asks."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import pytest

from veer.dataflow.query_pair import QueryPair
from veer.errors import UsageError
from veer.evs import registry
from veer.frontends.sql import read_sql
from veer.verdict import TableSemantics, Verdict

SCHEMA = "CREATE TABLE t (a INT, b INT, s STRING); CREATE TABLE u (k INT NOT NULL, a INT, PRIMARY KEY (k))"
BAG, SET, ORDERED = TableSemantics.BAG, TableSemantics.SET, TableSemantics.ORDERED_BAG


def pair(p: str, q: str, semantics: TableSemantics) -> QueryPair:
    sides = read_sql(p, SCHEMA), read_sql(q, SCHEMA)
    columns = tuple((i, i) for i in range(len(sides[0].result_schema)))
    return QueryPair(*sides, semantics, columns)


PLAIN = "SELECT a FROM t WHERE b > 1"
LEFT = "SELECT t.a FROM t LEFT JOIN u ON t.a = u.a"
COUNT = "SELECT a, COUNT(*) AS n FROM t GROUP BY a"


@pytest.mark.parametrize(
    ("ev", "p", "q", "semantics", "why"),
    [
        ("equitas", PLAIN, PLAIN, BAG, "equitas proves set, bag is needed"),  # R1
        ("equitas", PLAIN, "SELECT a FROM t UNION ALL SELECT a FROM t", SET, "is a Union"),  # R2
        ("equitas", PLAIN, "SELECT a FROM t WHERE a * b > 1", SET, "is not linear"),  # R3
        ("equitas", LEFT, PLAIN, SET, "1 outer joins in P but 0 in Q"),  # R4
        ("equitas", PLAIN, "SELECT DISTINCT a FROM t", SET, "0 Aggregate in P but 1 in Q"),  # R5
        (
            "equitas",
            COUNT,
            "SELECT t.a, COUNT(*) AS n FROM t LEFT JOIN u ON t.a = u.k GROUP BY t.a",
            SET,
            "1 outer joins in Q",
        ),
        (
            "equitas",
            COUNT,
            "SELECT t.a, COUNT(*) AS n FROM t JOIN t AS v ON t.a = v.a GROUP BY t.a",
            SET,
            "counts over a table that is read twice",
        ),  # R6
        ("spes", PLAIN, PLAIN, ORDERED, "spes proves bag, ordered is needed"),
        ("spes", PLAIN, "SELECT a FROM t WHERE a IN (SELECT a FROM u)", BAG, "holds a subquery"),
        ("spes", PLAIN, "SELECT a FROM t ORDER BY a LIMIT 1", BAG, "is a Limit"),
    ],
)
def test_restrictions_give_their_reason(
    ev: str, p: str, q: str, semantics: TableSemantics, why: str
) -> None:
    found = list(registry.get(ev).violations(pair(p, q, semantics)))
    if "outer joins in Q" in why:
        assert any("1 in Q" in text for text in found) and found
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


def test_monotonicity_follows_from_the_restrictions() -> None:
    assert registry.get("spes").monotonic
    assert not registry.get("equitas").monotonic  # balance can be restored by a neighbor


def test_unknown_verifiers_are_named() -> None:
    with pytest.raises(UsageError, match="no verifier named 'nobody'; there are spes, equitas"):
        registry.get("nobody")


def test_the_solver_is_not_loaded_for_what_needs_none() -> None:
    code = (
        "import sys, veer.evs.registry, veer.api; veer.evs.registry.names(); "
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
    sides = [read_sql(text, "CREATE TABLE t (a INT, b INT)") for text in (p, q)]
    pair = QueryPair(*sides, TableSemantics.BAG, ((0, 0),))
    assert registry.get("algebra").verify(pair).verdict is not Verdict.INEQUIVALENT
