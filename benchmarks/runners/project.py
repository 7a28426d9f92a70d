"""A repository of sixty jobs with four hundred commits: what `veer check` says of each.

python -m benchmarks project [--commits N] [--seed N] [--replay N] [--workers N] [--cache]

Jobs and edits (cosmetic, refactorings, real changes) were written by people who had not seen Veer.
Counted per commit: jobs that were compared, sinks that were decided, sinks to compute again beside those
that rebuilding by text computes again (what `dbt state:modified+` does: a job whose file, or a module it
imports, differs, and all jobs after it), and the wait. A sink said to be the same that an edit changes,
or said to be changed that none does, is wrong. `--replay N` runs both revisions of N commits on Spark on
small data: everything that need not be computed again must be the same. Fails if something is wrong.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.support.project_history import (
    Commit,
    job_label,
    jobs_in_order,
    make_history,
    make_repository,
    stale_by_text,
)

DECIDED = ("unchanged", "equivalent", "changed", "new", "removed")


def main(argv: list[str]) -> int:
    """Print a line for each commit and the figures of all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks project")
    parser.add_argument("--commits", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--replay", type=int, default=0, help="commits to run on Spark as well")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cache", action="store_true", help="keep answers from commit to commit")
    asked = parser.parse_args(argv)
    figures = _Figures()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "jobs"
        make_repository(root)
        cache = ("--cache", f"{folder}/cache") if asked.cache else ()
        for number, commit in enumerate(make_history(root, asked.commits, asked.seed)):
            start = time.perf_counter()
            report = _check(root, commit, ("--workers", str(asked.workers), *cache))
            seconds = time.perf_counter() - start
            figures.add(root, commit, report, seconds)
            if number < asked.replay:
                figures.replay(root, commit, report, Path(folder))
    return figures.show()


def _check(root: Path, commit: Commit, options: Sequence[str]) -> dict[str, Any]:
    """The report of the command, in a new process."""
    command = [sys.executable, "-m", "veer", "check", "--base", commit.parent, "--format", "json"]
    done = subprocess.run(
        [*command, "--jvm", "never", "--timeout", "60", *options],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1, 2):
        raise SystemExit(f"{commit.revision}: {done.stderr}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _sink_label(job: Mapping[str, Any], sink: Mapping[str, Any]) -> str:
    """What the edits call a sink: its table, or what a job that only returns would write."""
    return str(sink["target"] or job_label(str(job["q"] or job["p"])))


def _label(each: Mapping[str, Any]) -> str:
    return str(each["target"] or job_label(each["job"]))


class _Figures:
    """What was counted so far."""

    def __init__(self) -> None:
        self.compared: list[int] = []
        self.seconds: list[float] = []
        self.by_veer: list[int] = []
        self.by_text: list[int] = []
        self.verdicts: Counter[tuple[str, str]] = Counter()
        self.spared = 0
        self.wrong: list[str] = []
        self.replayed: list[float] = []

    def add(self, root: Path, commit: Commit, report: Mapping[str, Any], seconds: float) -> None:
        """Count a commit."""
        told = {_as_label(label) for label in commit.changed_sinks}
        kinds = "+".join(sorted({e.kind for e in commit.edits}))
        compared = [job for job in report["jobs"] if job["compared"]]
        for job in compared:
            for sink in job["sinks"]:
                self._judge(job, sink, told, commit)
        self.compared.append(len(compared))
        self.seconds.append(seconds)
        self.by_veer.append(len({_label(each) for each in report["recompute"]}))
        self.by_text.append(len(stale_by_text(root, commit)))
        self.spared += sum(bool(s["spared"]) for job in report["jobs"] for s in job["sinks"])
        unknown = [job["job"] for job in compared if job["verdict"] == "unknown"]
        print(
            f"{commit.revision[:8]} {kinds:30} compared {len(compared):2}  again {self.by_veer[-1]:3} "
            f"by text {self.by_text[-1]:3}  {seconds:5.1f} s  {' '.join(e.id for e in commit.edits)} "
            f"{'unknown: ' + ' '.join(unknown) if unknown else ''}",
            flush=True,
        )

    def _judge(
        self, job: Mapping[str, Any], sink: Mapping[str, Any], told: set[str], commit: Commit
    ) -> None:
        label, verdict = _sink_label(job, sink), sink["verdict"]
        really = "changed" if label in told else "same"
        self.verdicts[really, verdict] += 1
        if (really, verdict) in (("changed", "equivalent"), ("same", "changed")):
            ids = " ".join(e.id for e in commit.edits)
            self.wrong.append(f"{commit.revision[:8]} {ids}: {label} is {really}, said {verdict}")

    def replay(self, root: Path, commit: Commit, report: Mapping[str, Any], folder: Path) -> None:
        """Run both revisions on Spark; what need not be computed again must be the same."""
        again = {_name(each) for each in report["recompute"]}
        kept = {_name(each) for each in report["keep"]}
        jobs = jobs_in_order(root)
        start = time.perf_counter()
        results = [
            _run(root, revision, jobs, folder) for revision in (commit.parent, commit.revision)
        ]
        self.replayed.append(time.perf_counter() - start)
        differing = {
            n for n in results[0].keys() & results[1].keys() if results[0][n] != results[1][n]
        }
        for name in sorted(differing & (kept - again)):
            self.wrong.append(f"{commit.revision[:8]}: {name} differs on Spark and would be kept")
        print(
            f"         on Spark: {len(differing)} results differ, {self.replayed[-1]:.0f} s",
            flush=True,
        )

    def show(self) -> int:
        """Print the figures; 1 if something is wrong."""
        decided = sum(n for (_, v), n in self.verdicts.items() if v in DECIDED)
        everything = sum(self.verdicts.values())
        again, text = sum(self.by_veer), sum(self.by_text)
        print(f"\ncommits                    {len(self.seconds)}")
        print(f"jobs compared per commit   {mean(self.compared):.1f} of 60")
        print(
            f"sinks compared             {everything}, decided {decided / max(1, everything):.1%}"
        )
        for (really, verdict), count in sorted(self.verdicts.items()):
            print(f"  really {really:8} said {verdict:11} {count}")
        print(
            f"sinks to compute again     {again}, by text {text}: {1 - again / max(1, text):.1%} fewer"
        )
        print(f"unaffected by what changed {self.spared}")
        print(
            f"wait per commit            median {median(self.seconds):.1f} s, mean {mean(self.seconds):.1f} s"
        )
        if self.replayed:
            print(
                f"running both on Spark      median {median(self.replayed):.1f} s of {len(self.replayed)}"
            )
        print(f"wrong                      {len(self.wrong)}")
        for line in self.wrong:
            print(f"  {line}")
        return 1 if self.wrong else 0


def _as_label(label: str) -> str:
    """A sink named by its function, as that of a job that only returns."""
    parts = label.split(".")
    return f"{parts[0]}_{parts[-2]}" if len(parts) > 2 else label


def _name(each: Mapping[str, Any]) -> str:
    return str(each["target"] or f"{each['job']} {each['sink']}")


def _run(root: Path, revision: str, jobs: Sequence[str], folder: Path) -> dict[str, str]:
    tree = folder / "tree"
    subprocess.run(["rm", "-rf", str(tree)], check=True)
    tree.mkdir()
    archive = subprocess.run(
        ["git", "-C", str(root), "archive", revision], check=True, capture_output=True
    ).stdout
    subprocess.run(["tar", "-x", "-C", str(tree)], input=archive, check=True)
    listed, out = folder / "jobs.json", folder / "digests.json"
    listed.write_text(json.dumps(list(jobs)))
    here = Path(__file__).parents[2]
    subprocess.run(
        [
            sys.executable,
            "-m",
            "benchmarks.support.replayed_project",
            str(tree),
            str(listed),
            str(out),
        ],
        check=True,
        cwd=here,
        capture_output=True,
    )
    digests: dict[str, str] = json.loads(out.read_text())
    return digests
