"""Windows and decompositions: what the algorithms enumerate is what the definitions say."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from veer.ir.dag import Dataflow
from veer.options import Optimization, SearchStrategy
from veer.prove.verifiers import registry
from veer.prove.verifiers.base import EV
from veer.read.sql import read_sql
from veer.verdict import TableSemantics
from veer.verification.proof import Claim, Proof, check
from veer.verification.search.attempts import Attempts
from veer.verification.search.paper.decomposition import (
    Decomposition,
    Options,
    WalkCounts,
    initial,
    maximal_covering_windows,
    merged,
    rank_decomposition,
    walk,
)
from veer.verification.search.paper.graph import PairGraph, bits
from veer.verification.search.paper.strategies import (
    Segmentation,
    Strategy,
    by_mcw_union,
    by_unsupported,
    edits_in,
    rank_segment,
    search,
)
from veer.verification.search.paper.window import Validity, Windows, connected
from veer.verification.search.whole import top_claim
from veer.verification.versions import VersionPair
from veer.verification.versions.mapping import EditMapping

SCHEMA = "CREATE TABLE t (a INT, b INT, c INT); CREATE TABLE u (a INT, k INT)"
BAG, SET = TableSemantics.BAG, TableSemantics.SET


def windows_of(
    p: Dataflow,
    q: Dataflow,
    *names: str,
    semantics: TableSemantics = BAG,
    mapping: EditMapping | None = None,
) -> tuple[Windows, Claim]:
    pair = VersionPair.of(p, q, stable_ids=False)
    if mapping is not None:
        pair = VersionPair(p, q, mapping)
    graph = PairGraph.of(pair, p.sinks[0], q.sinks[0])
    columns = tuple((i, i) for i in range(len(p.result_schema)))
    goal = Claim(p.sinks[0], q.sinks[0], semantics, columns)
    evs: list[EV] = [registry.get(name) for name in names]
    return Windows(graph, evs, top_claim(graph.p, graph.q, goal), Attempts()), goal


def random_pair(rng: Random) -> tuple[Dataflow, Dataflow]:
    """Two chains of filters, projections and an aggregate or limit, a few of them different."""
    steps = [
        rng.choice(
            (
                "SELECT * FROM ({}) AS x WHERE a > 1",
                "SELECT a + 1 AS a, b FROM ({}) AS x",
                "SELECT * FROM ({}) AS x WHERE b IS NOT NULL",
                "SELECT a, b FROM ({}) AS x ORDER BY a LIMIT 3",
                "SELECT a, MAX(b) AS b FROM ({}) AS x GROUP BY a",
            )
        )
        for _ in range(rng.randint(2, 4))
    ]
    other = list(steps)
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(other) + 1)
        if rng.random() < 0.5 and place < len(other) and len(other) > 1:
            del other[place]
        else:
            other.insert(place, "SELECT * FROM ({}) AS x WHERE b < 9")
    return made(steps), made(other)


def made(steps: list[str]) -> Dataflow:
    text = "SELECT a, b FROM t"
    for step in steps:
        text = step.format(text)
    return read_sql(text, SCHEMA)


def by_definition(windows: Windows) -> set[Decomposition]:
    """All sets of disjoint, connected, valid windows, each with an edit, that hold all edits."""
    graph = windows.graph
    edits = graph.edited
    every = [
        mask
        for mask in range(1, graph.everything + 1)
        if any(mask & e for e in edits) and connected(graph, mask) and windows.may_grow(mask)
    ]
    found: set[Decomposition] = set()
    for size in range(1, len(edits) + 1):
        for some in combinations(every, size):
            union = 0
            for mask in some:
                if union & mask:
                    break
                union |= mask
            else:
                if all(e & union for e in edits):
                    found.add(frozenset(some))
    return found


def by_merging(windows: Windows) -> tuple[set[Decomposition], set[Decomposition]]:
    """Everything reached by merging neighbors, and what cannot be merged further."""
    start = initial(windows.graph.edited)
    if not all(windows.may_grow(mask) for mask in start):
        return set(), set()
    seen, waiting, maximal = {start}, [start], set()
    while waiting:
        current = waiting.pop()
        larger = {d for m in current for d in merged(windows, current, m, windows.graph.everything)}
        if not larger:
            maximal.add(current)
        waiting += larger - seen
        seen |= larger
    return seen, maximal


@pytest.mark.parametrize("number", range(40))
def test_all_decompositions_are_reached(number: int) -> None:
    p, q = random_pair(Random(f"windows {number}"))
    windows, _ = windows_of(p, q, "spes")
    edits = windows.graph.edited
    if len(windows.graph.nodes) > 9 or not edits or any(e & windows.unsupported for e in edits):
        return
    defined = by_definition(windows)
    reached, maximal = by_merging(windows)
    assert reached == defined
    contained = {
        d
        for d in defined
        if any(d != e and all(any(w & v == w for v in e) for w in d) for e in defined)
    }
    assert maximal == defined - contained


@pytest.mark.parametrize("number", range(25))
def test_maximal_covering_windows(number: int) -> None:
    p, q = random_pair(Random(f"mcw {number}"))
    windows, _ = windows_of(p, q, "spes")
    graph = windows.graph
    for edit in graph.edited:
        if edit & windows.unsupported or len(graph.nodes) > 10:
            continue
        valid = [
            m
            for m in range(1, graph.everything + 1)
            if m & edit and connected(graph, m) and windows.is_valid(m)
        ]
        defined = {m for m in valid if not any(m != n and m & n == m for n in valid)}
        assert maximal_covering_windows(windows, edit, graph.everything) == defined


@pytest.mark.parametrize("number", range(25))
def test_validity_by_bits_is_validity_by_restrictions(number: int) -> None:
    p, q = random_pair(Random(f"valid {number}"))
    for name in ("spes", "equitas", "algebra"):
        windows, _ = windows_of(p, q, name)
        graph, ev = windows.graph, windows.evs[0]
        validity = Validity(graph, ev)
        for mask in range(1, min(graph.everything, 400) + 1):
            sides = (graph.p, graph.p_ids(mask), graph.q, graph.q_ids(mask))
            said = all(next(r.violations_in(*sides), None) is None for r in ev.active)
            assert validity.is_valid(mask) == said
            if said:
                assert validity.may_grow(mask)


@pytest.mark.parametrize("number", range(20))
def test_strategies_agree(number: int) -> None:
    """Every combination of optimizations proves what the others prove, and proofs are checked."""
    p, q = random_pair(Random(f"agree {number}"))
    found = set()
    for strategy in (
        Strategy.named(SearchStrategy.BASELINE),
        Strategy.named(SearchStrategy.PLUS),
        Strategy.named(SearchStrategy.PLUS, (Optimization.SEGMENT,)),
        Strategy.named(SearchStrategy.PLUS, (Optimization.PRUNE,)),
        Strategy.named(SearchStrategy.PLUS, (Optimization.RANK,)),
        Strategy(Segmentation.BY_MCW_UNION, Options(prune=True, rank=True)),
    ):
        windows, goal = windows_of(p, q, "spes", "algebra")
        if not windows.graph.edited:
            return
        outcome = search(windows, goal, strategy, WalkCounts())
        if outcome.proof is not None:
            check(outcome.proof, windows.graph.p, windows.graph.q, goal, windows.attempts.answer)
        found.add(outcome.proof is not None)
    assert len(found) == 1


# -- the paper's examples ------------------------------------------------------------------------

PROJECT_FIRST = "SELECT DISTINCT a FROM (SELECT a FROM t) AS x WHERE a > 1"
DISTINCT_FIRST = "SELECT a FROM (SELECT DISTINCT a FROM t) AS x WHERE a > 1"


def ids(dataflow: Dataflow, kind: str) -> str:
    return next(i for i in dataflow.order if type(dataflow.operators[i]).__name__ == kind)


def test_a_restriction_that_is_not_monotonic() -> None:
    """Project mapped onto Aggregate: with one filter the window is invalid, with all it is not."""
    p, q = read_sql(PROJECT_FIRST, SCHEMA), read_sql(DISTINCT_FIRST, SCHEMA)
    pairs = {
        (ids(p, "Source"), ids(q, "Source")),
        (ids(p, "Project"), ids(q, "Aggregate")),
        (ids(p, "Filter"), ids(q, "Filter")),
        (ids(p, "Aggregate"), ids(q, "Project")),
        ("result", "result"),
    }
    windows, goal = windows_of(
        p, q, "equitas", semantics=SET, mapping=EditMapping(frozenset(pairs))
    )
    graph = windows.graph
    project, filter_ = graph.of_p[ids(p, "Project")], graph.of_p[ids(p, "Filter")]
    assert not windows.is_valid(1 << project | 1 << filter_)
    outcome = search(windows, goal, Strategy.named(SearchStrategy.BASELINE), WalkCounts())
    assert isinstance(outcome.proof, Proof)
    assert check(outcome.proof, p, q, goal, windows.attempts.answer) == ()


def test_another_mapping_helps() -> None:
    """M1 ties a filter to a limit, which Equitas cannot take; M2 leaves both unmapped."""
    p = read_sql("SELECT a FROM (SELECT a FROM t WHERE a > 1) AS x WHERE a > 0", SCHEMA)
    q = read_sql("SELECT a FROM (SELECT a FROM t WHERE a > 1) AS x", SCHEMA)
    filters = [i for i in p.order if type(p.operators[i]).__name__ == "Filter"]
    (only,) = [i for i in q.order if type(q.operators[i]).__name__ == "Filter"]
    for chosen in filters:
        pairs = {(ids(p, "Source"), ids(q, "Source")), (chosen, only), ("result", "result")}
        windows, goal = windows_of(
            p, q, "spes", semantics=BAG, mapping=EditMapping(frozenset(pairs))
        )
        assert (
            search(windows, goal, Strategy.named(SearchStrategy.PLUS), WalkCounts()).proof
            is not None
        )


def test_overlapping_windows_prove_nothing() -> None:
    """After the paper's section 5.1: two windows that overlap are equivalent, the pair is not."""
    p = read_sql("SELECT a + 1 AS a FROM (SELECT a FROM t WHERE a > 5) AS x", SCHEMA)
    q = read_sql("SELECT a FROM (SELECT a + 1 AS a FROM t) AS x WHERE a > 5", SCHEMA)
    for names in (("equitas",), ("spes",), ("spes", "equitas", "algebra")):
        for semantics in (SET, BAG):
            for strategy in (SearchStrategy.BASELINE, SearchStrategy.PLUS):
                windows, goal = windows_of(p, q, *names, semantics=semantics)
                assert search(windows, goal, Strategy.named(strategy), WalkCounts()).proof is None


def test_sets_are_not_used_where_duplicates_count() -> None:
    """Equitas could show the filter part as a set; a count above needs a bag."""
    p = read_sql("SELECT COUNT(*) AS n FROM (SELECT a FROM t) AS x", SCHEMA)
    q = read_sql("SELECT COUNT(*) AS n FROM (SELECT DISTINCT a FROM t) AS x", SCHEMA)
    for strategy in (SearchStrategy.BASELINE, SearchStrategy.PLUS):
        windows, goal = windows_of(p, q, "equitas", semantics=SET)
        assert search(windows, goal, Strategy.named(strategy), WalkCounts()).proof is None


# -- segments and ranks --------------------------------------------------------------------------


def test_segments_end_at_unsupported_operators() -> None:
    text = "SELECT a FROM (SELECT a FROM t WHERE {} ORDER BY a LIMIT 5) AS x WHERE {}"
    p = read_sql(text.format("a > 1", "a > 2"), SCHEMA)
    q = read_sql(text.format("NOT a <= 1", "NOT a <= 2"), SCHEMA)
    windows, goal = windows_of(p, q, "spes")
    made_of = by_unsupported(windows)
    assert sum(1 for s in made_of if edits_in(s, windows.graph.edited)) == 2
    assert len(by_mcw_union(windows)) == 2
    walk_counts = WalkCounts()
    assert search(windows, goal, Strategy.named(SearchStrategy.PLUS), walk_counts).proof is not None
    for segment in made_of:
        assert not segment & windows.unsupported
        assert all(connected(windows.graph, segment) for _ in bits(segment))


def test_ranks() -> None:
    assert rank_segment(0b1111, (0b0001, 0b10000)) == 5
    assert rank_decomposition(frozenset({0b11, 0b100}), 12) == 1.5 - 9
    assert rank_decomposition(frozenset({0b111}), 12) > rank_decomposition(frozenset({0b1}), 12)


def test_a_budget_ends_the_walk() -> None:
    p, q = random_pair(Random("windows 1"))
    windows, _ = windows_of(p, q, "spes")
    walk_counts = WalkCounts()
    walk(
        windows,
        windows.graph.edited,
        windows.graph.everything,
        Options(decompositions=1),
        walk_counts,
    )
    assert walk_counts.decompositions <= 1
