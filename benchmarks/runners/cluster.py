"""Pairs over a standalone cluster of Spark: two workers beside one, results beside those of this machine.

python -m benchmarks cluster --data DIR [--pairs N] [--rounds N]

Each worker has one core. The pairs of `DIR/calcite.jsonl` are decided by `veer batch --master` in a new
process each time, one worker and two in turn; what connecting costs is measured by a batch of one pair
and shown apart. Fails if results differ from those of local processes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.support.standalone_cluster import standalone_cluster


def main(argv: list[str]) -> int:
    """Print the times and whether all results are the same."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks cluster")
    parser.add_argument("--data", type=Path, required=True, help="a folder with calcite.jsonl")
    parser.add_argument("--pairs", type=int, default=208)
    parser.add_argument("--rounds", type=int, default=2)
    asked = parser.parse_args(argv)
    lines = (asked.data / "calcite.jsonl").read_text().splitlines(keepends=True)[: asked.pairs]
    seconds: dict[int, list[float]] = {1: [], 2: []}
    starts: dict[int, list[float]] = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "pairs.jsonl").write_text("".join(lines))
        (folder / "one.jsonl").write_text(lines[0])
        local, taken = _batch(folder, "pairs.jsonl", "")
        print(f"{len(local)} pairs; this machine, two processes: {taken:.1f} s", flush=True)
        same = True
        for round_ in range(asked.rounds):
            for workers in (1, 2):
                place = folder / f"cluster-{round_}-{workers}"
                place.mkdir()
                with standalone_cluster(place, workers) as url:
                    starts[workers].append(_batch(folder, "one.jsonl", url)[1])
                    results, taken = _batch(folder, "pairs.jsonl", url)
                seconds[workers].append(taken)
                same = same and results == local
                print(
                    f"{workers} worker(s): {taken:.1f} s, same results: {results == local}",
                    flush=True,
                )
    one, two = (median(seconds[w]) - median(starts[w]) for w in (1, 2))
    print(
        f"without connecting ({median(starts[2]):.1f} s): {one:.1f} s and {two:.1f} s: {one / two:.2f} times"
    )
    print(f"with connecting: {median(seconds[1]) / median(seconds[2]):.2f} times")
    return 0 if same else 1


def _batch(folder: Path, pairs: str, url: str) -> tuple[dict[str, str], float]:
    """The verdicts of a batch, and how long it took."""
    out = folder / "results.jsonl"
    out.unlink(missing_ok=True)
    master = ("--master", url, "--master-conf", "spark.driver.host=127.0.0.1") if url else ()
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "veer", "batch", str(folder / pairs), "--out", str(out), *master],
        check=True,
        capture_output=True,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
    )
    taken = time.perf_counter() - start
    lines = map(json.loads, out.read_text().splitlines())
    return {line["id"]: line["verdict"] for line in lines}, taken
