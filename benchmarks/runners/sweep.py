"""`sweep` measured: against `plus`, on the workloads, as dataflows grow, and against Spark.

python -m benchmarks sweep [--only pairs,workloads,growth,plus,memory,spark] [--data DIR]
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from benchmarks.support.large import base, pair
from benchmarks.workloads import WORKLOADS
from tests.generators.edits import edited, random_query
from veer.api import Comparison, verify
from veer.ir.dag import Dataflow
from veer.options import ColumnMatching, SearchStrategy, TypeMatching
from veer.prove.algebra import prove
from veer.prove.verifiers import registry
from veer.read.sql import read_schema, read_sql
from veer.refute import Refutation, first_difference
from veer.verdict import Report, TableSemantics, Verdict, WitnessKind
from veer.verification.search.answer_cache import answer_cache
from veer.verification.versions.version import Version

BY_POSITION = Comparison(columns=ColumnMatching.POSITION, types=TypeMatching.VALUE)


def timed(p: Version, q: Version, comparison: Comparison) -> tuple[Report, float]:
    """A verdict and its seconds, nothing known from before."""
    answer_cache.cache_clear()
    prove._recent.clear()
    p, q = (
        Version(v.name, Dataflow(v.dataflow.operators, v.dataflow.links), v.stable_ids)
        for v in (p, q)
    )
    start = time.perf_counter()
    report = verify(p, q, comparison)
    return report, time.perf_counter() - start


# -- against plus: what is proven ----------------------------------------------------------------


@dataclass
class Score:
    """How often each of two strategies proves a pair."""

    pairs: int = 0
    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(("sweep", "plus"), 0.0))
    lost: list[str] = field(default_factory=list)  # proven by plus alone
    wrong: list[str] = field(default_factory=list)

    def show(self, name: str) -> None:
        """Print the counts in one line."""
        sweep = sum(n for (s, _), n in self.verdicts.items() if s == "equivalent")
        plus = sum(n for (_, s), n in self.verdicts.items() if s == "equivalent")
        refuted = sum(n for (s, _), n in self.verdicts.items() if s == "inequivalent")
        more = f"{100 * (sweep / plus - 1):+.1f}%" if plus else "-"
        print(
            f"{name:<12}{self.pairs:>7}{sweep:>8}{plus:>8}{more:>8}{len(self.lost):>6}{refuted:>9}"
            f"{len(self.wrong):>7}{self.seconds['sweep']:>9.1f}{self.seconds['plus']:>9.1f}"
        )
        for text in (*self.lost, *self.wrong):
            print(f"    {text}")
        sys.stdout.flush()


def compare(
    name: str, pairs: Iterator[tuple[str, Version, Version, Comparison, bool | None]]
) -> Score:
    """Both strategies on the same pairs; a pair may be known to be equivalent, or not to be."""
    score = Score()
    for id_, p, q, comparison, equivalent in pairs:
        score.pairs += 1
        verdicts = {}
        for strategy in (SearchStrategy.SWEEP, SearchStrategy.PLUS):
            asked = Comparison(
                comparison.semantics, comparison.columns, comparison.types, strategy=strategy
            )
            report, seconds = timed(p, q, asked)
            verdicts[strategy.value] = report.verdict.value
            score.seconds[strategy.value] += seconds
            if is_wrong(report, p, q, comparison, equivalent):
                score.wrong.append(f"WRONG {id_} by {strategy.value}: {report.verdict.value}")
        score.verdicts[verdicts["sweep"], verdicts["plus"]] += 1
        if verdicts["plus"] == "equivalent" != verdicts["sweep"]:
            score.lost.append(f"by plus alone: {id_}")
        if score.pairs % 500 == 0:
            score.show(f"({name})")
    score.show(name)
    return score


def is_wrong(
    report: Report, p: Version, q: Version, comparison: Comparison, equivalent: bool | None
) -> bool:
    """Whether a verdict contradicts what is known, or instances the guard has not seen."""
    if report.verdict is Verdict.INEQUIVALENT:
        # Other types are another matter.
        kinds = {sink.witness.kind for sink in report.sinks if sink.witness is not None}
        return equivalent is True and kinds != {WitnessKind.SCHEMA}
    if report.verdict is not Verdict.EQUIVALENT:
        return False
    if equivalent is False:
        return True
    for sink in report.sinks:
        width = len(p.dataflow.schemas[sink.p])
        places = p.dataflow.schemas[sink.p].names, q.dataflow.schemas[sink.q].names
        columns = tuple((i, i) for i in range(width))
        if comparison.columns is ColumnMatching.NAME and sorted(places[0]) == sorted(places[1]):
            columns = tuple((i, places[1].index(n)) for i, n in enumerate(places[0]))
        refutation = Refutation.of(
            p.dataflow, q.dataflow, sink.p, sink.q, columns, comparison.semantics
        )
        if first_difference(refutation, 30, seed=23) is not None:
            return True
    return False


def workload_pairs() -> Iterator[tuple[str, Version, Version, Comparison, bool | None]]:
    """The paper's workloads, with what is known of each pair."""
    seen = set()
    for workload in WORKLOADS:
        for one in workload.pairs:
            if (one.base, one.version) not in seen:
                seen.add((one.base, one.version))
                equivalent = one.equivalent if not one.sinks else None
                yield one.version, *one.load(), Comparison(), equivalent


def shared_pairs(data: Path) -> Iterator[tuple[str, Version, Version, Comparison, bool | None]]:
    """The pairs of files of SQL; what cannot be read is left out."""
    for source in sorted(data.glob("*.jsonl")):
        for line in source.open(encoding="utf-8"):
            read = json.loads(line)
            try:
                tables = read_schema(read["schema"])
                sides = [Version(s, read_sql(read[s], tables), False) for s in ("p", "q")]
            except Exception as error:
                print(f"    {read['id']} is not read: {error}")
                continue
            semantics = TableSemantics(read.get("semantics", "bag"))
            asked = replace(BY_POSITION, semantics=semantics)
            expected = {"equivalent": True, "inequivalent": False}.get(read.get("expect", ""))
            yield read["id"], *sides, asked, expected


def random_pairs(count: int) -> Iterator[tuple[str, Version, Version, Comparison, bool | None]]:
    """Queries, and every fourth time a dataflow of 20 to 60 operators, under some edits."""
    number = yielded = 0
    while yielded < count:
        number += 1
        rng = Random(f"sweep {number}")
        large = number % 4 == 0
        p = base(rng.randint(20, 60), rng.randrange(1 << 30)) if large else random_query(rng)
        edit = None if p is None else edited(rng, p, rng.randint(1, 6 if large else 3))
        if p is None or edit is None:
            continue
        yielded += 1
        yield (
            f"{number} ({', '.join(edit[1])})",
            Version("p", p, True),
            Version("q", edit[0], True),
            BY_POSITION,
            True,
        )


def pairs_section(asked: argparse.Namespace) -> bool:
    """Everything `plus` proves, and more."""
    print(
        f"{'set':<12}{'pairs':>7}{'sweep':>8}{'plus':>8}{'more':>8}{'lost':>6}{'refuted':>9}"
        f"{'wrong':>7}{'sweep s':>9}{'plus s':>9}"
    )
    scores = []
    if not asked.random_only:
        scores.append(compare("workloads", workload_pairs()))
    if asked.data:
        scores.append(compare("shared", shared_pairs(asked.data)))
    scores.append(compare("random", random_pairs(asked.pairs)))
    total = Score()
    for score in scores:
        total.pairs += score.pairs
        total.verdicts += score.verdicts
        for strategy, seconds in score.seconds.items():
            total.seconds[strategy] += seconds
        total.lost += score.lost
        total.wrong += score.wrong
    total.show("all")
    return not total.wrong


# -- the workloads -------------------------------------------------------------------------------


def workloads_section(asked: argparse.Namespace) -> bool:
    """W1 to W8: the first rewritten version and the one that is not equivalent."""
    print(f"{'':<4}{'equivalent':>14}{'ms':>8}{'calls':>7}{'refuted':>16}{'ms':>8}")
    times = []
    for workload in WORKLOADS:
        cells = []
        for one in (workload.equivalent[0], workload.inequivalent[0]):
            p, q = one.load()
            runs = [timed(p, q, Comparison()) for _ in range(3)]
            seconds = statistics.median(s for _, s in runs)
            times.append(seconds)
            cells.append((runs[0][0], seconds))
        (first, a), (second, b) = cells
        print(
            f"{workload.name:<4}{first.verdict.value:>14}{a * 1000:>8.0f}{first.counts.ev_calls:>7}"
            f"{second.verdict.value:>16}{b * 1000:>8.0f}"
        )
    print(f"mean {statistics.mean(times) * 1000:.0f} ms")
    return True


# -- growth --------------------------------------------------------------------------------------


def growth_section(asked: argparse.Namespace) -> bool:
    """Operators against edits: seconds and calls of verifiers."""
    print(
        f"{'operators':>10}{'edits':>7}{'seconds':>9}{'verdict':>13}{'EV calls':>10}{'unseen':>8}{'exponent':>10}"
    )
    before: dict[int, tuple[int, float]] = {}
    for operators in asked.operators:
        for edits in (1, 10, 100):
            if edits * 12 > operators:
                continue
            p, q = pair(operators, edits)
            count = len(p.dataflow.operators)
            runs = [timed(p, q, Comparison()) for _ in range(1 if operators > 5000 else 3)]
            report, seconds = runs[0][0], min(s for _, s in runs)
            grown = ""
            if edits in before:
                fewer, earlier = before[edits]
                grown = f"{math.log(seconds / earlier) / math.log(count / fewer):.2f}"
            before[edits] = (count, seconds)
            calls = report.counts.ev_calls
            unseen = report.counts.windows - calls
            print(
                f"{count:>10}{edits:>7}{seconds:>9.2f}{report.verdict.value:>13}{calls:>10}"
                f"{unseen:>8}{grown:>10}",
                flush=True,
            )
    return True


def plus_section(asked: argparse.Namespace) -> bool:
    """Both strategies at 100 operators, one after the other on the same pair."""
    print(f"{'edits':>6}{'sweep s':>9}{'plus s':>9}{'times':>8}{'plus says':>13}")
    for edits in (1, 4, 8):
        p, q = pair(100, edits)
        runs = [timed(p, q, Comparison()) for _ in range(3)]
        ours = min(s for _, s in runs)
        report, theirs = timed(p, q, Comparison(strategy=SearchStrategy.PLUS))
        print(
            f"{edits:>6}{ours:>9.3f}{theirs:>9.3f}{theirs / ours:>8.1f}{report.verdict.value:>13}",
            flush=True,
        )
    return True


# -- remembered answers --------------------------------------------------------------------------


def memory_section(asked: argparse.Namespace) -> bool:
    """Later versions of the dataflow, larger and with more edits; answers are kept in a file."""
    print(f"{'run':<8}{'seconds':>9}{'EV calls':>10}{'remembered':>12}")
    with TemporaryDirectory() as folder:
        kept = Comparison(cache=str(Path(folder) / "answers.db"))
        for name, operators, edits in (("first", 1000, 40), ("second", 1100, 44)):
            p, q = pair(operators, edits)
            report, seconds = timed(p, q, kept)
            counts = report.counts
            print(f"{name:<8}{seconds:>9.2f}{counts.ev_calls:>10}{counts.remembered:>12}")
    return True


# -- against Spark -------------------------------------------------------------------------------


def spark_section(asked: argparse.Namespace) -> bool:
    """TPC-DS queries with their conditions in another order: verified, and run both on Spark."""
    from benchmarks.support.tpcds_spark import measure

    print(f"{'query':<7}{'verdict':>13}{'veer ms':>9}{'Spark s':>9}{'times':>8}")
    ratios, as_jobs = [], []
    for name, p, q, on_spark, started in measure(asked.queries, asked.scale):
        report, seconds = timed(p, q, Comparison())
        ratios.append(on_spark / seconds)
        as_jobs.append((on_spark + 2 * started) / seconds)
        print(
            f"{name:<7}{report.verdict.value:>13}{seconds * 1000:>9.0f}{on_spark:>9.2f}"
            f"{on_spark / seconds:>8.0f}",
            flush=True,
        )
    print(f"in a running session: median {statistics.median(ratios):.0f} times")
    print(f"as two jobs that start one: median {statistics.median(as_jobs):.0f} times")
    return True


SECTIONS: dict[str, Callable[[argparse.Namespace], bool]] = {
    "workloads": workloads_section,
    "growth": growth_section,
    "plus": plus_section,
    "memory": memory_section,
    "spark": spark_section,
    "pairs": pairs_section,
}


def main(argv: list[str]) -> int:
    """Print the sections asked for; 1 if something was wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks sweep")
    parser.add_argument("--only", default=",".join(SECTIONS), metavar="SECTION,...")
    parser.add_argument("--data", type=Path, help="a folder of *.jsonl files with query pairs")
    parser.add_argument("--pairs", type=int, default=5000, help="random pairs")
    parser.add_argument("--random-only", action="store_true", help="no workloads, no shared pairs")
    parser.add_argument("--operators", type=_numbers, default=(100, 1000, 10000))
    parser.add_argument("--queries", type=int, default=20, help="TPC-DS queries run on Spark")
    parser.add_argument("--scale", type=float, default=0.1, help="TPC-DS scale factor")
    asked = parser.parse_args(argv)
    for name in asked.only.split(","):
        if name not in SECTIONS:
            parser.error(f"no section {name!r}; there are {', '.join(SECTIONS)}")
    [registry.get(name) for name in registry.names()]
    p, q = pair(60, 2)
    verify(p, q)  # what is loaded once does not count
    good = True
    for name in asked.only.split(","):
        print(f"\n{name}: {SECTIONS[name].__doc__}")
        good = SECTIONS[name](asked) and good
    return int(not good)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in text.split(","))
