"""Near misses asked with nothing that attacks: none is proven.

VEER_SEED picks the pairs, VEER_ROUNDS how many; `python -m benchmarks blind` asks all of them.
"""

from __future__ import annotations

import os
from itertools import islice
from random import Random

import pytest

from benchmarks.nets.blind import filtered, proven, proven_dataflows, unattacked
from benchmarks.nets.corpora import NEAR, SAME, Pair, own_pairs
from benchmarks.nets.near import random_near, refuted
from tests.support import instances
from veer.functions.registry import Failure
from veer.interpreter import run_dataflow
from veer.ir.dag import Dataflow
from veer.read.sql import read_sql
from veer.rewrite.dataflows import count_collected
from veer.verdict import TableSemantics

SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "1"))
PER_ROUND = 8
SCHEMA = "CREATE TABLE t (a INT, b INT, s STRING)"
WRONG_ONCE = Pair(
    "NULL in a set",
    SCHEMA,
    "SELECT a, array_contains(collect_set(b), CAST(NULL AS INT)) AS c FROM t GROUP BY a",
    "SELECT a, count(CASE WHEN b = CAST(NULL AS INT) THEN 1 END) <> 0 AS c FROM t GROUP BY a",
    "inequivalent",
)


def test_every_pair_says_what_it_is() -> None:
    assert {pair.expect for pair in own_pairs()} <= {*SAME, *NEAR}


@pytest.mark.parametrize("behind_filters", [False, True])
def test_near_misses_are_not_proven(behind_filters: bool) -> None:
    rng = Random(f"blind {SEED}")
    near = [pair for pair in own_pairs() if pair.is_near_miss]
    for pair in rng.sample(near, min(len(near), ROUNDS * PER_ROUND)):
        by = proven(pair, behind_filters=behind_filters)
        assert not by, f"VEER_SEED={SEED}: {pair.name} is proven by {by}"


def test_random_pairs_are_proven_only_if_no_instance_objects() -> None:
    for name, p, q, semantics in islice(random_near(SEED), ROUNDS * PER_ROUND):
        if proven_dataflows(p, q, semantics, verifiers=False):
            assert not refuted(p, q, semantics), name


def test_what_holds_is_still_proven() -> None:
    pair = Pair("moved", SCHEMA, "SELECT a FROM t WHERE a > 1 AND b < 2",
                "SELECT a FROM (SELECT a, b FROM t WHERE b < 2) AS x WHERE a > 1")  # fmt: skip
    assert proven(pair, behind_filters=False) and proven(pair, behind_filters=True)


def test_a_rewrite_that_was_wrong_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not proven(WRONG_ONCE, behind_filters=True)
    monkeypatch.setattr(count_collected, "_is_value", lambda e: hasattr(e, "value"))
    assert proven(WRONG_ONCE, behind_filters=True) == "Veer"
    assert proven(WRONG_ONCE, behind_filters=False) == "Veer"


def test_nothing_is_run() -> None:
    flow: Dataflow = read_sql("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM t AS u)", SCHEMA)
    (tables,) = instances(flow, 1)
    with unattacked(), pytest.raises(Failure):
        run_dataflow(flow, tables)
    assert run_dataflow(flow, tables)["result"].rows == []
    assert len(filtered(flow).operators) == len(flow.operators) + 1


def test_sets_are_asked_as_sets() -> None:
    p, q = (read_sql(text, SCHEMA) for text in ("SELECT DISTINCT a FROM t", "SELECT a FROM t"))
    assert not proven_dataflows(p, q, TableSemantics.BAG)
    assert proven_dataflows(p, q, TableSemantics.SET)
