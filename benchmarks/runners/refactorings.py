"""Refactored jobs: what is proven, refuted, and left unknown of two hundred pairs.

python -m benchmarks refactorings [--jobs FOLDER] [--only NAME,...] [--timeout SECONDS]
                              [--conf K=V ...] [--spark VERSION] [--replay]

The pairs of `tests/cases/refactorings` were written by people who had not seen Veer: half of them are
equivalent, half have one subtle error. Each is given to `veer verify` in a new process, without a JVM.
With `--replay` Spark runs both versions on the rows of `data.json` instead: they must agree where they
are expected to, and must not where they are not. Fails if a verdict is wrong.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.support.job_folders import expected, folders, verified
from benchmarks.support.replayed_jobs import replay

JOBS = Path(__file__).parents[2] / "tests" / "cases" / "refactorings"
VERDICTS = ("equivalent", "inequivalent", "unknown", "error")


def main(argv: list[str]) -> int:
    """Print a line for each pair and the figures of all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks refactorings")
    parser.add_argument("--jobs", type=Path, default=JOBS, help="a folder of job pairs")
    parser.add_argument("--only", default="", help="names of pairs, separated by commas")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for each pair")
    parser.add_argument("--conf", action="append", default=[], help="K=V, a setting of the session")
    parser.add_argument("--spark", help="the Spark whose meaning they have, such as 3.5")
    parser.add_argument("--replay", action="store_true", help="run them on Spark instead")
    asked = parser.parse_args(argv)
    pairs = folders(asked.jobs, asked.only)
    return replay(pairs) if asked.replay else _verify(pairs, _options(asked))


def _options(asked: argparse.Namespace) -> list[str]:
    """What is given to `veer verify` besides the pair."""
    options = ["--jvm", "never", "--timeout", str(asked.timeout)]
    for setting in asked.conf:
        options += ["--conf", setting]
    return options + (["--spark", asked.spark] if asked.spark else [])


def _verify(pairs: Sequence[Path], options: Sequence[str]) -> int:
    counts: Counter[tuple[str, str]] = Counter()
    times = []
    for folder in pairs:
        start = time.perf_counter()
        answer, reason = _verdict(folder, options)
        times.append(time.perf_counter() - start)
        counts[expected(folder), answer] += 1
        print(f"{folder.name:40} {answer:13} {times[-1]:6.1f} s  {reason[:120]}", flush=True)
    for wanted in ("equivalent", "inequivalent"):
        figures = ", ".join(f"{counts[wanted, v]} {v}" for v in VERDICTS)
        print(f"expected {wanted}: {figures}")
    print(f"median {median(times):.1f} s, longest {max(times):.1f} s")
    wrong = counts["equivalent", "inequivalent"] + counts["inequivalent", "equivalent"]
    return int(wrong > 0)


def _verdict(folder: Path, options: Sequence[str]) -> tuple[str, str]:
    """What the command says of a pair, and why; an error where it cannot be read."""
    done = verified(folder, *options)
    if done.returncode not in (0, 1, 2):
        return "error", done.stderr.strip()
    report = json.loads(done.stdout)
    left = (s["reason"] for s in report["sinks"] if s["verdict"] == "unknown")
    return report["verdict"], "; ".join(left)
