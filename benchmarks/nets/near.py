"""Pairs that are nearly equal: those that are known not to be, and random ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

from benchmarks.nets.corpora import Pair, job_pairs, own_pairs, pairs_of, random_pairs
from benchmarks.nets.idioms import SCHEMA, Idioms
from tests.generators.edits import BREAKING, edited
from tests.generators.stacks import Stacks
from veer.errors import VeerError
from veer.ir.dag import Dataflow
from veer.read.sql import read_sql
from veer.refute import Refutation, first_difference
from veer.verdict import TableSemantics

INSTANCES = 150


def near_misses(data: Path | None, *, jobs: bool) -> Iterator[Pair]:
    """The pairs that are not to be proven."""
    pairs = [*own_pairs(), *(pairs_of(data) if data else ()), *(job_pairs() if jobs else ())]
    return (pair for pair in pairs if pair.is_near_miss)


def random_near(seed: object) -> Iterator[tuple[str, Dataflow, Dataflow, TableSemantics]]:
    """Random pairs that mean the same, or nearly: of the fuzzer, and stacks that were changed."""
    rng = Random(f"blind {seed}")
    written = random_pairs(f"blind {seed}")
    idioms = Idioms(Random(f"idioms blind {seed}"))
    number = 0
    while True:
        number += 1
        for _ in range(3):
            texts = idioms.near()
            with suppress(VeerError):
                one, two = (read_sql(text, SCHEMA) for text in texts)
                if texts[0] != texts[1]:
                    yield "\n".join(texts), one, two, TableSemantics.BAG
        pair = next(written)
        sides = pair.read()
        if len(sides) == 2:
            yield pair.name, sides[0], sides[1], pair.semantics
        p = Stacks(rng, chooses=rng.random() < 0.3).dataflow(rng.randint(2, 5))
        kept = edited(rng, p, rng.randint(1, 3))
        q = p if kept is None else kept[0]
        broken = rng.choice(BREAKING)(rng, q) if rng.random() < 0.8 else q
        if broken is not None:
            yield f"stack {seed} {number}", p, broken, TableSemantics.BAG


def refuted(p: Dataflow, q: Dataflow, semantics: TableSemantics) -> str:
    """An instance on which two dataflows differ, in words, if one is found."""
    columns = tuple((i, i) for i in range(len(p.result_schema)))
    attacked = Refutation.of(p, q, p.sinks[0], q.sinks[0], columns, semantics)
    tables = first_difference(attacked, INSTANCES, seed=17)
    return "" if tables is None else repr(dict(tables))
