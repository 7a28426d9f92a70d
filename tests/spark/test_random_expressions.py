"""Random expressions: the interpreter gives what Spark gives, fails where Spark fails.

VEER_SEED picks the expressions, VEER_ROUNDS how many hundreds of them.
"""

from __future__ import annotations

import os
from random import Random

import pytest

from tests.generators.conditions import Conditions, near_table
from tests.generators.expressions import Expressions, all_casts, templates_once
from tests.generators.tables import wide_table
from tests.recorded import RecordedSpark
from tests.spark.batches import Tally, compare_expressions
from tests.spark.compare import register

pytestmark = pytest.mark.spark
SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "6"))


def report(tally: Tally, seed: str) -> None:
    """Fail with every difference and the seed."""
    print(
        f"seed {seed}: {tally.compared} expressions, {tally.values} values, {tally.failures} failures"
    )
    assert not tally.differences, f"seed {seed}\n" + "\n".join(tally.differences)


def test_every_template(recorded: RecordedSpark) -> None:
    table = wide_table(Random(f"templates {SEED}"), 14)
    register(recorded, [table])
    tally = Tally()
    compare_expressions(recorded, table, templates_once(Random(SEED)), tally)
    report(tally, SEED)


def test_every_cast(recorded: RecordedSpark) -> None:
    table = wide_table(Random(f"casts {SEED}"), 20)
    register(recorded, [table])
    tally = Tally()
    compare_expressions(recorded, table, all_casts(), tally, batch=200)
    report(tally, SEED)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_random_expressions(recorded: RecordedSpark, number: int) -> None:
    seed = f"{SEED}/{number}"
    random = Random(seed)
    table = wide_table(random, 12)
    register(recorded, [table])
    made = Expressions(random)
    texts = [made.any(random.choice((1, 1, 2, 3))) for _ in range(100)]
    tally = Tally()
    compare_expressions(recorded, table, texts, tally)
    report(tally, seed)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_random_expressions_of_constants(recorded: RecordedSpark, number: int) -> None:
    """What is computed beforehand is what Spark computes."""
    seed = f"{SEED}/{number} constants"
    random = Random(seed)
    table = wide_table(random, 3)
    register(recorded, [table])
    made = Expressions(random, wrong=0.0, constants=0.95)
    tally = Tally()
    compare_expressions(recorded, table, [made.any(2) for _ in range(100)], tally)
    report(tally, seed)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_random_conditions(recorded: RecordedSpark, number: int) -> None:
    seed = f"{SEED}/{number} conditions"
    random = Random(seed)
    table = near_table(random, 25)
    register(recorded, [table])
    made = Conditions(random)
    tally = Tally()
    compare_expressions(recorded, table, [made.any() for _ in range(100)], tally)
    report(tally, seed)
