"""The facade: load two versions, compare them, report.

load -> `verification.versions`: VersionPair, per pair of sinks a proof or a witness -> Report
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from veer.prove.solver.second_solver import second_solver
from veer.read.spec import load, load_pair, versions_of
from veer.show.wording import reason_text
from veer.verdict import Report, Verdict
from veer.verification.comparison import Comparison
from veer.verification.verify import best_pair, stopped, verify_versions
from veer.verification.versions import VersionPair, best_mappings
from veer.verification.versions.version import Version
from veer.visible import visible


def diff(p: Version, q: Version) -> VersionPair:
    """The two versions under their best edit mapping."""
    return best_pair(p, q)


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

    The versions are loaded versions, SPECs, or DataFrames of one Spark session, classic or of Spark
    Connect. `progress` is called with a line about each stage.
    """
    asked = comparison or Comparison()
    if asked.recheck is not None:
        second_solver(asked.recheck)  # one that is missing is an error before anything is read
    p, q = versions_of(p, q, schema)
    return verify_versions(p, q, asked, progress)


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


__all__ = [
    "Comparison",
    "Version",
    "assert_equivalent",
    "best_pairs",
    "diff",
    "load",
    "load_pair",
    "stopped",
    "verify",
]
