"""Near misses that are proven when nothing attacks the proof: none may be.

python -m benchmarks blind [--data DIR] [--random N] [--seed S]

Asked are the near misses of tests/cases and of DIR (traps.jsonl), as they stand and behind filters
that nobody can run; then random pairs, of which those that are proven so are attacked.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

from benchmarks.nets.blind import proven, proven_dataflows
from benchmarks.nets.corpora import Pair, own_pairs, pairs_of, random_pairs
from tests.generators.edits import BREAKING, edited
from tests.generators.stacks import Stacks
from veer.model.dag import Dataflow
from veer.refute import Refutation, first_difference
from veer.verdict import TableSemantics

EVERY = 60  # seconds between lines of progress
INSTANCES = 150


def near_misses(data: Path | None) -> Iterator[Pair]:
    """The pairs that are not to be proven."""
    pairs = [*own_pairs(), *(pairs_of(data) if data else ())]
    return (pair for pair in pairs if pair.is_near_miss)


def random_dataflows(seed: int) -> Iterator[tuple[str, Dataflow, Dataflow, TableSemantics]]:
    """Random pairs that mean the same, or nearly: of the fuzzer, and stacks that were changed."""
    rng = Random(f"blind {seed}")
    written = random_pairs(f"blind {seed}")
    number = 0
    while True:
        number += 1
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


def main(argv: list[str]) -> int:
    """Ask, print what is proven and must not be; 1 if anything is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks blind", description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder with calcite.jsonl and traps.jsonl")
    parser.add_argument("--random", type=int, default=300, help="random pairs")
    parser.add_argument("--skip", type=int, default=0, help="random pairs asked before")
    parser.add_argument("--no-cases", action="store_true", help="random ones alone")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(argv)
    started = shown = time.monotonic()
    count = wrong = equal = 0

    def tell() -> None:
        nonlocal shown
        if time.monotonic() - shown > EVERY:
            shown = time.monotonic()
            print(f"{shown - started:7.0f} s  {count} asked, {wrong} wrong", flush=True)

    for pair in () if asked.no_cases else near_misses(asked.data):
        for behind_filters in (False, True):
            count += 1
            by = proven(pair, behind_filters=behind_filters)
            if by:
                wrong += 1
                filters = " behind filters" if behind_filters else ""
                print(
                    f"WRONG {pair.name}: proven by {by}{filters}\n{pair.p}\n{pair.q}\n", flush=True
                )
            tell()
    print(f"{count} questions about near misses")
    made = islice(random_dataflows(asked.seed), asked.skip, asked.skip + asked.random)
    for name, p, q, semantics in made:
        count += 1
        if p.result_schema.types == q.result_schema.types:
            by = proven_dataflows(p, q, semantics, verifiers=False)
            equal += bool(by)
            tables = refuted(p, q, semantics) if by else ""
            if tables:
                wrong += 1
                print(f"WRONG {name}: proven by {by}, differ on {tables}\n", flush=True)
        tell()
    print(f"{asked.random} random pairs, {equal} of them proven and attacked")
    print(f"{count} asked in {time.monotonic() - started:.0f} s, {wrong} wrong")
    return 1 if wrong else 0
