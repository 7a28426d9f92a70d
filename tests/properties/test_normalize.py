"""Normal forms give what the dataflows give: every possible result, in order.

VEER_SEED picks the dataflows, VEER_ROUNDS how many.
"""

from __future__ import annotations

import os
from random import Random

import pytest

from tests.generators.edits import BREAKING, KEEPING, edited, random_query
from tests.generators.stacks import Stacks
from veer.api import Comparison, Version, verify
from veer.errors import VeerError
from veer.functions.registry import Failure
from veer.interpreter import Program, Result, TooManyChoicesError, same_result
from veer.ir.dag import Dataflow
from veer.options import ColumnMatching
from veer.refute import Refutation, first_difference
from veer.refute.instances import Instances, Tables
from veer.rewrite.normalize import normalized
from veer.verdict import TableSemantics, Verdict

SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "8"))
PER_ROUND = 40
MOST = 200


def outcomes(dataflow: Dataflow, tables: Tables) -> list[Result]:
    """Every possible result, each once."""
    found: list[Result] = []
    for results in Program(dataflow).outcomes(tables, MOST):
        (one,) = results.values()
        if not any(same_result(one, other, TableSemantics.ORDERED_BAG) for other in found):
            found.append(one)
    return found


def agree(p: Dataflow, q: Dataflow, tables: Tables) -> bool | None:
    """Whether both give the same; None where a run fails or there are too many results."""
    try:
        ours, theirs = outcomes(p, tables), outcomes(q, tables)
    except (Failure, VeerError, TooManyChoicesError):
        return None
    return len(ours) == len(theirs) and all(
        any(same_result(one, other, TableSemantics.ORDERED_BAG) for other in theirs) for one in ours
    )


def attack(rng: Random, dataflow: Dataflow, about: object) -> int:
    """On how many small instances a dataflow and its normal form agree; they never differ."""
    normal = normalized(dataflow)
    assert normal.result_schema.types == dataflow.result_schema.types
    assert normalized(normal) is normal
    stream = Instances((dataflow,), rng.randrange(1000))
    count = 0
    for number in range(4):
        tables = {t: rows[:3] for t, rows in stream.make(number).items()}
        agreed = agree(dataflow, normal, tables)
        assert agreed is not False, (about, tables)
        count += agreed is True
    return count


@pytest.mark.parametrize("number", range(ROUNDS))
def test_normal_forms_of_queries_give_the_same(number: int) -> None:
    rng = Random(f"normalize {SEED} {number}")
    seen = 0
    for _ in range(PER_ROUND // 2):
        p = random_query(rng)
        found = None if p is None else edited(rng, p, rng.randint(1, 4))
        if p is not None and found is not None:
            seen += attack(rng, p, (SEED, number)) + attack(rng, found[0], (SEED, number, found[1]))
    assert seen


@pytest.mark.parametrize("chooses", [False, True])
@pytest.mark.parametrize("number", range(ROUNDS))
def test_normal_forms_of_stacks_give_the_same(number: int, chooses: bool) -> None:
    rng = Random(f"stack {SEED} {number} {chooses}")
    seen = 0
    for turn in range(PER_ROUND):
        dataflow = Stacks(rng, chooses=chooses).dataflow(rng.randint(2, 6))
        seen += attack(rng, dataflow, (SEED, number, turn))
    assert seen > PER_ROUND


@pytest.mark.parametrize("number", range(ROUNDS))
def test_stacks_that_are_changed_are_proven_only_if_no_instance_objects(number: int) -> None:
    rng = Random(f"changed {SEED} {number}")
    for turn in range(PER_ROUND // 4):
        p = Stacks(rng, chooses=rng.random() < 0.5).dataflow(rng.randint(2, 5))
        q = rng.choice((*BREAKING, *KEEPING))(rng, p)
        if q is None or p.result_schema.types != q.result_schema.types:
            continue
        asked = Comparison(columns=ColumnMatching.POSITION, budget=200_000)
        report = verify(Version("p", p, False), Version("q", q, False), asked)
        if report.verdict is Verdict.EQUIVALENT:
            columns = tuple((i, i) for i in range(len(p.result_schema)))
            sinks = p.sinks[0], q.sinks[0]
            attacked = Refutation.of(p, q, *sinks, columns, TableSemantics.BAG)
            assert first_difference(attacked, 60, seed=13) is None, (SEED, number, turn)
