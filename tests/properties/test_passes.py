"""Every application of every rewrite of the normal form, in and out, by the interpreter.

VEER_SEED picks the dataflows, VEER_ROUNDS how many; `python -m benchmarks passes` takes all of them.
"""

from __future__ import annotations

import os
from random import Random

import pytest

from benchmarks.nets import observing
from benchmarks.nets.corpora import Pair, own_pairs, random_pairs
from benchmarks.nets.passes import Passes, dataflows, random_dataflows
from tests.generators.stacks import SOURCES, Stacks
from veer.expressions.law import Simplify, law
from veer.expressions.laws import normal_node
from veer.ir.expr import Case, Expr, Literal
from veer.ir.ops import Sink
from veer.read.sql import read_sql
from veer.rewrite.dataflows import count_collected
from veer.rewrite.passes import RULES, Pass, every_pass
from veer.rewrite.rewriting import Rule
from veer.settings import SessionSettings

SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "1"))
PER_ROUND = 16
SCHEMA = "CREATE TABLE t (a INT, b INT, s STRING)"


def test_rewrites_of_random_queries_change_nothing() -> None:
    net = Passes(tables=3, seed=1)
    made = random_dataflows(SEED)
    for _ in range(ROUNDS * PER_ROUND):
        net.normalize(*next(made))
    assert not net.wrong, f"VEER_SEED={SEED}\n{net.wrong[0]}"
    assert sum(net.changed.values()) > ROUNDS * PER_ROUND


def test_rewrites_of_cases_change_nothing() -> None:
    rng = Random(f"cases {SEED}")
    own = list(own_pairs())
    chosen = rng.sample(own, min(len(own), ROUNDS * PER_ROUND))
    net = Passes(tables=3, seed=1)
    for given in dataflows(chosen):
        net.normalize(*given)
    assert not net.wrong, f"VEER_SEED={SEED}\n{net.wrong[0]}"


def wrong_of(text: str) -> list[str]:
    net = Passes(tables=6, seed=1)
    net.normalize(text, read_sql(text, SCHEMA), SessionSettings())
    return net.wrong


NULL_IN_A_SET = "SELECT a, array_contains(collect_set(b), CAST(NULL AS INT)) AS c FROM t GROUP BY a"


def test_a_pass_that_was_wrong_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not wrong_of(NULL_IN_A_SET)
    monkeypatch.setattr(count_collected, "_is_value", lambda e: isinstance(e, Literal))
    (first, *_) = wrong_of(NULL_IN_A_SET)
    assert "count_collected" in first


def test_a_rule_that_is_wrong_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "SELECT b FROM (SELECT DISTINCT a, b FROM t WHERE a > 1) AS x WHERE b > 2"
    assert not wrong_of(text)

    def keeps_all(rewriting, id_, operator, below):  # type: ignore[no-untyped-def]
        return below[0] if type(operator).__name__ == "Filter" else None

    rule: Pass[Rule] = Pass("", keeps_all)
    monkeypatch.setattr(observing, "RULES", (rule, *RULES))
    assert any("keeps_all at" in wrong for wrong in wrong_of(text))


def test_a_spelling_that_is_wrong_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "SELECT CASE WHEN a > 1 THEN b ELSE a END AS c FROM t"
    assert not wrong_of(text)

    @law("nothing that is true", Case)
    def without_else(expr: Expr, _: Simplify) -> Expr | None:
        """Wrong where no branch is taken."""
        assert isinstance(expr, Case)
        nothing = Literal(None, expr.type)
        return None if expr.otherwise == nothing else Case(expr.branches, nothing)

    monkeypatch.setattr(normal_node, "laws", (without_else, *normal_node.laws))
    monkeypatch.setattr(normal_node, "_by_node", {})
    assert any(wrong.splitlines()[1].startswith("without_else") for wrong in wrong_of(text))


def test_every_pass_is_watched() -> None:
    net = Passes(tables=1, seed=1)
    for text in (
        "SELECT a, sum(b) AS n FROM t GROUP BY a",
        "SELECT rank() OVER (PARTITION BY a ORDER BY b) AS n FROM t",
    ):
        net.normalize(text, read_sql(text, SCHEMA), SessionSettings())
    rules = {rule.name for rule in RULES}
    told = {each.name for each in every_pass() if each.name not in rules}
    assert told | {"merge_aggregate_calls"} <= {*net.applied}
    assert {each.name for each in every_pass()} >= {*net.idle}


def test_pairs_of_the_fuzzer_are_read() -> None:
    made = random_pairs(SEED)
    pairs: list[Pair] = [next(made) for _ in range(10)]
    assert sum(len(pair.read()) for pair in pairs) > 10


def test_one_of_duplicates_is_seen() -> None:
    net = Passes(tables=3, seed=1)
    for seed in range(12):
        stack = Stacks(Random(seed))
        kept = stack.deduplicate(stack.builder.add(SOURCES[0]))
        stack.builder.add(Sink("result"), kept, id_="result")
        net.normalize(f"duplicates {seed}", stack.builder.finish(), SessionSettings())
    assert not net.wrong
    assert 0 < net.changed["deduplicate_to_group"] < 12
