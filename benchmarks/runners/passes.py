"""Every application of every rewrite of the normal form, compared in and out by the interpreter.

python -m benchmarks passes [--data DIR] [--queries N] [--tables N] [--seed S] [--out DIR]

First the pairs of tests/cases and of DIR (calcite.jsonl and traps.jsonl), then random ones: of the
fuzzer, of the generators of tests, and stacks of operators, with choices and without.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

from benchmarks.nets.comparing import difference
from benchmarks.nets.corpora import Pair, own_pairs, pairs_of, random_pairs
from benchmarks.nets.observing import Passed, Seen, Spelled, Written, passes, rules, watched
from tests.generators.edits import random_query
from tests.generators.stacks import Stacks
from veer.errors import VeerError
from veer.model.dag import Dataflow
from veer.normalize.normalize import normalized
from veer.settings import SessionSettings, under

EVERY = 60  # seconds between lines of progress


class Passes:
    """What was seen so far: how often each rewrite was applied and changed something, and what is wrong."""

    def __init__(self, tables: int, seed: int) -> None:
        self.tables, self.seed = tables, seed
        self.applied: Counter[str] = Counter()
        self.changed: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._spelled: set[tuple[str, str]] = set()

    def normalize(self, name: str, dataflow: Dataflow, settings: SessionSettings) -> None:
        """Normalize a dataflow, and compare whatever is rewritten on the way."""
        seen: list[Seen] = []
        with under(settings):
            with watched(seen.append):
                try:
                    normalized(dataflow)
                except VeerError:
                    return
            for each in seen:
                if self._is_new(each):
                    found = difference(each, self.tables, self.seed)
                    if found:
                        self.wrong.append(f"{name}\n{found}")

    def _is_new(self, seen: Seen) -> bool:
        match seen:
            case Passed(name, before, after):
                self.applied[name] += 1
                self.changed[name] += before != after
            case Written(rules=by):
                self.applied.update(by.values())
                self.changed.update(by.values())
            case Spelled(name, before, after):
                self.applied[name] += 1
                self.changed[name] += before != after
                text = (name, repr((before, after)))
                if before == after or text in self._spelled:
                    return False
                self._spelled.add(text)
        return True

    @property
    def idle(self) -> list[str]:
        """The passes and rules that changed nothing so far."""
        return [name for name in (*passes(), *rules()) if not self.changed[name]]


def dataflows(pairs: Iterator[Pair]) -> Iterator[tuple[str, Dataflow, SessionSettings]]:
    """The queries of pairs, as far as they can be read."""
    for pair in pairs:
        for side, dataflow in zip("pq", pair.read(), strict=False):
            yield f"{pair.name} ({side})", dataflow, pair.settings


def random_dataflows(seed: int) -> Iterator[tuple[str, Dataflow, SessionSettings]]:
    """Random dataflows of all generators, without end."""
    rng = Random(f"passes {seed}")
    plain = SessionSettings()
    written = dataflows(random_pairs(f"{seed}"))
    number = 0
    while True:
        number += 1
        yield next(written)
        yield f"stack {seed} {number}", Stacks(rng).dataflow(rng.randint(2, 6)), plain
        choosing = Stacks(rng, chooses=True).dataflow(rng.randint(2, 6))
        yield f"choosing stack {seed} {number}", choosing, plain
        query = random_query(rng)
        if query is not None:
            yield f"query {seed} {number}", query, plain


def main(argv: list[str]) -> int:
    """Compare, print what is wrong and how often each rewrite was seen; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks passes", description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder with calcite.jsonl and traps.jsonl")
    parser.add_argument("--queries", type=int, default=2000, help="random ones")
    parser.add_argument("--skip", type=int, default=0, help="random ones seen before")
    parser.add_argument("--tables", type=int, default=12, help="instances of two kinds each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-cases", action="store_true", help="random ones alone")
    asked = parser.parse_args(argv)
    net = Passes(asked.tables, asked.seed)
    started = shown = time.monotonic()
    made = islice(random_dataflows(asked.seed), asked.skip, asked.skip + asked.queries)
    given = [] if asked.no_cases else [dataflows(own_pairs())]
    given += [dataflows(pairs_of(asked.data))] if asked.data else []
    count = 0
    for stream in (*given, made):
        for name, dataflow, settings in stream:
            before = len(net.wrong)
            net.normalize(name, dataflow, settings)
            count += 1
            for text in net.wrong[before:]:
                print(f"WRONG {text}\n", flush=True)
            if time.monotonic() - shown > EVERY:
                shown = time.monotonic()
                print(
                    f"{shown - started:7.0f} s  {count} dataflows, {len(net.wrong)} wrong",
                    flush=True,
                )
    print(f"{count} dataflows in {time.monotonic() - started:.0f} s\n")
    print(f"{'rewrite':<34}{'applied':>10}{'changed':>10}")
    for name in sorted(net.applied):
        print(f"{name:<34}{net.applied[name]:>10}{net.changed[name]:>10}")
    if net.idle:
        print(f"\nnever seen to change anything: {', '.join(net.idle)}")
    print(f"\n{len(net.wrong)} wrong")
    return 1 if net.wrong else 0
