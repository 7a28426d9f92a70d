"""The working tree against a git revision: verdicts that differ, and the ratio of times.

python -m benchmarks against REV [--data DIR] [--cases] [--workloads] [--rounds N] [--chunk N]
python -m benchmarks against REV --oracle [--data DIR] [--every N]

The source of REV is taken from git into a temporary folder, that of the working tree copied beside
it, and both are compiled first: neither has an advantage, and edits meanwhile do no harm. Both are
asked through their command line (`veer batch`, `veer verify`), so that REV may be arranged
otherwise inside. Chunks of
pairs alternate between the trees, and so does which of them comes first: what else the machine
does slows both alike. The time of a pair is what its tree reports, without the start of the
process, the best of all rounds. Exits with 1 if a verdict differs.

With `--oracle` every pair there is (`.cases`, pairs of jobs, TPC-DS, the importers' examples, those
of DIR) is asked once, and more is compared: reasons, verifiers, assumptions, caveats, and the normal
forms of both versions. This is the check of a change of the code that must not alter anything.
"""

from __future__ import annotations

import argparse
import compileall
import io
import itertools
import json
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.support import oracle

ROOT = Path(__file__).parents[2]
UNKNOWN = "unknown"  # the verdict
Times = dict[str, list[float]]


@dataclass(frozen=True)
class Answered:
    """What a tree says of a pair."""

    verdict: str
    reason: str
    seconds: float


@dataclass(frozen=True)
class Batch:
    """Pairs asked together by one `veer batch`."""

    pairs: tuple[dict[str, Any], ...]
    columns: str  # how result columns are matched: name or position

    def ask(self, source: Path, python: str = sys.executable) -> dict[str, Answered]:
        """What the tree whose packages are in `source` says of each pair."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "pairs.jsonl"
            file.write_text("".join(json.dumps(pair) + "\n" for pair in self.pairs))
            words = ["batch", str(file), "--workers", "1", "--columns", self.columns]
            lines = _veer(source, words, python).splitlines()
        lines_by_id = {line["id"]: line for line in map(json.loads, lines)}
        return {
            name: Answered(line["verdict"], line["reason"], line["seconds"])
            for name, line in lines_by_id.items()
        }


@dataclass(frozen=True)
class Files:
    """Two workflow files compared by one `veer verify`."""

    name: str
    p: Path
    q: Path

    def ask(self, source: Path, python: str = sys.executable) -> dict[str, Answered]:
        """What the tree says of the two files, sink by sink."""
        words = ["verify", str(self.p), str(self.q), "--format", "json"]
        report = json.loads(_veer(source, words, python))
        verdicts = {f"{s['p'] or s['q']}": s["verdict"] for s in report["sinks"]}
        text = ", ".join(f"{sink} {verdict}" for sink, verdict in sorted(verdicts.items()))
        reasons = "; ".join(s["reason"] for s in report["sinks"])
        return {self.name: Answered(text, reasons, report["seconds"])}


def _veer(source: Path, words: Sequence[str], python: str) -> str:
    """The standard output of a `veer` command of a tree."""
    done = subprocess.run(
        [python, "-m", "veer", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(source)},
    )
    if done.returncode not in (0, 1, 2):
        raise SystemExit(f"veer {words[0]} of {source} failed:\n{done.stderr}")
    return done.stdout


@dataclass
class Measured:
    """The answers of both trees, pair by pair, over all rounds."""

    verdicts: tuple[dict[str, set[str]], dict[str, set[str]]] = field(
        default_factory=lambda: ({}, {})
    )
    reasons: tuple[dict[str, str], dict[str, str]] = field(default_factory=lambda: ({}, {}))
    times: tuple[Times, Times] = field(default_factory=lambda: ({}, {}))
    processor: list[tuple[float, float]] = field(default_factory=list)  # of each round

    def add(self, side: int, answers: dict[str, Answered]) -> None:
        """Take in what a tree says of some pairs."""
        for name, answer in answers.items():
            self.verdicts[side].setdefault(name, set()).add(answer.verdict)
            self.reasons[side][name] = answer.reason
            self.times[side].setdefault(name, []).append(answer.seconds)

    def differing(self) -> Iterator[str]:
        """The pairs on which the trees do not always say the same."""
        for name in sorted(self.verdicts[0].keys() | self.verdicts[1].keys()):
            if len(set().union(*(v.get(name, {"none"}) for v in self.verdicts))) > 1:
                yield name

    def best(self, side: int) -> float:
        """Seconds of all pairs, each in its best round."""
        return sum(map(min, self.times[side].values()))

    def unknown(self, side: int) -> list[float]:
        """Seconds of the pairs that are ever unknown, each in its best round, from short to long."""
        verdicts, times = self.verdicts[side], self.times[side]
        return sorted(min(s) for name, s in times.items() if UNKNOWN in verdicts[name])

    def ratios(self) -> list[float]:
        """The ratio of the times of all pairs, round by round: above 1 the tree is slower."""
        both = [list(zip(*t.values(), strict=True)) for t in self.times]
        return [sum(tree) / max(sum(rev), 1e-9) for rev, tree in zip(*both, strict=True)]


def source_of(revision: str, folder: Path) -> Path:
    """The folder of packages of a git revision, taken out into `folder`."""
    archive = subprocess.run(
        ["git", "archive", revision, "src"], cwd=ROOT, capture_output=True, check=False
    )
    if archive.returncode:
        raise SystemExit(archive.stderr.decode(errors="replace").strip())
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(folder, filter="data")
    return folder / "src"


def source_here(folder: Path) -> Path:
    """A copy in `folder` of the packages of the working tree."""
    return shutil.copytree(
        ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__")
    )


def chunks(pairs: Sequence[dict[str, Any]], size: int, columns: str, first: int) -> Iterator[Batch]:
    """The pairs in parts; `first` shifts who begins a part and pays for what is loaded then."""
    shift = first % size
    cuts = [0, *range(shift or size, len(pairs), size), len(pairs)]
    for start, end in itertools.pairwise(cuts):
        if start < end:
            yield Batch(tuple(pairs[start:end]), columns)


def pairs_of(data: Path) -> list[dict[str, Any]]:
    """The pairs of the files of a folder, or of one file; ids carry the name of the file."""
    files = [data] if data.is_file() else sorted(data.glob("*.jsonl"))
    if not files:
        raise SystemExit(f"{data} holds no *.jsonl")
    pairs = []
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            pair = json.loads(line)
            pairs.append({**pair, "id": f"{file.stem}: {pair['id']}"})
    return pairs


def own_pairs() -> list[dict[str, Any]]:
    """The pairs of Veer's `.cases` about provers."""
    from tests.evs.test_cases import ALL, SCHEMA

    return [
        {
            "id": f"{file}: {case.title}",
            "schema": SCHEMA,
            "p": case.texts[0],
            "q": case.texts[1],
            "semantics": case.options.get("semantics", "bag"),
        }
        for file, case in ALL
    ]


def workload_files() -> list[Files]:
    """The pairs of versions of the paper's workloads."""
    from benchmarks.workloads import HERE, WORKLOADS

    return [
        Files(f"{pair.base} ~ {pair.version}", HERE / pair.base, HERE / pair.version)
        for workload in WORKLOADS
        for pair in (*workload.equivalent, *workload.inequivalent)
    ]


def measure(
    sources: tuple[Path, Path], asked: argparse.Namespace, rounds: int, chunk: int
) -> Measured:
    """Ask both trees everything, as often as there are rounds."""
    measured = Measured()
    by_position = pairs_of(asked.data) if asked.data else []
    by_name = own_pairs() if asked.cases else []
    files = workload_files() if asked.workloads else []
    for turn in range(rounds):
        parts: list[Batch | Files] = [
            *chunks(by_position, chunk, "position", turn * 3),
            *chunks(by_name, chunk, "name", turn * 3),
            *files,
        ]
        used = [0.0, 0.0]
        for number, part in enumerate(parts, turn):
            for side in ((0, 1), (1, 0))[number % 2]:
                before = _processor_seconds()
                measured.add(side, part.ask(sources[side]))
                used[side] += _processor_seconds() - before
            _progress(f"round {turn + 1} of {rounds}, part {number - turn + 1} of {len(parts)}")
        measured.processor.append((used[0], used[1]))
    _progress("")
    return measured


def _processor_seconds() -> float:
    """What the processes that have ended used of the processors."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{text:<60}", end="\n" if not text else "", file=sys.stderr, flush=True)


def show(measured: Measured, revision: str) -> int:
    """Print what differs, the totals and the ratio; the number of pairs that differ."""
    differing = list(measured.differing())
    for name in differing:
        print(f"DIFFERS {name}")
        for side, title in enumerate((revision, "tree")):
            verdict = " or ".join(sorted(measured.verdicts[side].get(name, {"none"})))
            print(f"    {title}: {verdict}: {measured.reasons[side].get(name, '')[:160]}")
    for side, title in enumerate((revision, "tree")):
        counted = Counter(v for vs in measured.verdicts[side].values() for v in vs)
        shown = ", ".join(f"{n} {verdict}" for verdict, n in sorted(counted.items()))
        print(f"{title:<12} {shown}; {measured.best(side):.2f} s")
        if unknown := measured.unknown(side):
            tenth = unknown[math.ceil(len(unknown) * 0.9) - 1]
            print(
                f"{'':<12} nine in ten unknowns within {tenth:.1f} s, all within {unknown[-1]:.1f} s"
            )
    ratios = sorted(measured.ratios())
    total = measured.best(1) / max(measured.best(0), 1e-9)
    by_pair = statistics.median(
        min(measured.times[1][name]) / max(min(times), 1e-9)
        for name, times in measured.times[0].items()
        if name in measured.times[1]
    )
    print(
        f"tree / {revision}: {total:.3f} of best times; rounds {ratios[0]:.3f} to {ratios[-1]:.3f}; "
        f"median pair {by_pair:.3f}; {len(differing)} of {len(measured.times[0])} pairs differ"
    )
    used = sorted(tree / max(rev, 1e-9) for rev, tree in measured.processor)
    if used:
        shown = f"{statistics.median(used):.3f}; rounds {used[0]:.3f} to {used[-1]:.3f}"
        print(
            f"processor time of the whole processes, which a busy machine hardly changes: {shown}"
        )
    return len(differing)


def main(argv: list[str]) -> int:
    """Compare; 1 if a verdict differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks against", description=__doc__)
    parser.add_argument("revision", metavar="REV", help="a git revision")
    parser.add_argument("--data", type=Path, metavar="DIR", help="*.jsonl of pairs, or one file")
    parser.add_argument("--cases", action="store_true", help="the pairs of tests/cases too")
    parser.add_argument("--workloads", action="store_true", help="the paper's workloads too")
    parser.add_argument("--oracle", action="store_true", help="compare everything said, untimed")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth pair alone")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--chunk", type=int, default=16, metavar="N", help="pairs per process")
    asked = parser.parse_args(argv)
    if not (asked.data or asked.cases or asked.workloads or asked.oracle):
        parser.error("nothing to compare: give --data, --cases or --workloads")
    with tempfile.TemporaryDirectory() as folder:
        revision, tree = Path(folder) / "revision", Path(folder) / "tree"
        sources = (source_of(asked.revision, revision), source_here(tree))
        for source in sources:
            compileall.compile_dir(source, quiet=1)
        if asked.oracle:
            pairs = list(oracle.pairs(asked.data))[:: asked.every]
            return int(oracle.show(oracle.compared(sources, pairs, _progress)) > 0)
        measured = measure(sources, asked, max(1, asked.rounds), max(1, asked.chunk))
    return int(show(measured, asked.revision) > 0)
