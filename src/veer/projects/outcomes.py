"""The result of a check of a project, as values; `show/` makes text of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, final

from veer.verdict import SourceLocation, Verdict


class Outcome(Enum):
    """What became of a sink or a job; the values are those of the JSON report."""

    UNCHANGED = "unchanged"  # nothing that decides it differs
    EQUIVALENT = "equivalent"  # it differs, and is proven to give the same
    CHANGED = "changed"  # with a witness
    UNKNOWN = "unknown"
    NEW = "new"
    REMOVED = "removed"


# The outcome of a job is the first of these that one of its sinks has.
WORST_FIRST = (
    Outcome.CHANGED,
    Outcome.UNKNOWN,
    Outcome.REMOVED,
    Outcome.NEW,
    Outcome.EQUIVALENT,
    Outcome.UNCHANGED,
)
OF_VERDICT = {
    Verdict.EQUIVALENT.value: Outcome.EQUIVALENT,
    Verdict.INEQUIVALENT.value: Outcome.CHANGED,
    Verdict.UNKNOWN.value: Outcome.UNKNOWN,
}


class Cause(Enum):
    """Why a sink must be computed again."""

    CHANGED = "changed"
    UNKNOWN = "unknown"
    NEW = "new"
    NOT_CERTAIN = "not certain"  # equivalent, but under an assumption or with a caveat
    UPSTREAM = "upstream"  # it reads what must be computed again
    TOGETHER = "together"  # its job runs again, and would give it other rows, or rows once more
    STORAGE = "storage"  # its rows are the same, to be stored in another way


@final
@dataclass(frozen=True)
class Recompute:
    """That a sink must be computed again: why, and what it reads that must be too."""

    cause: Cause
    reads: tuple[str, ...] = ()  # targets


@final
@dataclass(frozen=True)
class SinkOutcome:
    """What became of one sink of a job.

    `report` is its part of the JSON report on two versions, if they were compared; `with_jobs` are the
    jobs that were put in front of both, because they write what it reads and changed too. `spared`
    are the changed tables it reads of which it is proven that they do not change it.
    """

    name: str
    target: str
    outcome: Outcome
    report: Mapping[str, Any] | None = None
    with_jobs: tuple[str, ...] = ()
    recompute: Recompute | None = None
    spared: tuple[str, ...] = ()


@final
@dataclass(frozen=True)
class JobOutcome:
    """What became of a job; `p` and `q` are empty where it is new or removed.

    `why` says in a sentence what the sinks do not: why it cannot be read, or that it was not looked at.
    """

    name: str
    p: str
    q: str
    outcome: Outcome
    sinks: tuple[SinkOutcome, ...] = ()
    why: str = ""
    seconds: float = 0.0
    compared: bool = False
    remembered: bool = False  # the answer is from the cache
    place: SourceLocation | None = None
    edits: tuple[Mapping[str, Any], ...] = ()


@final
@dataclass(frozen=True)
class ProjectReport:
    """What a change of a project altered, what it did not, and what must run again."""

    base: str
    base_commit: str
    head_commit: str
    dirty: bool
    jobs: tuple[JobOutcome, ...]
    stale_jobs: tuple[str, ...] = ()  # in an order in which they can run
    notes: tuple[str, ...] = ()
    command: str = ""  # by which another tool would do it
    seconds: float = 0.0
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def outcome(self) -> Outcome:
        """The worst of all jobs."""
        return worst(job.outcome for job in self.jobs)


def worst(outcomes: Any) -> Outcome:
    """The first of `WORST_FIRST` that is among these; unchanged if there are none."""
    there = set(outcomes)
    return next((o for o in WORST_FIRST if o in there), Outcome.UNCHANGED)
