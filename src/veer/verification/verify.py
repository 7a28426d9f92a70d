"""Two loaded versions, compared sink by sink.

Version, Version -> VersionPair -> per pair of sinks: proof, checked and guarded, or witness -> Report
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from veer import verdict
from veer.assumptions import ReadWith
from veer.errors import TimeLimitReached
from veer.reasons import TimeLimit
from veer.verification.comparison import Comparison
from veer.verification.naming import renamed, with_same_tables
from veer.verification.search.answer_cache import answer_cache
from veer.verification.search.attempts import usual_budget
from veer.verification.search.paper.decomposition import WalkCounts
from veer.verification.search.sink_prover import Plan
from veer.verification.sinks import PairSearch, Verifiers, sink_reports
from veer.verification.versions import VersionPair
from veer.verification.versions.describe import describe_edits
from veer.verification.versions.version import Version
from veer.verification.view import Compared

ALL_SINKS = "all sinks"


def verify_versions(
    p: Version,
    q: Version,
    comparison: Comparison,
    progress: Callable[[str], None] = lambda _: None,
) -> verdict.Report:
    """Whether both versions produce the same results; UNKNOWN for all sinks if the time is over."""
    start = time.perf_counter()
    try:
        report = _report(p, q, comparison, progress)
    except TimeLimitReached as limit:
        report = replace(stopped(p.name, q.name, comparison, limit), place=q.place)
    return replace(report, seconds=time.perf_counter() - start)


def best_pair(p: Version, q: Version) -> VersionPair:
    """The two versions under their best edit mapping."""
    return VersionPair.of(p.dataflow, q.dataflow, stable_ids=p.stable_ids and q.stable_ids)


def stopped(p: str, q: str, comparison: Comparison, limit: TimeLimitReached) -> verdict.Report:
    """The report on a pair, by the names of its versions, that the time limit stopped."""
    from veer.verification.hinting import limits

    reason = TimeLimit(limit.seconds)
    hints = tuple(limits(reason))
    sink = verdict.SinkReport(ALL_SINKS, ALL_SINKS, verdict.Verdict.UNKNOWN, reason, hints=hints)
    return verdict.Report(
        p, q, comparison.semantics, (), (sink,), seconds=limit.seconds, limit=limit.seconds
    )


def _report(
    p: Version, q: Version, comparison: Comparison, progress: Callable[[str], None]
) -> verdict.Report:
    """The report without the seconds it took."""
    given, p = p, renamed(p, q, comparison.names)
    search = _search(p, q, comparison, progress)
    answers, edits = search.answers, describe_edits(search.pair)
    before = answers.remembered  # a cache outlives a pair
    decided, limit = sink_reports(search, comparison)
    if any(sink.verdict is not verdict.Verdict.EQUIVALENT for sink in decided):
        from veer.verification.explain_unknown import settled, stopped_hints

        explain = stopped_hints if limit else settled
        decided = tuple(explain(search, sink, comparison) for sink in decided)
    sinks = tuple(
        _with_variables(with_same_tables(s, given, q, comparison.names), p, q) for s in decided
    )
    windows = [window for sink in sinks for window in sink.windows]
    counts = verdict.Counts(
        windows=len(windows),
        decompositions=search.walk_counts.decompositions,
        ev_calls=sum(window.ev != verdict.OBLIGATIONS for window in windows),
        remembered=answers.remembered - before,
    )
    compared = Compared(search.pair, comparison.semantics, search.proofs, search.refutations)
    return verdict.Report(
        p.name,
        q.name,
        comparison.semantics,
        edits,
        sinks,
        counts,
        place=q.place,
        limit=limit,
        compared=compared,
    )


def _with_variables(sink: verdict.SinkReport, p: Version, q: Version) -> verdict.SinkReport:
    """A verdict together with the variables of the environment that the versions were read with."""
    if sink.verdict is verdict.Verdict.UNKNOWN:
        return sink
    read = dict.fromkeys((*p.read_with, *q.read_with))
    return replace(sink, assumptions=(*sink.assumptions, *(ReadWith(n, v) for n, v in read)))


def _search(
    p: Version, q: Version, comparison: Comparison, progress: Callable[[str], None]
) -> PairSearch:
    """What the search for the verdicts of a pair shares between its sinks."""
    stable_ids = p.stable_ids and q.stable_ids
    search = PairSearch(
        best_pair(p, q),
        comparison.semantics,
        Verifiers(comparison.evs),
        Plan(
            comparison.strategy,
            comparison.without,
            comparison.budget or usual_budget(p.dataflow, q.dataflow),
            stable_ids,
        ),
        WalkCounts(),
        answer_cache(comparison.cache),
        progress,
    )
    # Who names the verifiers to ask wants no other evidence than theirs.
    if p.optimized is not None and q.optimized is not None and not comparison.evs:
        search.optimized = p.optimized, q.optimized
    search.functions = _common_functions(p, q)
    return search


def _common_functions(p: Version, q: Version) -> dict[str, Callable[..., Any]]:
    """The functions that may be run, but for those that the versions do not agree on."""
    other = {i for i in p.functions.keys() & q.functions.keys() if p.functions[i] != q.functions[i]}
    return {i: f for i, f in {**p.functions, **q.functions}.items() if i not in other}


__all__ = ["best_pair", "stopped", "verify_versions"]
