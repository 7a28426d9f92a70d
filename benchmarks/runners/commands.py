"""Jobs through the front door: `veer verify old.py:build new.py:build` in a new process each.

python -m benchmarks commands [--jobs FOLDER] [--only NAME,...]

FOLDER holds one folder for each pair: `old.py`, `new.py` with the line `# expect: VERDICT`, and
`schema.sql`. Fails if a verdict is wrong; an unknown one is only counted.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path

from benchmarks.support.job_folders import expected, folders, verified

JOBS = Path(__file__).parents[2] / "tests" / "cases" / "string_jobs"


def main(argv: list[str]) -> int:
    """Print a line for each pair and the figures of all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks commands")
    parser.add_argument("--jobs", type=Path, default=JOBS, help="a folder of job pairs")
    parser.add_argument("--only", default="", help="names of pairs, separated by commas")
    asked = parser.parse_args(argv)
    counts: Counter[str] = Counter()
    for folder in folders(asked.jobs, asked.only):
        start = time.perf_counter()
        answer, reason = verdict(folder)
        wanted = expected(folder)
        judged = "unknown" if answer == "unknown" else "right" if answer == wanted else "wrong"
        counts[judged] += 1
        seconds = time.perf_counter() - start
        print(
            f"{folder.name:24} {answer:13} {judged:8} {seconds:6.1f} s  {reason[:120]}", flush=True
        )
    print(", ".join(f"{counts[k]} {k}" for k in ("right", "unknown", "wrong")))
    return int(counts["wrong"] > 0)


def verdict(folder: Path) -> tuple[str, str]:
    """What the command says of a pair, and why."""
    done = verified(folder)
    if done.returncode not in (0, 1, 2):
        return f"exit {done.returncode}", done.stderr.strip()
    report = json.loads(done.stdout)
    return report["verdict"], "; ".join(sink["reason"] for sink in report["sinks"])
