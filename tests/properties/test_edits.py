"""Random edits: what keeps the meaning is never refuted, what breaks it is never proven.

VEER_SEED picks the queries, VEER_ROUNDS how many; the seed of a failure is in its message.
"""

from __future__ import annotations

import os
from dataclasses import replace
from random import Random

import pytest

from tests.generators.edits import BREAKING, edited, random_query
from veer.api import Comparison, Version, verify
from veer.ir.dag import Dataflow
from veer.options import ColumnMatching, SearchStrategy
from veer.refute import Refutation, first_difference
from veer.verdict import TableSemantics, Verdict

SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "8"))
PER_ROUND = 20
COMPARISON = Comparison(columns=ColumnMatching.POSITION, budget=400_000)


def some_strategy(rng: Random) -> Comparison:
    """Any of the strategies: none may be wrong."""
    return replace(COMPARISON, strategy=rng.choice((SearchStrategy.SWEEP, *SearchStrategy)))


def attack(p: Dataflow, q: Dataflow, about: object) -> None:
    """What was proven holds on instances the guard has not seen."""
    columns = tuple((i, i) for i in range(len(p.result_schema)))
    refutation = Refutation.of(p, q, p.sinks[0], q.sinks[0], columns, TableSemantics.BAG)
    for seed in (11, 12):
        assert first_difference(refutation, 40, seed) is None, about


@pytest.mark.parametrize("number", range(ROUNDS))
def test_edits_that_keep_the_meaning_are_never_refuted(number: int) -> None:
    rng = Random(f"keep {SEED} {number}")
    tried = 0
    for _ in range(PER_ROUND):
        p = random_query(rng)
        found = None if p is None else edited(rng, p, rng.randint(1, 3))
        if p is None or found is None:
            continue
        q, names = found
        tried += 1
        report = verify(Version("p", p, True), Version("q", q, True), some_strategy(rng))
        assert report.verdict is not Verdict.INEQUIVALENT, (SEED, number, names, report)
        if report.verdict is Verdict.EQUIVALENT:
            attack(p, q, (SEED, number, names, report))
    assert tried


@pytest.mark.parametrize("number", range(ROUNDS))
def test_edits_that_change_something_are_proven_only_if_no_instance_objects(number: int) -> None:
    """Dropping a redundant operator is no change; everything else must not be proven."""
    rng = Random(f"break {SEED} {number}")
    for _ in range(PER_ROUND):
        p = random_query(rng)
        edit = rng.choice(BREAKING)
        q = None if p is None else edit(rng, p)
        if p is None or q is None or p == q:
            continue
        report = verify(Version("p", p, True), Version("q", q, True), some_strategy(rng))
        if report.verdict is Verdict.EQUIVALENT:
            attack(p, q, (SEED, number, edit.__name__, report))


def test_every_random_query_equals_itself() -> None:
    rng = Random(f"same {SEED}")
    for _ in range(60):
        p = random_query(rng)
        if p is None:
            continue
        report = verify(Version("p", p, True), Version("q", p, True), COMPARISON)
        assert report.verdict is Verdict.EQUIVALENT, report
