"""Cut points, edits nobody can see, and facts: what they prove, and what they must not."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from benchmarks.support.large import pair
from veer.api import Comparison, Version, verify
from veer.assumptions import SameChoice
from veer.ir.dag import Dataflow, Link
from veer.ir.expr import Column, Compare, Literal, Named
from veer.ir.ops import Filter, Project, RowUdf, Sink, Source
from veer.ir.query_pair import operators_between
from veer.ir.schema import Field
from veer.ir.types import INT, STRING
from veer.options import ColumnMatching, SearchStrategy
from veer.read.sql import read_sql
from veer.refute import Refutation, first_difference
from veer.show.wording import reason_text
from veer.verdict import OBLIGATIONS, Report, TableSemantics, Verdict
from veer.verification.proof import Claim, ProofError, VerifierStep, query_pair
from veer.verification.search.simulation import Simulation

BAG, SET, ORDERED = TableSemantics.BAG, TableSemantics.SET, TableSemantics.ORDERED_BAG
STRATEGIES = tuple(SearchStrategy)
DDL = "CREATE TABLE t (a INT, b INT, c INT, d DOUBLE); CREATE TABLE u (a INT, x INT)"


def compared(p: Dataflow | str, q: Dataflow | str, **options: Any) -> Report:
    ours, theirs = (read_sql(s, DDL) if isinstance(s, str) else s for s in (p, q))
    versions = (Version("P", ours, False), Version("Q", theirs, False))
    report = verify(*versions, replace(Comparison(columns=ColumnMatching.POSITION), **options))
    if report.verdict is Verdict.EQUIVALENT:
        columns = tuple((i, i) for i in range(len(ours.result_schema)))
        semantics = report.semantics
        attacked = Refutation.of(ours, theirs, ours.sinks[0], theirs.sinks[0], columns, semantics)
        assert first_difference(attacked, 200, seed=31) is None
    return report


UNSEEN = {
    "an added column that is dropped": (
        "SELECT a, b FROM (SELECT a, b, c FROM t) AS x WHERE a > 1",
        "SELECT a, b FROM (SELECT a, b, c, a + c AS more FROM t) AS x WHERE a > 1",
    ),
    "a column that nobody reads is computed otherwise": (
        "SELECT a FROM (SELECT a, b + 1 AS n FROM t) AS x WHERE a > 1",
        "SELECT a FROM (SELECT a, b * 7 AS n FROM t) AS x WHERE a > 1",
    ),
    "columns in another order, read by name": (
        "SELECT a, b FROM (SELECT a, b FROM t) AS x WHERE a > b",
        "SELECT a, b FROM (SELECT b, a FROM t) AS x WHERE a > b",
    ),
    "a sort before an aggregate": (
        "SELECT a, COUNT(*) AS n FROM (SELECT a, b FROM t) AS x GROUP BY a",
        "SELECT a, COUNT(*) AS n FROM (SELECT a, b FROM t ORDER BY b) AS x GROUP BY a",
    ),
    "a distinct below a MIN": (
        "SELECT a, MIN(b) AS m FROM (SELECT a, b FROM t) AS x GROUP BY a",
        "SELECT a, MIN(b) AS m FROM (SELECT DISTINCT a, b FROM t) AS x GROUP BY a",
    ),
    "a distinct below a distinct, an outer join between": (
        "SELECT DISTINCT x.a, u.x FROM (SELECT a, b FROM t) AS x LEFT JOIN u ON x.b = u.a",
        "SELECT DISTINCT x.a, u.x FROM (SELECT DISTINCT a, b FROM t) AS x LEFT JOIN u ON x.b = u.a",
    ),
    "an aggregate that nobody reads": (
        "SELECT a FROM (SELECT a, MAX(b) AS m FROM t GROUP BY a) AS x",
        "SELECT a FROM (SELECT a, MIN(c) AS m FROM t GROUP BY a) AS x",
    ),
    "a window function that nobody reads": (
        "SELECT a, b FROM t WHERE a > 1",
        "SELECT a, b FROM (SELECT a, b, SUM(c) OVER (PARTITION BY b) AS s FROM t) AS x WHERE a > 1",
    ),
    "duplicates in the right side of a semi join": (
        "SELECT t.a FROM t LEFT SEMI JOIN (SELECT a FROM u) AS y ON t.a = y.a",
        "SELECT t.a FROM t LEFT SEMI JOIN (SELECT DISTINCT a FROM u) AS y ON t.a = y.a",
    ),
}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", UNSEEN)
def test_edits_nobody_can_see_need_no_verifier(name: str, strategy: SearchStrategy) -> None:
    report = compared(*UNSEEN[name], strategy=strategy)
    assert report.verdict is Verdict.EQUIVALENT, reason_text(report.sinks[0].reason)
    assert report.counts.ev_calls == 0
    (sink,) = report.sinks
    assert sink.windows and all(w.ev == OBLIGATIONS and w.used for w in sink.windows)
    assert "no value that is needed" in reason_text(sink.reason)


SEEN = {
    "an added column that is read": (
        "SELECT a, n FROM (SELECT a, b + 1 AS n FROM t) AS x",
        "SELECT a, n FROM (SELECT a, b * 7 AS n FROM t) AS x",
    ),
    "a column read by a filter only": (
        "SELECT a FROM (SELECT a, b + 1 AS n FROM t) AS x WHERE n > 3",
        "SELECT a FROM (SELECT a, b * 7 AS n FROM t) AS x WHERE n > 3",
    ),
    "a distinct below a COUNT": (
        "SELECT a, COUNT(b) AS m FROM (SELECT a, b FROM t) AS x GROUP BY a",
        "SELECT a, COUNT(b) AS m FROM (SELECT DISTINCT a, b FROM t) AS x GROUP BY a",
    ),
    "a distinct below a MIN and a SUM": (
        "SELECT a, MIN(b) AS m, SUM(b) AS s FROM (SELECT a, b FROM t) AS x GROUP BY a",
        "SELECT a, MIN(b) AS m, SUM(b) AS s FROM (SELECT DISTINCT a, b FROM t) AS x GROUP BY a",
    ),
    "columns crossed, the positions shown": (
        "SELECT * FROM (SELECT a, b FROM t) AS x",
        "SELECT * FROM (SELECT b, a FROM t) AS x",
    ),
    "a distinct on fewer columns": (
        "SELECT a, MIN(b) AS m FROM t GROUP BY a",
        "SELECT a, MIN(b) AS m FROM (SELECT a, MAX(b) AS b FROM t GROUP BY a) AS x GROUP BY a",
    ),
    "duplicates in the left side of a semi join": (
        "SELECT y.a FROM (SELECT a FROM t) AS y LEFT SEMI JOIN u ON u.a = y.a",
        "SELECT y.a FROM (SELECT DISTINCT a FROM t) AS y LEFT SEMI JOIN u ON u.a = y.a",
    ),
    "a key nobody reads still makes the groups": (
        "SELECT a FROM (SELECT a, b FROM t GROUP BY a, b) AS x",
        "SELECT a FROM (SELECT a, c FROM t GROUP BY a, c) AS x",
    ),
}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", SEEN)
def test_edits_somebody_sees_are_refuted(name: str, strategy: SearchStrategy) -> None:
    assert compared(*SEEN[name], strategy=strategy).verdict is Verdict.INEQUIVALENT


def test_an_order_that_counts_is_seen() -> None:
    p = "SELECT a FROM (SELECT a, b FROM t ORDER BY b) AS x"
    q = "SELECT a FROM (SELECT a, b FROM t ORDER BY c) AS x"
    assert compared(p, q, semantics=BAG).verdict is Verdict.EQUIVALENT
    assert compared(p, q, semantics=ORDERED).verdict is not Verdict.EQUIVALENT


def test_distinct_takes_one_zero_for_the_other() -> None:
    """-0.0 is a value of its own: a distinct is not without effect on doubles."""
    p, q = "SELECT a, d FROM t", "SELECT DISTINCT a, d FROM t"
    assert compared(p, q, semantics=SET).verdict is not Verdict.EQUIVALENT
    assert compared("SELECT a FROM t", "SELECT DISTINCT a FROM t", semantics=SET).verdict is (
        Verdict.EQUIVALENT
    )


# -- facts ---------------------------------------------------------------------------------------


def people(*ages: tuple[str, int] | None, between: str = "classify-1") -> Dataflow:
    """A filter, an opaque function, and perhaps another filter."""
    fields = (Field("age", INT), Field("name", STRING))
    chain: list[tuple[str, object]] = [("people", Source("people", fields))]
    for number, asked in enumerate(ages):
        if number == 1:
            adds = (Field("label", STRING),)
            chain.append(("udf", RowUdf(between, (Column("name", STRING),), adds)))
        if asked is not None:
            op, age = asked
            predicate = Compare(op, Column("age", INT), Literal(age, INT))
            chain.append((f"filter_{number}", Filter(predicate)))
    chain.append(("result", Sink("result")))
    ids = [i for i, _ in chain]
    links = [Link(a, b) for a, b in pairwise(ids)]
    return Dataflow(dict(chain), links)  # type: ignore[arg-type]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_papers_context_is_known(strategy: SearchStrategy) -> None:
    """`age < 50` below an operator no verifier supports makes `age < 55` above it redundant."""
    p, q = people(("<", 50), None), people(("<", 50), ("<", 55))
    report = compared(p, q, evs=("spes",), strategy=strategy)
    assert report.verdict is Verdict.EQUIVALENT, reason_text(report.sinks[0].reason)


def test_context_that_is_not_there_proves_nothing() -> None:
    p, q = people(("<", 60), None), people(("<", 60), ("<", 55))
    assert compared(p, q, evs=("spes",)).verdict is not Verdict.EQUIVALENT
    p, q = people(None, None), people(None, ("<", 55))
    assert compared(p, q, evs=("spes",)).verdict is not Verdict.EQUIVALENT


def leaf_facts(p: Dataflow, q: Dataflow, leaf: Claim, claim: Claim) -> list[str]:
    """The conditions the verifier is told about the leaves of a step."""
    asked = query_pair(VerifierStep(claim, (leaf,), "spes"), p, q)
    shown = set(operators_between(asked.p))
    return [
        str(op.predicate)
        for i, op in asked.p.operators.items()
        if isinstance(op, Filter) and i not in shown
    ]


def test_a_fact_of_one_side_only_is_not_assumed() -> None:
    p, q = people(("<", 50), ("<", 70)), people(("<", 55), ("<", 70))
    claim, leaf = Claim("filter_1", "filter_1", BAG), Claim("udf", "udf", BAG)
    assert not leaf_facts(p, q, leaf, claim)
    assert leaf_facts(p, p, leaf, claim)


def test_contradictory_facts_about_an_unread_column_prove_nothing() -> None:
    """Both sides know something of `age`, but the claim is about `name` alone."""
    p, q = people(("<", 10), None), people((">", 90), None)
    claim = Claim("udf", "udf", BAG, ((1, 1), (2, 2)))
    leaf = Claim("filter_0", "filter_0", BAG, ((1, 1),))
    assert not leaf_facts(p, q, leaf, claim)
    assert compared(p, q).verdict is not Verdict.EQUIVALENT


def test_a_leaf_that_is_too_weak_is_refused() -> None:
    p = people(("<", 50), ("<", 70))
    claim = Claim("filter_1", "filter_1", BAG)
    for weak in (
        Claim("udf", "udf", SET),
        Claim("udf", "udf", BAG, ((1, 1), (2, 2))),
        Claim("udf", "udf", BAG, ()),
    ):
        with pytest.raises(ProofError, match="too weak"):
            query_pair(VerifierStep(claim, (weak,), "spes"), p, p)
    some = Claim("filter_1", "filter_1", BAG, ((1, 1),))
    enough = Claim("udf", "udf", BAG, ((0, 0), (1, 1)))
    assert query_pair(VerifierStep(some, (enough,), "spes"), p, p).columns == ((1, 1),)


def test_a_key_that_groups_make_is_known_above_them() -> None:
    """Grouping again by what is a key already changes nothing."""
    text = "SELECT a, m FROM (SELECT a, MAX(b) AS m FROM t WHERE a IS NOT NULL GROUP BY a) AS x"
    report = compared(text, f"SELECT a, MIN(m) AS m FROM ({text}) AS y GROUP BY a")
    assert report.verdict is Verdict.EQUIVALENT
    assert not report.sinks[0].assumptions


# -- cut points ----------------------------------------------------------------------------------


@pytest.mark.parametrize("edits", [1, 5])
def test_calls_grow_with_edits_not_with_operators(edits: int) -> None:
    counts = []
    for operators in (100, 300):
        p, q = pair(operators, edits)
        report = verify(p, q)
        assert report.verdict is Verdict.EQUIVALENT
        counts.append(report.counts.ev_calls)
        for window in report.sinks[0].windows:
            assert window.used and window.claim
    assert counts[0] == counts[1] <= 2 * edits


def test_the_same_pair_gives_the_same_report() -> None:
    def shown() -> list[object]:
        p, q = pair(100, 5)
        (sink,) = verify(p, q).sinks
        return [(w.p, w.q, w.ev, w.answer, w.claim) for w in sink.windows]

    assert shown() == shown()


def test_no_edit_mapping_is_needed() -> None:
    """Other ids throughout: what is computed alike is found all the same."""
    p, q = pair(100, 3)
    names = {i: f"x{n}" for n, i in enumerate(reversed(q.dataflow.order))}
    renamed = Dataflow(
        {names[i]: op for i, op in q.dataflow.operators.items()},
        [Link(names[x.src], names[x.dst], x.port) for x in q.dataflow.links],
    )
    report = verify(p, Version("Q", renamed, False))
    assert report.verdict is Verdict.EQUIVALENT, reason_text(report.sinks[0].reason)


def test_an_edit_that_shows_one_level_up_is_looked_at_from_there() -> None:
    """The two filters differ, what the projection above makes of them does not."""
    p = "SELECT c + 1 AS n FROM (SELECT a, c FROM t WHERE c > 5) AS x WHERE c > 7"
    q = "SELECT c + 1 AS n FROM (SELECT a, c FROM t WHERE c > 6) AS x WHERE c > 7"
    report = compared(p, q)
    assert report.verdict is Verdict.EQUIVALENT
    assert compared(p, q.replace("c > 6", "c > 8")).verdict is Verdict.INEQUIVALENT


def test_simulation_says_where_signals_differ() -> None:
    p = read_sql("SELECT a, b FROM t WHERE a > 1", DDL)
    q = read_sql("SELECT a, b FROM t WHERE a > 1 AND b > 2", DDL)
    simulation = Simulation(p, q)
    (top,), (other,) = p.inputs["result"], q.inputs["result"]
    claim = Claim(top, other, BAG)
    assert not simulation.agree(claim)
    for tables in simulation.differing(claim):
        assert first_difference is not None and tables
    assert simulation.agree(Claim("t", "t", BAG))
    assert simulation.agree(replace(claim, columns=(), semantics=SET)) in (True, False)


def test_a_projection_that_names_a_column_twice_is_read_right() -> None:
    p = Dataflow(
        {
            "t": Source("t", (Field("a", INT), Field("b", INT))),
            "both": Project((Named("x", Column("a", INT)), Named("x", Column("b", INT)))),
            "one": Project((Named("y", Column("x", INT, 1)),)),
            "result": Sink("result"),
        },
        [Link("t", "both"), Link("both", "one"), Link("one", "result")],
    )
    crossed = Project((Named("x", Column("b", INT)), Named("x", Column("a", INT))))
    q = Dataflow({**p.operators, "both": crossed}, p.links)
    assert compared(p, q).verdict is Verdict.INEQUIVALENT
    alone = Project((Named("x", Column("b", INT)), Named("x", Column("b", INT))))
    assert compared(p, Dataflow({**p.operators, "both": alone}, p.links)).verdict is (
        Verdict.EQUIVALENT
    )


def test_two_choices_made_alike_stay_two() -> None:
    """Both branches are written alike; the edit in one does not make it the other's partner."""
    branch = "SELECT b, SUM(d) AS s FROM t WHERE a > 1 GROUP BY b"
    sorted_ = branch.replace("FROM t", "FROM (SELECT * FROM t ORDER BY c) AS o")
    p = f"SELECT x.s, y.s AS z FROM ({branch}) AS x JOIN ({branch}) AS y ON x.b = y.b"
    q = f"SELECT x.s, y.s AS z FROM ({sorted_}) AS x JOIN ({branch}) AS y ON x.b = y.b"
    report = compared(p, q)
    assert report.verdict is Verdict.EQUIVALENT, reason_text(report.sinks[0].reason)
    assert any(isinstance(a, SameChoice) for a in report.sinks[0].assumptions)


def test_a_union_in_another_order_needs_no_verifier() -> None:
    parts = ["SELECT a, b FROM t WHERE a > 1", "SELECT a, x FROM u", "SELECT c, a FROM t"]
    turned = [parts[2], parts[0], parts[1].replace("FROM u", "FROM (SELECT x, a FROM u) AS y")]
    p, q = (" UNION ALL ".join(some) for some in (parts, turned))
    report = compared(p, q)
    assert report.verdict is Verdict.EQUIVALENT, reason_text(report.sinks[0].reason)
    assert report.counts.ev_calls == 0
    twice = " UNION ALL ".join([parts[0], parts[0], parts[2]])
    assert compared(p, twice).verdict is Verdict.INEQUIVALENT
    once = " UNION ALL ".join([parts[0], parts[1], parts[1]])
    assert compared(p, once).verdict is Verdict.INEQUIVALENT
