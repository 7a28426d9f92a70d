"""Random whole queries: the interpreter gives the rows Spark gives.

VEER_SEED picks the queries, VEER_ROUNDS how many dozens of them.
"""

from __future__ import annotations

import os

import pytest

from tests.recorded import RecordedSpark
from tests.spark.flows import FlowTally, compare_round

pytestmark = pytest.mark.spark
SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "6"))


@pytest.mark.parametrize("number", range(ROUNDS))
def test_random_queries(recorded: RecordedSpark, number: int) -> None:
    seed = f"{SEED}/{number}"
    tally = FlowTally()
    compare_round(recorded, seed, 24, tally)
    print(f"seed {seed}: {tally.compared} queries, {tally.rows} rows, {tally.failures} failures")
    assert not tally.differences, f"seed {seed}\n" + "\n".join(tally.differences)
