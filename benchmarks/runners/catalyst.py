"""Translation validation of Spark: its optimizer's plans against the plans it was given.

python -m benchmarks catalyst [--plans DIR] [--seconds S] [NAME ...]

For each TPC-DS query (`q1`) and each version of the jobs of tests/cases/jobs (`age_bands-old`) the
analyzed plan is compared with the optimized one. The seconds are those of one processor for
verifying alone. With `--plans` what was read is kept in a folder, and what is there already is not
read again: then no JVM is needed. A plan that is refuted makes the exit status 1.
"""

from __future__ import annotations

import argparse
import resource
import signal
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.support.optimized_plans import PlanPair, all_names, read_pairs, saved_pair
from veer.api import Comparison, verify
from veer.options import ColumnMatching
from veer.show.wording import reason_text
from veer.verdict import Verdict
from veer.verification.versions.version import Version

NOT_READ = "not read"


@dataclass(frozen=True)
class Outcome:
    """What became of a pair."""

    name: str
    answer: str
    seconds: float
    why: str = ""


def main(argv: list[str]) -> int:
    """Print a line for each pair that is not proven and the figures of both sets."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks catalyst", description=__doc__)
    parser.add_argument("names", nargs="*", help="queries and jobs; all by default")
    parser.add_argument("--plans", type=Path, help="a folder that keeps what was read")
    parser.add_argument("--seconds", type=int, default=60, help="for one pair")
    parser.add_argument("--all", action="store_true", help="a line for proven pairs too")
    asked = parser.parse_args(argv)
    outcomes = []
    for pair in pairs(asked.names or all_names(), asked.plans):
        outcome = compared(pair, asked.seconds)
        outcomes.append(outcome)
        if asked.all or outcome.answer != Verdict.EQUIVALENT.value:
            print(
                f"{outcome.name:26}{outcome.answer:13}{outcome.seconds:6.1f} s  {outcome.why}",
                flush=True,
            )
    show("TPC-DS queries", [o for o in outcomes if "-" not in o.name])
    show("versions of jobs", [o for o in outcomes if "-" in o.name])
    return int(any(o.answer == Verdict.INEQUIVALENT.value for o in outcomes))


def pairs(names: Sequence[str], folder: Path | None) -> Iterator[PlanPair]:
    """The plans of these names; those a folder does not have are read and kept there."""
    saved = {n for n in names if folder is not None and (folder / f"{n}.json").is_file()}
    missing = [n for n in names if n not in saved]
    if folder is None:
        yield from read_pairs(missing)
        return
    folder.mkdir(parents=True, exist_ok=True)
    for pair in read_pairs(missing) if missing else ():
        pair.save(folder)
    yield from (saved_pair(folder / f"{name}.json") for name in names)


def compared(pair: PlanPair, seconds: int) -> Outcome:
    """The verdict on a pair and how long it took, in a process that ends with its time."""
    if pair.analyzed is None or pair.optimized is None:
        return Outcome(pair.name, NOT_READ, 0.0, pair.refusal)
    receiver, sender = Pipe(duplex=False)
    child = get_context("fork").Process(target=_compare, args=(pair, seconds, sender))
    child.start()
    sender.close()
    try:
        answer, why, taken = receiver.recv()
    except EOFError:
        child.join()
        if child.exitcode != -signal.SIGXCPU:
            raise RuntimeError(f"{pair.name} ended with status {child.exitcode}") from None
        answer, why, taken = Verdict.UNKNOWN.value, f"not decided in {seconds} s", float(seconds)
    child.join()
    return Outcome(pair.name, answer, taken, why)


def _compare(pair: PlanPair, seconds: int, answers: Connection) -> None:
    """What the process does: it sends verdict, reason and the seconds of its processor."""
    assert pair.analyzed is not None and pair.optimized is not None
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    start = time.process_time()
    report = verify(
        Version("analyzed", pair.analyzed, stable_ids=False),
        Version("optimized", pair.optimized, stable_ids=False),
        Comparison(columns=ColumnMatching.POSITION),
    )
    open_sinks = (s for s in report.sinks if s.verdict is not Verdict.EQUIVALENT)
    why = "; ".join(reason_text(s.reason) for s in open_sinks)
    answers.send((report.verdict.value, why, time.process_time() - start))


def show(title: str, outcomes: Sequence[Outcome]) -> None:
    """The figures of a set: verdicts, and the seconds that verifying took."""
    if not outcomes:
        return
    counts = Counter(o.answer for o in outcomes)
    proven, unknown, refuted = (
        counts[v.value] for v in (Verdict.EQUIVALENT, Verdict.UNKNOWN, Verdict.INEQUIVALENT)
    )
    print(
        f"{len(outcomes)} {title}: {proven} proven, {unknown} unknown, {refuted} refuted, "
        f"{counts[NOT_READ]} not read"
    )
    times = sorted(o.seconds for o in outcomes if o.answer != NOT_READ)
    if times:
        at = [times[min(len(times) - 1, int(len(times) * share))] for share in (0.9, 0.99)]
        print(f"  seconds: median {statistics.median(times):.2f}, p90 {at[0]:.2f}, p99 {at[1]:.2f}")
