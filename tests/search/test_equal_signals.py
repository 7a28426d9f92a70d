"""Signals of rewritten versions that take the same values: what is proven from the sources upwards."""

from __future__ import annotations

import pytest

from veer.api import Version, verify
from veer.ir.dag import Dataflow
from veer.ir.json import to_json
from veer.prove.verifiers import registry
from veer.read.sql import read_sql
from veer.refute import Refutation, first_difference
from veer.rewrite.normalize import normalized
from veer.verdict import TableSemantics, Verdict
from veer.verification.proof import Claim, Proof, check
from veer.verification.search.attempts import Attempts
from veer.verification.search.sweep import Sweep
from veer.verification.versions import VersionPair

DDL = """
CREATE TABLE t (id INT NOT NULL PRIMARY KEY, a INT, b INT, c INT);
CREATE TABLE u (a INT, x INT);
CREATE TABLE v (k INT NOT NULL PRIMARY KEY, name STRING)
"""
GROUPED = "SELECT a, SUM(b) AS s, COUNT(*) AS n FROM t WHERE c > 1 GROUP BY a"
EQUAL = {
    "joins in another order": (
        "SELECT t.id, u.x, v.name FROM t JOIN u ON t.a = u.a JOIN v ON t.b = v.k WHERE u.x > 2",
        "SELECT y.id, y.x, y.name FROM (SELECT t.id, v.name, u.x FROM v JOIN t ON v.k = t.b"
        " JOIN (SELECT * FROM u WHERE 2 < x) AS u ON u.a = t.a) AS y",
    ),
    "a part computed twice, once in the other": (
        f"WITH g AS ({GROUPED}) SELECT g.a, g.s, h.n FROM g JOIN g AS h ON g.a = h.a WHERE h.n > 1",
        f"SELECT g.a, g.s, h.n FROM ({GROUPED}) AS g JOIN (SELECT COUNT(1) AS n, a FROM t"
        " WHERE NOT (c <= 1) GROUP BY a) AS h ON h.a = g.a WHERE h.n >= 2",
    ),
    "columns with other names in other places below an aggregate": (
        "SELECT x, SUM(s) AS s FROM (SELECT u.x, t.b AS s FROM t JOIN u ON t.a = u.a WHERE t.c = 3)"
        " GROUP BY x",
        "SELECT k, SUM(w) AS s FROM (SELECT t.b AS w, u.x AS k FROM u JOIN t ON u.a = t.a"
        " WHERE 3 = t.c) GROUP BY k",
    ),
    "an aggregate above, a filter below": (
        "SELECT a, s FROM (SELECT a, b, SUM(c) AS s FROM t GROUP BY a, b) WHERE a > 2 AND s > 5",
        "SELECT a, s FROM (SELECT b, a, SUM(c) AS s FROM (SELECT * FROM t WHERE 2 < a) GROUP BY b, a)"
        " WHERE s > 5",
    ),
}
DIFFERENT = {
    "joins in another order, another bound": (
        EQUAL["joins in another order"][0],
        EQUAL["joins in another order"][1].replace("2 < x", "2 <= x"),
    ),
    "a part computed twice, without its filter": (
        EQUAL["a part computed twice, once in the other"][0],
        EQUAL["a part computed twice, once in the other"][1].replace("NOT (c <= 1)", "NOT (c < 1)"),
    ),
    "a filter above that says less": (
        EQUAL["an aggregate above, a filter below"][0],
        EQUAL["an aggregate above, a filter below"][1].replace("2 < a", "3 < a"),
    ),
}


def proof_of(p: Dataflow, q: Dataflow) -> Proof | None:
    """A checked proof from the sources upwards alone."""
    bag = TableSemantics.BAG
    columns = tuple((i, i) for i in range(len(p.result_schema)))
    goal = Claim(p.sinks[0], q.sinks[0], bag, columns)
    attempts = Attempts()
    sweep = Sweep(VersionPair.of(p, q, stable_ids=False), bag, [registry.get("algebra")])
    proof = sweep.prove_from_sources(goal, attempts, lambda _: None)
    if not isinstance(proof, Proof):
        return None
    check(proof, p, q, goal, attempts.answer)
    return proof


@pytest.mark.parametrize("name", EQUAL)
def test_what_is_equal_again_is_proven(name: str) -> None:
    p, q = (read_sql(text, DDL) for text in EQUAL[name])
    assert proof_of(p, q) is not None
    columns = tuple((i, i) for i in range(len(p.result_schema)))
    attacked = Refutation.of(p, q, p.sinks[0], q.sinks[0], columns, TableSemantics.BAG)
    assert first_difference(attacked, 200, seed=31) is None


@pytest.mark.parametrize("name", DIFFERENT)
def test_near_misses_are_not(name: str) -> None:
    assert proof_of(*(read_sql(text, DDL) for text in DIFFERENT[name])) is None


def test_a_budget_ends_the_search() -> None:
    parts = " UNION ALL ".join(
        f"SELECT a FROM t WHERE b > 1 AND {part}" for part in ("c > 0", "NOT c > 0", "c IS NULL")
    )
    p, q = (read_sql(text, DDL) for text in ("SELECT a FROM t WHERE b > 1", parts))
    assert proof_of(p, q) is not None  # but not by normal forms alone
    columns = tuple((i, i) for i in range(len(p.result_schema)))
    goal = Claim(p.sinks[0], q.sinks[0], TableSemantics.BAG, columns)
    sweep = Sweep(VersionPair.of(p, q, stable_ids=False), goal.semantics, [registry.get("algebra")])
    attempts = Attempts(budget=100)
    assert not isinstance(sweep.prove_from_sources(goal, attempts, lambda _: None), Proof)
    assert not attempts.windows  # nobody was asked


def test_the_search_leaves_the_versions_as_they_are() -> None:
    p, q = (read_sql(text, DDL) for text in EQUAL["an aggregate above, a filter below"])
    before = to_json(normalized(p)), to_json(normalized(q))
    proof_of(p, q)
    assert (to_json(normalized(p)), to_json(normalized(q))) == before


def loaded(text: str) -> Version:
    return Version(text, read_sql(text, DDL), False)


def test_sinks_beside_others_are_proven() -> None:
    """The normal form of a version depends on all its sinks, and the proof of each is about it."""
    old = (
        "CREATE TABLE o1 AS SELECT DISTINCT a FROM t WHERE b > 1;"
        "CREATE TABLE o2 AS SELECT t.b, COUNT(*) AS n FROM t JOIN u ON t.a = u.a WHERE t.b > 1 AND u.x = 2"
        " GROUP BY t.b"
    )
    new = (
        "CREATE TABLE o1 AS SELECT a FROM (SELECT * FROM t WHERE 1 < b) GROUP BY a;"
        "CREATE TABLE o2 AS SELECT b, COUNT(*) AS n FROM u JOIN t ON u.a = t.a WHERE x = 2 GROUP BY b"
        " HAVING b >= 2"
    )
    report = verify(loaded(old), loaded(new))
    assert [sink.verdict for sink in report.sinks] == [Verdict.EQUIVALENT, Verdict.EQUIVALENT]
    wrong = new.replace("b >= 2", "b >= 3")
    report = verify(loaded(old), loaded(wrong))
    assert [sink.verdict for sink in report.sinks] == [Verdict.EQUIVALENT, Verdict.INEQUIVALENT]


def test_what_is_shown_of_one_sink_proves_another() -> None:
    """An answer about a signal that two sinks read is one that both proofs rest on."""
    ddl = DDL + ";CREATE TABLE e (k INT NOT NULL, n INT NOT NULL, s STRING, PRIMARY KEY (k, n))"
    last = "(SELECT k, s FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC) AS r FROM e) WHERE r = 1)"
    kept = "u.x IS NULL OR NOT u.x IN (1, 2)"
    old = (
        f"CREATE TABLE o1 AS SELECT u.a, y.s FROM u LEFT JOIN {last} AS y ON u.a = y.k WHERE {kept};"
        f"CREATE TABLE o2 AS SELECT u.a, u.x, y.s FROM u LEFT JOIN {last} AS y ON u.a = y.k WHERE {kept}"
    )
    greatest = "(SELECT k, MAX(STRUCT(n, s)) AS m FROM e GROUP BY k)"
    spelled = "COALESCE(u.x NOT IN (1, 2), TRUE)"
    new = (
        f"CREATE TABLE o1 AS SELECT u.a, m.s FROM u LEFT JOIN {greatest} AS y ON u.a = y.k WHERE {spelled};"
        f"CREATE TABLE o2 AS SELECT u.a, u.x, m.s FROM {greatest} AS y RIGHT JOIN u ON u.a = y.k WHERE {spelled}"
    )
    p, q = (Version(text, read_sql(text, ddl), False) for text in (old, new))
    report = verify(p, q)
    assert [sink.verdict for sink in report.sinks] == [Verdict.EQUIVALENT, Verdict.EQUIVALENT]


def test_what_was_asked_for_one_sink_is_at_hand_for_another() -> None:
    """A proof may rest on what was proven before; its checker asks for the answers of that too."""
    text = (
        "CREATE TABLE x AS SELECT a, b FROM t WHERE {0};"
        "CREATE TABLE y AS SELECT a, COUNT(*) AS n FROM t WHERE {0} GROUP BY a"
    )
    p, q = (normalized(read_sql(text.format(c), DDL)) for c in ("b * 2 > 4", "b + b > 4"))
    evs = [registry.get("algebra")]
    signals = Sweep(VersionPair.of(p, q, stable_ids=False), TableSemantics.BAG, evs).equal_signals
    for sink in ("x", "y"):
        goal, attempts = Claim(sink, sink, TableSemantics.BAG, ((0, 0), (1, 1))), Attempts()
        proof = signals.prove(goal, attempts, lambda _: None)
        assert isinstance(proof, Proof)
        check(proof, p, q, goal, attempts.answer)
