"""The whole path in one file: load two versions, compare them, report.

load -> VersionPair -> per pair of sinks: proof, checked and guarded, or witness -> Report
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from veer.errors import TimeLimitReached
from veer.frontends.spec import load, load_pair, version_of
from veer.reasons import TimeLimit
from veer.report.wording import reason_text
from veer.search.answer_cache import answer_cache
from veer.search.paper.decomposition import WalkCounts
from veer.search.sink_prover import Plan
from veer.smt.second_solver import second_solver
from veer.verdict import (
    OBLIGATIONS,
    Counts,
    Report,
    SinkReport,
    Verdict,
)
from veer.verification.comparison import Comparison
from veer.verification.sinks import PairSearch, Verifiers, sink_reports
from veer.versions import VersionPair, best_mappings
from veer.versions.describe import describe_edits
from veer.versions.version import Version
from veer.visible import visible

ALL_SINKS = "all sinks"


def diff(p: Version, q: Version) -> VersionPair:
    """The two versions under their best edit mapping."""
    return VersionPair.of(p.dataflow, q.dataflow, stable_ids=p.stable_ids and q.stable_ids)


def best_pairs(p: Version, q: Version) -> Iterator[VersionPair]:
    """The two versions under each edit mapping worth a look, the cheapest first."""
    stable = p.stable_ids and q.stable_ids
    for mapping in best_mappings(p.dataflow, q.dataflow, stable_ids=stable):
        yield VersionPair(p.dataflow, q.dataflow, mapping)


def verify(
    p: Version | str | Any,
    q: Version | str | Any,
    comparison: Comparison | None = None,
    *,
    schema: str = "",
    progress: Callable[[str], None] = lambda _: None,
) -> Report:
    """Whether both versions produce the same results, sink by sink.

    They are given loaded, as SPECs, or as DataFrames of a classic Spark session. `progress` is
    called with a line about each stage.
    """
    asked = comparison or Comparison()
    if asked.recheck is not None:
        second_solver(asked.recheck)
    p, q = (version_of(v, name, schema) for v, name in ((p, "P"), (q, "Q")))
    start = time.perf_counter()
    try:
        return _report(p, q, asked, start, progress)
    except TimeLimitReached as limit:
        return replace(
            stopped(p.name, q.name, asked, limit),
            seconds=time.perf_counter() - start,
            place=q.place,
        )


def stopped(p: str, q: str, asked: Comparison, limit: TimeLimitReached) -> Report:
    """The report on a pair that the time limit stopped."""
    sink = SinkReport(ALL_SINKS, ALL_SINKS, Verdict.UNKNOWN, TimeLimit(limit.seconds))
    return Report(p, q, asked.semantics, (), (sink,), seconds=limit.seconds, limit=limit.seconds)


def _report(
    p: Version, q: Version, asked: Comparison, start: float, progress: Callable[[str], None]
) -> Report:
    pair = diff(p, q)
    plan = Plan(asked.strategy, asked.without, asked.budget, p.stable_ids and q.stable_ids)
    known = answer_cache(asked.cache)
    search = PairSearch(
        pair, asked.semantics, Verifiers(asked.evs), plan, WalkCounts(), known, progress
    )
    if p.optimized is not None and q.optimized is not None and not asked.evs:
        search.optimized = p.optimized, q.optimized
    remembered, edits = known.remembered, describe_edits(pair)
    sinks, limit = sink_reports(search, asked)
    windows = [window for sink in sinks for window in sink.windows]
    calls = sum(window.ev != OBLIGATIONS for window in windows)
    return Report(
        p.name,
        q.name,
        asked.semantics,
        edits,
        sinks,
        Counts(
            len(windows), search.walk_counts.decompositions, calls, known.remembered - remembered
        ),
        time.perf_counter() - start,
        q.place,
        limit,
    )


def assert_equivalent(
    p: Version | str | Any,
    q: Version | str | Any,
    comparison: Comparison | None = None,
    *,
    schema: str = "",
) -> Report:
    """For tests: the report, or an AssertionError that shows it with its witnesses."""
    report = verify(p, q, comparison, schema=schema)
    wrong = [s for s in report.sinks if s.verdict is not Verdict.EQUIVALENT]
    if wrong:
        lines = (
            visible(f"  {s.p or s.q}: {s.verdict.value}: {reason_text(s.reason)}") for s in wrong
        )
        head = visible(f"{report.p} and {report.q} are not known to be equivalent:")
        raise AssertionError("\n".join([head, *lines, "", str(report)]))
    return report


__all__ = ["Comparison", "Version", "assert_equivalent", "diff", "load", "load_pair", "verify"]
