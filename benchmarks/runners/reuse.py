"""Twenty versions of each workload, one after the other: plain, with exact reuse, with proven reuse.

python -m benchmarks reuse [--only W1,W7] [--length 20] [--scale 1.0] [--seed 7]
                          [--master local[1]] [--keep sinks|cuts] [--json FILE]

Every version is run three times in one Spark session, each time in another order: *plain* computes
and writes every sink; *exact* reads what the same sub-dataflow on the same sources stored before;
*proven* is `veer run`. Both reusing runs keep the same things: results of sinks, with `--keep cuts`
also parts below the last edits. After each version the rows of all three are compared. The overhead is that of a run against
an empty store.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.support.editing.changing import MODELS
from benchmarks.support.scaled import bound, write_tables
from benchmarks.support.sequences import Step, sequence
from veer.execution.run import Request, Running, RunOutcome
from veer.execution.session import Session
from veer.execution.sources import Sources
from veer.execution.start import Compiled
from veer.execution.store import Store, tables
from veer.ir.dag import Dataflow
from veer.options import Keep, Reuse, values
from veer.read.function_bodies import Bodies
from veer.read.workflow.reader import build_workflow

# Rows of the fact tables with which the first version takes about ten seconds on one core.
ROWS = {
    "W1": 20_000_000,
    "W2": 20_000_000,
    "W3": 40_000_000,
    "W4": 20_000_000,
    "W5": 20_000_000,
    "W6": 5_000_000,
    "W7": 3_000_000,
    "W8": 3_000_000,
}
MODES = ("plain", "exact", "proven")
OVERHEAD_RUNS = 2


@dataclass
class Sequence:
    """What one sequence took and stored."""

    workload: str
    rows: int
    seconds: dict[str, list[float]] = field(default_factory=lambda: {m: [] for m in MODES})
    bytes: dict[str, int] = field(default_factory=dict)  # everything stored
    sink_bytes: dict[str, int] = field(default_factory=dict)  # results of sinks alone
    proving: float = 0.0
    served: int = 0
    sinks: int = 0
    parts: int = 0
    different: list[str] = field(default_factory=list)
    overhead: list[tuple[float, float]] = field(default_factory=list)  # plain, empty store

    def total(self, mode: str) -> float:
        """The seconds of all versions in a mode."""
        return sum(self.seconds[mode])


class Bench:
    """One workload: its data, its stores, one session for all."""

    def __init__(
        self, workload: str, rows: int, folder: Path, session: Session, keep: Keep
    ) -> None:
        self.workload, self.folder, self.session, self.keep = workload, folder, session, keep
        self.data = folder / "data"
        write_tables(workload, self.data, rows)
        models = self.data / "models"
        models.mkdir()
        for name, words in MODELS.items():
            weights = {
                "other": {"words": {}},
                "related": {"words": dict.fromkeys(words, 1.0), "bias": -0.5},
            }
            (models / f"{name}.json").write_text(json.dumps({"classes": weights}))
        self.sources = Sources(self.data, spark=session)
        self.stores = {m: Store(str(folder / m)) for m in MODES[1:]}
        self.result = Sequence(workload, rows)

    def dataflow(self, step: Step) -> Dataflow:
        """The dataflow of a version, over the tables on disk."""
        return build_workflow(bound(step.flow.data(), self.data))

    def computation(self, dataflow: Dataflow) -> Compiled:
        """What runs a dataflow on Spark."""
        bodies = Bodies(self.data / "models")
        return Compiled(dataflow, self.sources, bodies, self.session)

    def plain(self, dataflow: Dataflow, target: Path) -> float:
        """Compute and write every sink; the seconds it took."""
        started = time.perf_counter()
        computation = self.computation(dataflow)
        for sink in dataflow.sinks:
            computation.frame(sink, {}).write.parquet(str(target / sink))
        return time.perf_counter() - started

    def reusing(self, dataflow: Dataflow, store: Store, mode: str) -> RunOutcome:
        """Run a version through a store."""
        request = Request(
            self.workload,
            reuse=Reuse(mode),
            keep=self.keep,
            environment=self.session.environment(),
            starting=0.0,
        )
        return Running(request, self.computation(dataflow), store, self.session).run()

    def version(self, number: int, step: Step) -> None:
        """One version in all three ways."""
        dataflow = self.dataflow(step)
        target = self.folder / "plain" / str(number)
        outcomes: dict[str, RunOutcome] = {}
        for turn in range(len(MODES)):
            mode = MODES[(turn + number) % len(MODES)]
            if mode == "plain":
                self.result.seconds[mode].append(self.plain(dataflow, target))
                continue
            started = time.perf_counter()
            outcomes[mode] = self.reusing(dataflow, self.stores[mode], mode)
            self.result.seconds[mode].append(time.perf_counter() - started)
        proven = outcomes["proven"]
        self.result.proving += proven.plan.proving
        self.result.served += len(proven.plan.served)
        self.result.parts += len(proven.plan.cuts)
        self.result.sinks += len(dataflow.sinks)
        self.compare(number, dataflow, target, outcomes)
        shown = ", ".join(f"{m} {self.result.seconds[m][-1]:.1f}" for m in MODES)
        print(
            f"{self.workload} {number + 1:>2} {step.aim.value:<7} {shown}  "
            f"served {len(proven.plan.served)}/{len(dataflow.sinks)}, read {list(proven.plan.cuts)}, "
            f"kept {proven.plan.keep}, proving {proven.plan.proving:.2f}  {'; '.join(step.edits)}",
            flush=True,
        )

    def compare(
        self, number: int, dataflow: Dataflow, target: Path, outcomes: dict[str, RunOutcome]
    ) -> None:
        """Note sinks whose rows differ from those of the plain run."""
        for sink in dataflow.sinks:
            plain = self.summary(str(target / sink))
            size = sum(p.stat().st_size for p in (target / sink).glob("part-*"))
            self.result.sink_bytes["plain"] = self.result.sink_bytes.get("plain", 0) + size
            for mode, outcome in outcomes.items():
                stored = self.stores[mode].files.path(outcome.results[sink].id)
                if self.summary(stored) != plain:
                    self.result.different.append(f"{mode} version {number + 1} sink {sink}")

    def summary(self, path: str) -> Any:
        """A digest of the rows of a Parquet folder, whatever their order."""
        frame = self.session().read.parquet(path)
        columns = ", ".join(f"`{c}`" for c in frame.columns)
        sums = (
            "count(*)",
            f"sum(CAST(xxhash64({columns}) AS DECIMAL(38,0)))",
            f"bit_xor(hash({columns}))",
        )
        return frame.selectExpr(*sums).collect()[0]

    def overheads(self, step: Step) -> None:
        """The first version against an empty store, beside plain runs."""
        dataflow = self.dataflow(step)
        for turn in range(OVERHEAD_RUNS):
            pair = {}
            for mode in ("plain", "empty") if turn % 2 else ("empty", "plain"):
                place = self.folder / f"overhead-{mode}-{turn}"
                started = time.perf_counter()
                if mode == "plain":
                    self.plain(dataflow, place)
                else:
                    with Store(str(place)) as store:
                        self.reusing(dataflow, store, "proven")
                pair[mode] = time.perf_counter() - started
                shutil.rmtree(place)
            self.result.overhead.append((pair["plain"], pair["empty"]))

    def finish(self) -> Sequence:
        """Close the stores and give what was measured."""
        for mode, store in self.stores.items():
            with store.read() as db:
                rows = db.execute(tables.results.select()).all()
                named = {row.result for row in db.execute(tables.sinks.select())}
            self.result.bytes[mode] = sum(r.bytes for r in rows)
            self.result.sink_bytes[mode] = sum(r.bytes for r in rows if r.id in named)
            store.close()
        return self.result


def run(
    workload: str, length: int, scale: float, seed: int, session: Session, keep: Keep
) -> Sequence:
    """One sequence."""
    folder = Path(tempfile.mkdtemp(prefix=f"veer-reuse-{workload}-"))
    try:
        bench = Bench(workload, int(ROWS[workload] * scale), folder, session, keep)
        steps = sequence(workload, length, seed)
        bench.plain(bench.dataflow(steps[0]), folder / "warm")
        bench.overheads(steps[0])
        for number, step in enumerate(steps):
            bench.version(number, step)
        return bench.finish()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def show(sequences: list[Sequence]) -> None:
    """A line per workload, and the sums."""
    print(
        "\n        plain s/run   total: plain    exact   proven   of plain  vs exact  "
        "served  read  proving  overhead  sink bytes  all bytes  differing"
    )
    for s in sequences:
        print(_line(s.workload, [s]))
    print(_line("all", sequences))


def _line(name: str, group: list[Sequence]) -> str:
    plain, exact, proven = (sum(s.total(m) for s in group) for m in MODES)
    runs = sum(len(s.seconds["plain"]) for s in group)
    base = sum(p for s in group for p, _ in s.overhead)
    empty = sum(e for s in group for _, e in s.overhead)
    every = sum(s.sink_bytes["plain"] for s in group)
    sinks = sum(s.sink_bytes["proven"] for s in group)
    stored = sum(s.bytes["proven"] for s in group)
    return (
        f"{name:<7} {plain / runs:>11.1f} {plain:>14.1f} {exact:>8.1f} {proven:>8.1f} "
        f"{proven / plain:>9.0%} {exact / proven:>8.2f}x "
        f"{sum(s.served for s in group):>3}/{sum(s.sinks for s in group):<3} "
        f"{sum(s.parts for s in group):>4} {sum(s.proving for s in group):>7.1f}s "
        f"{empty / base - 1:>8.1%} {sinks / every:>10.0%} {stored / every:>10.0%} "
        f"{sum(len(s.different) for s in group):>6}"
    )


def main(args: list[str]) -> int:
    """Run the sequences and print what reuse saves; 1 if any result differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks reuse")
    parser.add_argument("--only", default=",".join(ROWS))
    parser.add_argument("--length", type=int, default=20)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--master", default="local[1]")
    parser.add_argument("--keep", choices=values(Keep), default=Keep.SINKS.value)
    parser.add_argument("--json", default="")
    asked = parser.parse_args(args)
    session = Session(asked.master)
    sequences = []
    for workload in asked.only.split(","):
        sequences.append(
            run(workload, asked.length, asked.scale, asked.seed, session, Keep(asked.keep))
        )
        show(sequences)
        if asked.json:
            Path(asked.json).write_text(json.dumps([asdict(s) for s in sequences], indent=1))
    session.stop()
    return int(any(s.different for s in sequences))
