"""Near misses that are proven when nothing attacks the proof: none may be.

python -m benchmarks blind [--data DIR] [--jobs] [--random N] [--seed S]

Asked are the near misses of tests/cases and of DIR (traps.jsonl), as they stand and behind filters
that nobody can run; then random pairs, of which those that are proven so are attacked.
"""

from __future__ import annotations

import argparse
import time
from itertools import islice
from pathlib import Path

from benchmarks.nets.blind import proven, proven_dataflows
from benchmarks.nets.near import near_misses, random_near, refuted

EVERY = 60  # seconds between lines of progress


def main(argv: list[str]) -> int:
    """Ask, print what is proven and must not be; 1 if anything is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks blind", description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder with calcite.jsonl and traps.jsonl")
    parser.add_argument("--jobs", action="store_true", help="the PySpark jobs of tests/cases too")
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

    for pair in () if asked.no_cases else near_misses(asked.data, jobs=asked.jobs):
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
    made = islice(random_near(asked.seed), asked.skip, asked.skip + asked.random)
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
