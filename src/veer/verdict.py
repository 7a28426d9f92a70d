"""Verdicts, answers and reports: what Veer says, with the evidence for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from typing import Any, NoReturn, Protocol, final

from veer.assumptions import Assumption, LeafKeyHolds
from veer.caveats import Caveat
from veer.hints import Declaration, Hint
from veer.reasons import Reason


class TableSemantics(Enum):
    """When two tables count as the same; each implies those before it."""

    SET = "set"
    BAG = "bag"
    ORDERED_BAG = "ordered"

    def implies(self, other: TableSemantics) -> bool:
        """Whether tables the same in this sense are the same in the other."""
        order = list(TableSemantics)
        return order.index(self) >= order.index(other)

    def __or__(self, other: TableSemantics) -> TableSemantics:
        """The stronger of the two: enough for both."""
        return self if self.implies(other) else other


class Verdict(Enum):
    """The verdict on a pair. It has no truth value: compare it with `is`."""

    EQUIVALENT = "equivalent"
    INEQUIVALENT = "inequivalent"
    UNKNOWN = "unknown"

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict is no truth value: compare it with `is`")

    @property
    def exit_status(self) -> int:
        """The exit status of commands whose result is this verdict."""
        return {"equivalent": 0, "inequivalent": 1, "unknown": 2}[self.value]


@final
@dataclass(frozen=True, slots=True)
class Answer:
    """What an EV says of one query pair: a verdict, why, and what it rests on."""

    verdict: Verdict
    reason: Reason | None = None
    assumptions: tuple[Assumption | LeafKeyHolds, ...] = ()

    def __post_init__(self) -> None:
        if self.reason is not None and not isinstance(self.reason, Reason):
            raise TypeError(f"a reason is a value of veer.reasons, not {self.reason!r}")
        for assumption in self.assumptions:
            if not isinstance(assumption, Assumption | LeafKeyHolds):
                raise TypeError(f"an assumption is one of veer.assumptions, not {assumption!r}")


class WitnessKind(Enum):
    """What a witness shows; the values are those of the JSON report."""

    SCHEMA = "schema"
    ROWS = "rows"


@final
@dataclass(frozen=True)
class Witness:
    """Why two sinks differ: source tables with both results, or a difference of schemas."""

    kind: WitnessKind
    tables: Mapping[str, Any] = field(default_factory=dict)
    p_rows: tuple[tuple[Any, ...], ...] = ()
    q_rows: tuple[tuple[Any, ...], ...] = ()
    difference: Reason | None = None  # of schemas
    columns: tuple[str, ...] = ()  # of the results
    # Tables and results as people read them, where that is not how they are: timestamps in the time
    # zone of the versions.
    shown_tables: Mapping[str, Any] = field(default_factory=dict)
    shown_rows: tuple[tuple[Any, ...], tuple[Any, ...]] | None = None


OBLIGATIONS = "obligations"


@final
@dataclass(frozen=True)
class WindowReport:
    """One window handed to an EV, and what it said; `used` if the proof rests on it.

    `shown` are the operators of both sides in words, `claim` the cut point that was proven. An
    edit that changes nothing of what is needed is settled by `OBLIGATIONS`, without an EV.
    """

    p: tuple[str, ...]
    q: tuple[str, ...]
    ev: str
    answer: Answer
    seconds: float = 0.0
    used: bool = False
    shown: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    claim: str = ""


class Rule(Enum):
    """By which rule a step of a proof is closed; the values are the words of `proof.json`."""

    CONGRUENCE = "congruence"
    PASS_THROUGH = "wire"
    SINK = "sink"
    VERIFIER = "ev"
    NORMALIZE = "normalize"


@final
@dataclass(frozen=True)
class StepReport:
    """One step of a proof: what it shows, from what, by which rule.

    A step closed by a verifier has the operators of both sides in words, and in SMT-LIB 2 every
    question to the solver that was answered by yes on the way.
    """

    claim: str
    leaves: tuple[str, ...]
    rule: Rule
    ev: str = ""
    shown: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    questions: tuple[str, ...] = ()
    inner: tuple[StepReport, ...] = ()

    @property
    def all_questions(self) -> tuple[str, ...]:
        """Those of the inner steps too."""
        return (*self.questions, *(q for step in self.inner for q in step.all_questions))


class SecondAnswer(Enum):
    """What another solver says of a question that was answered by yes."""

    AGREED = "agreed"
    NOT_RECHECKED = "not re-checked"  # it does not know, or its budget ran out
    DISAGREED = "disagreed"


@final
@dataclass(frozen=True)
class Recheck:
    """What another solver says of the questions behind a proof: an answer, and its words."""

    solver: str
    answers: Mapping[str, tuple[SecondAnswer, str]]

    def having(self, answer: SecondAnswer) -> list[str]:
        """The questions answered like this."""
        return [question for question, (given, _) in self.answers.items() if given is answer]


@final
@dataclass(frozen=True)
class Resisted:
    """The smallest pair of signals that agrees on all instances and that no verifier could prove.

    Or, if it does not `agree`, the operators at which the two versions part.
    `p_sql` and `q_sql` compute both as Spark SQL over tables, and over signals that are taken as
    equal: `given`, by the name they have in the SQL, with their operators in P and Q.
    """

    p: str
    q: str
    p_sql: str
    q_sql: str
    given: tuple[tuple[str, str, str], ...] = ()
    agrees: bool = True


@final
@dataclass(frozen=True)
class Suggestion:
    """Declarations under which a pair of sinks is proven; none if there are none among `tried`.

    `at_most` is the verdict with all that was tried declared at once.
    """

    declarations: tuple[Declaration, ...]
    tried: int
    at_most: Verdict


@final
@dataclass(frozen=True)
class SinkReport:
    """The verdict on one pair of sinks; `p` or `q` is empty where a sink was added or removed.

    `steps`, `recheck` and `suggestion` are there if asked for; `resisted` and `hints` tell more of
    what is unknown.
    """

    p: str
    q: str
    verdict: Verdict
    reason: Reason
    assumptions: tuple[Assumption, ...] = ()
    caveats: tuple[Caveat, ...] = ()
    windows: tuple[WindowReport, ...] = ()
    witness: Witness | None = None
    steps: tuple[StepReport, ...] = ()
    recheck: Recheck | None = None
    resisted: Resisted | None = None
    hints: tuple[Hint, ...] = ()
    suggestion: Suggestion | None = None


@final
@dataclass(frozen=True)
class EditReport:
    """One edit in words, with the operators it touches; where it stands in a file, if known."""

    kind: str
    operator: str
    detail: str
    line: int = 0
    file: str = ""


@final
@dataclass(frozen=True)
class SourceLocation:
    """The file a version was read from, from the root of its repository; `line` 0 if not known.

    `root` stands before the files that operators of the version name.
    """

    file: str
    line: int = 0
    root: str = ""


@final
@dataclass(frozen=True)
class Counts:
    """What the search did; of the calls of verifiers so many were answered from memory."""

    windows: int = 0
    decompositions: int = 0
    ev_calls: int = 0
    remembered: int = 0


class Viewable(Protocol):
    """What was compared, kept for those who want to look at it."""

    def data(self, sinks: Sequence[SinkReport]) -> dict[str, Any]:
        """What the interactive view shows, as JSON data."""
        ...


@final
@dataclass(frozen=True)
class Report:
    """The verdict on a version pair, sink by sink; `compared` has the data of its interactive view."""

    p: str
    q: str
    semantics: TableSemantics
    edits: tuple[EditReport, ...]
    sinks: tuple[SinkReport, ...]
    counts: Counts = Counts()
    seconds: float = 0.0
    place: SourceLocation | None = None  # of the new version
    limit: float = 0.0  # seconds it had, if it was stopped after them
    compared: Viewable | None = field(default=None, compare=False)

    def __str__(self) -> str:
        """The report as text for people."""
        shown: str = import_module("veer.show.as_text").plain_text_of(self)
        return shown

    def __repr__(self) -> str:
        sinks = f"{len(self.sinks)} sink{'' if len(self.sinks) == 1 else 's'}"
        return f"<Report {self.p!r} -> {self.q!r}: {self.verdict.value}, {sinks}>"

    @property
    def verdict(self) -> Verdict:
        """Any sink inequivalent, else any unknown, else equivalent."""
        verdicts = [sink.verdict for sink in self.sinks]
        for worst in (Verdict.INEQUIVALENT, Verdict.UNKNOWN):
            if worst in verdicts:
                return worst
        return Verdict.EQUIVALENT

    @property
    def disagreements(self) -> list[str]:
        """Questions on which a second solver contradicts the first: each is a defect."""
        rechecks = (sink.recheck for sink in self.sinks if sink.recheck)
        return [q for recheck in rechecks for q in recheck.having(SecondAnswer.DISAGREED)]

    def _repr_html_(self) -> str:
        """The report in a notebook."""
        shown: str = import_module("veer.show.as_html").notebook(self)
        return shown
