"""Every application of every rewrite of the normal form, compared in and out by the interpreter.

python -m benchmarks passes [--data DIR] [--jobs] [--queries N] [--skip N] [--tables N] [--seed S] [--no-cases]

First the pairs of tests/cases and of DIR (calcite.jsonl and traps.jsonl), then random ones: of the
fuzzer, of the generators of tests, and stacks of operators, with choices and without.
"""

from __future__ import annotations

import argparse
import time
from itertools import islice
from pathlib import Path

from benchmarks.nets.corpora import job_pairs, own_pairs, pairs_of
from benchmarks.nets.passes import Passes, dataflows, random_dataflows

EVERY = 60  # seconds between lines of progress


def main(argv: list[str]) -> int:
    """Compare, print what is wrong and how often each rewrite was seen; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks passes", description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder with calcite.jsonl and traps.jsonl")
    parser.add_argument("--jobs", action="store_true", help="the PySpark jobs of tests/cases too")
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
    given += [dataflows(job_pairs())] if asked.jobs else []
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
