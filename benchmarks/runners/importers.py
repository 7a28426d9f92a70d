"""GUI workflows: how many are read, of which operators the meaning is known, what is verified.

python -m benchmarks importers --flows DIR [--systems texera,knime,...] [--timeout SECONDS] [--each]

DIR has a folder of workflow files for each system, and perhaps `pairs.jsonl`: a line for each pair
of versions of one workflow, with `system`, `p` and `q`, paths in DIR. For each system it counts

- the files that are read, and refused; of the operators, those whose meaning is known, and those
  known by their settings alone; the time reading takes;
- the paper's first table: a filter that keeps everything is added to each workflow; how many of
  these pairs each verifier proves alone, and Veer;
- the verdicts on the pairs of versions.

With `--each` a line is printed for every file and pair. Nothing in the folder is run.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from benchmarks.runners.paper import EMPTY_FILTER, with_empty_filter
from benchmarks.support.alone import alone
from benchmarks.support.job_folders import command
from veer.api import Comparison, Version, verify
from veer.errors import InputError
from veer.gui.reading import Importer, Reading, read_graph
from veer.read.inputs import Input, ReadOptions
from veer.verdict import Verdict

SYSTEMS = ("texera", "knime", "orange", "alteryx")


@dataclass
class Figures:
    """What came of the files of a system."""

    system: str
    files: int = 0
    refused: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    modelled: int = 0
    opaque: int = 0
    whole: int = 0  # files of which every operator is modelled
    reasons: Counter[str] = field(default_factory=Counter)
    proven_alone: Counter[str] = field(default_factory=Counter)
    proven: int = 0
    pairs: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)  # of pairs, each by itself


def main(argv: list[str]) -> int:
    """Print the tables of all systems."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks importers")
    parser.add_argument("--flows", type=Path, required=True, help="a folder of workflow files")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="those to measure")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for a pair of versions")
    parser.add_argument("--each", action="store_true", help="a line for every file and pair")
    parser.add_argument("--no-filters", action="store_true", help="without the empty filters")
    asked = parser.parse_args(argv)
    every = [_measured(system, asked) for system in asked.systems.split(",")]
    _print_files(every)
    if not asked.no_filters:
        _print_filters(every)
    if (asked.flows / "pairs.jsonl").exists():
        _print_pairs(every)
    return 0


def _measured(system: str, asked: argparse.Namespace) -> Figures:
    importer: Importer = import_module(f"veer.frontends.{system}.version").IMPORTER
    figures = Figures(system)
    for file in sorted((asked.flows / system).iterdir()):
        figures.files += 1
        start = time.perf_counter()
        try:
            reading = _read(importer, file)
        except InputError as error:
            figures.refused.append(f"{file.name}: {error}")
            if asked.each:
                print(f"{file.name}: refused: {error}", flush=True)
            continue
        figures.seconds.append(time.perf_counter() - start)
        figures.modelled += len(reading.modelled)
        figures.opaque += len(reading.opaque)
        figures.whole += not reading.opaque
        figures.reasons.update(reading.opaque.values())
        proven = "" if asked.no_filters else _empty_filter(figures, reading, file.name)
        if asked.each:
            known = f"{len(reading.modelled)} of {len(reading.modelled) + len(reading.opaque)}"
            print(
                f"{file.name}: {known} operators, {figures.seconds[-1]:.2f} s{proven}", flush=True
            )
    _versions(system, figures, asked)
    return figures


def _read(importer: Importer, file: Path) -> Reading:
    source = Input(file.name, str(file))
    return read_graph(importer.system, importer.graph(source, ReadOptions()), {}, {})


def _empty_filter(figures: Figures, reading: Reading, name: str) -> str:
    """Whether an empty filter is proven to be one; tells it if not."""
    flow = reading.dataflow
    if all(link.dst in flow.sinks for link in flow.links):
        edited = flow  # a workflow of sources and results alone has no link to put it on
    else:
        edited = with_empty_filter(flow, random.Random(f"empty {name}"))
    for ev in EMPTY_FILTER:
        figures.proven_alone[ev] += alone(ev, flow, edited, strict=True) is Verdict.EQUIVALENT
    report = verify(Version("p", flow, True), Version("q", edited, True), Comparison())
    figures.proven += report.verdict is Verdict.EQUIVALENT
    return "" if report.verdict is Verdict.EQUIVALENT else f"; empty filter {report.verdict.value}"


def _versions(system: str, figures: Figures, asked: argparse.Namespace) -> None:
    """The verdicts on pairs of versions, through the command."""
    listed = asked.flows / "pairs.jsonl"
    for line in listed.read_text(encoding="utf-8").splitlines() if listed.exists() else ():
        pair = json.loads(line)
        if pair["system"] != system:
            continue
        p, q = (str(asked.flows / pair[side]) for side in "pq")
        done = command("verify", p, q, "--format", "json", "--timeout", str(asked.timeout))
        is_verdict = done.returncode in (0, 1, 2)
        verdict = json.loads(done.stdout)["verdict"] if is_verdict else "error"
        figures.pairs[verdict] += 1
        for sink in json.loads(done.stdout)["sinks"] if is_verdict else ():
            alone_ = "added or removed" if not (sink["p"] and sink["q"]) else sink["verdict"]
            figures.results[alone_] += 1
        if asked.each:
            print(f"{Path(q).name}: {verdict} {done.stderr.strip()[:200]}", flush=True)


def _print_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    for row in (head, ["---", *["---:"] * (len(head) - 1)], *rows):
        print(f"| {' | '.join(map(str, row))} |")


def _print_files(every: list[Figures]) -> None:
    known = ("operators known", "opaque", "all known", "median s", "most s")
    print()
    _print_table(("system", "files", "read", "refused", *known), map(_of_files, every))
    for f in every:
        for refused in f.refused:
            print(f"refused: {refused}")
    print()


def _of_files(f: Figures) -> Sequence[object]:
    median = statistics.median(f.seconds) if f.seconds else 0
    times = f"{median:.3f}", f"{max(f.seconds, default=0):.3f}"
    read = f.files - len(f.refused)
    return f.system, f.files, read, len(f.refused), f.modelled, f.opaque, f.whole, *times


def _print_filters(every: list[Figures]) -> None:
    _print_table(
        ("empty filter", "pairs", *EMPTY_FILTER, "Veer"),
        (
            (
                f.system,
                f.files - len(f.refused),
                *(f.proven_alone[e] for e in EMPTY_FILTER),
                f.proven,
            )
            for f in every
        ),
    )
    print()


def _print_pairs(every: list[Figures]) -> None:
    verdicts = ("equivalent", "inequivalent", "unknown", "error")
    counted = ((f.system, sum(f.pairs.values()), *(f.pairs[v] for v in verdicts)) for f in every)
    _print_table(("versions", "pairs", *verdicts), counted)
    print()
    kinds = ("equivalent", "inequivalent", "unknown", "added or removed")
    results = ((f.system, sum(f.results.values()), *(f.results[k] for k in kinds)) for f in every)
    _print_table(("results of these pairs", "in all", *kinds), results)
