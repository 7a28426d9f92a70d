"""Sessions without ANSI: the interpreter gives what Spark gives with `spark.sql.ansi.enabled=false`.

VEER_SEED picks the expressions, VEER_ROUNDS how many hundreds of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from tests.generators.conditions import Conditions, near_table
from tests.generators.expressions import Expressions, all_casts, templates_once
from tests.generators.mixed import MixedExpressions
from tests.generators.tables import wide_table
from tests.recorded import RecordedSpark
from tests.spark.batches import Tally, compare_expressions
from tests.spark.compare import register
from tests.spark.flows import FlowTally, compare_round
from tests.spark.test_functions import SCALAR_CASES
from tests.spark.test_random_expressions import report
from tests.spark.test_random_plans import compare_plans
from veer.settings import current, under

pytestmark = pytest.mark.spark
SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "1"))
ANSI = "spark.sql.ansi.enabled"


@pytest.fixture(autouse=True)
def without_ansi(as_the_installed_spark: None, recorded: RecordedSpark) -> Iterator[None]:
    """Both sides without ANSI, for one test."""
    recorded.conf.set(ANSI, "false")
    try:
        with under(replace(current(), ansi=False)):
            yield
    finally:
        recorded.conf.set(ANSI, "true")


def test_every_template(recorded: RecordedSpark) -> None:
    table = wide_table(Random(f"templates {SEED}"), 14)
    register(recorded, [table])
    tally = Tally()
    compare_expressions(recorded, table, templates_once(Random(SEED)), tally)
    report(tally, SEED)


def test_every_function(recorded: RecordedSpark) -> None:
    table = wide_table(Random(f"functions {SEED}"), 16)
    register(recorded, [table])
    tally = Tally()
    texts = [text for cases in SCALAR_CASES.values() for text in cases]
    compare_expressions(recorded, table, texts, tally, batch=150)
    report(tally, SEED)


def test_every_cast(recorded: RecordedSpark) -> None:
    table = wide_table(Random(f"casts {SEED}"), 20)
    register(recorded, [table])
    tally = Tally()
    compare_expressions(recorded, table, all_casts(), tally, batch=200)
    report(tally, SEED)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_random_expressions(recorded: RecordedSpark, number: int) -> None:
    seed = f"{SEED}/{number} legacy"
    random = Random(seed)
    table = wide_table(random, 12)
    register(recorded, [table])
    made = Expressions(random)
    texts = [made.any(random.choice((1, 1, 2, 3))) for _ in range(100)]
    tally = Tally()
    compare_expressions(recorded, table, texts, tally)
    report(tally, seed)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_random_mixed_types(recorded: RecordedSpark, number: int) -> None:
    seed = f"{SEED}/{number} legacy mixed"
    random = Random(seed)
    table = wide_table(random, 12)
    register(recorded, [table])
    made = MixedExpressions(random)
    tally = Tally()
    compare_expressions(
        recorded, table, [made.any(random.choice((0, 1))) for _ in range(200)], tally
    )
    report(tally, seed)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_random_conditions(recorded: RecordedSpark, number: int) -> None:
    seed = f"{SEED}/{number} legacy conditions"
    random = Random(seed)
    table = near_table(random, 25)
    register(recorded, [table])
    made = Conditions(random)
    tally = Tally()
    compare_expressions(recorded, table, [made.any() for _ in range(100)], tally)
    report(tally, seed)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_random_queries(recorded: RecordedSpark, number: int) -> None:
    tally = FlowTally()
    seed = f"{SEED}/{number} legacy"
    compare_round(recorded, seed, 24, tally)
    print(f"seed {seed}: {tally.compared} queries, {tally.rows} rows, {tally.failures} failures")
    assert not tally.differences, f"seed {seed}\n" + "\n".join(tally.differences)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_random_queries_of_mixed_types(recorded: RecordedSpark, number: int) -> None:
    tally = FlowTally()
    seed = f"{SEED}/{number} legacy mixed"
    compare_round(recorded, seed, 24, tally, mixed=True)
    print(f"seed {seed}: {tally.compared} queries, {tally.rows} rows, {tally.failures} failures")
    assert not tally.differences, f"seed {seed}\n" + "\n".join(tally.differences)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_random_queries_read_from_plans(recorded: RecordedSpark, number: int) -> None:
    with under(replace(current(), ansi=True)):  # a plan says itself what its expressions mean
        compare_plans(recorded.session(), f"{SEED} {number} legacy")
