"""Why a verdict is what it is: a closed union of values, worded in `show/`.

A reason is for people. If one carries the message of an error (`text`), no code decides anything
by that message; what a decision needs is a class or a field of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import ClassVar, TypeAlias, final

from veer.caveats import MayFail, MoreMayFail


class Cause(Enum):
    """A reason that needs no further data."""

    NO_PROOF_FOUND = "no proof found"
    SOLVER_BUDGET = "solver budget"
    QUESTION_BUDGET = "question budget"
    NESTED_TOO_DEEPLY = "nested too deeply"
    DIFFERENT_TYPES = "different types"
    SORTED_DIFFERENTLY = "sorted differently"
    DIFFER_ON_INSTANCE = "differ on an instance"  # a window: its inputs may be impossible
    DIFFER_IN_SIMULATION = "differ in simulation"
    NO_CUT_POINT = "no cut point"
    NO_VERIFIER = "no verifier"
    NO_EDITS = "no edits"
    NO_COUNTERPART = "no counterpart"  # of an output of a window
    CATALYST_DIFFERS = "catalyst differs"
    CATALYST_KNOWS_MORE = "catalyst knows more"
    COLUMNS_MOVED = "columns moved"
    NOTHING_NEEDED_CHANGES = "nothing needed changes"

    @property
    def kind(self) -> str:
        """The name of the reason in JSON reports."""
        return self.value


# -- before anything is compared ---------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class TimeLimit:
    """The time limit of the user is over."""

    kind: ClassVar[str] = "time limit"
    seconds: float


@final
@dataclass(frozen=True, slots=True)
class SinkRemoved:
    """Only the version before has the sink."""

    kind: ClassVar[str] = "sink removed"
    sink: str


@final
@dataclass(frozen=True, slots=True)
class SinkAdded:
    """Only the version after has the sink."""

    kind: ClassVar[str] = "sink added"
    sink: str


@final
@dataclass(frozen=True, slots=True)
class ColumnCounts:
    """The sinks have different numbers of columns; with the names that only one of them has."""

    kind: ClassVar[str] = "column counts"
    p: int
    q: int
    only_p: tuple[str, ...]
    only_q: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True)
class DifferentColumns:
    """The sinks have different columns; `generated` is a column with a name that Spark generates, if any."""

    kind: ClassVar[str] = "different columns"
    only_p: tuple[str, ...]
    only_q: tuple[str, ...]
    generated: str = ""


@final
@dataclass(frozen=True, slots=True)
class DifferentType:
    """A column has another type; `table_decides` if it is cast to the type of the target table."""

    kind: ClassVar[str] = "different type"
    column: str
    p: str
    q: str
    table_decides: bool = False


@final
@dataclass(frozen=True, slots=True)
class WrittenDifferently:
    """The sinks write their rows in different ways, `p` and `q` in words."""

    kind: ClassVar[str] = "written differently"
    p: str
    q: str


# -- equivalent --------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class SameOperators:
    """Both versions have the same operators on the same sources; with their number."""

    kind: ClassVar[str] = "same operators"
    count: int


@final
@dataclass(frozen=True, slots=True)
class Proven:
    """The verifiers of a proof and the number of their windows; how the other edits are settled."""

    kind: ClassVar[str] = "proven"
    evs: tuple[str, ...]
    windows: int
    normalized: bool = False  # the proof is about the normalized versions
    unseen: int = 0  # edits that change nothing of what is needed


@final
@dataclass(frozen=True, slots=True)
class QuestionsAsked:
    """A verifier has a proof; with the number of questions to the solver."""

    kind: ClassVar[str] = "questions asked"
    count: int


# -- inequivalent ------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class DiffersOn:
    """The sinks differ on an instance; with its number of rows.

    `only_order`: in nothing but the order of rows. `run_at`: in a run at that time.
    """

    kind: ClassVar[str] = "differs on"
    rows: int
    only_order: bool = False
    run_at: datetime | None = None


# -- unknown -----------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class FailsInOneVersion:
    """The results are the same, but one version may fail where the other does not."""

    kind: ClassVar[str] = "fails in one version"
    failure: MayFail | MoreMayFail


@final
@dataclass(frozen=True, slots=True)
class ZeroSignShown:
    """The result of an expression is different for 0.0 and -0.0, and Spark's plan decides which it gets."""

    kind: ClassVar[str] = "zero sign shown"
    expression: str


@final
@dataclass(frozen=True, slots=True)
class Contradicted:
    """A second solver contradicts answers that a proof uses; with their number."""

    kind: ClassVar[str] = "contradicted"
    solver: str
    questions: int


@final
@dataclass(frozen=True, slots=True)
class ProofRefuted:
    """Veer contradicts itself: it accepts a proof, and yet the versions differ on these tables."""

    kind: ClassVar[str] = "proof refuted"
    tables: str


@final
@dataclass(frozen=True, slots=True)
class DifferentComputation:
    """The first operators of the two versions that are not proven equal, each with its text.

    `q_shown` is empty where both are in the same words, `how` then says what differs; where that
    is empty too, the operators are the same and what feeds them differs.
    """

    kind: ClassVar[str] = "different computation"
    p: str
    p_shown: str
    q: str
    q_shown: str = ""
    how: str = ""


@final
@dataclass(frozen=True, slots=True)
class NoDifference:
    """There is no proof, but also no difference on small instances; with their number."""

    kind: ClassVar[str] = "no difference"
    instances: int


@final
@dataclass(frozen=True, slots=True)
class CannotRefute:
    """Why a difference in the interpreter does not imply a difference in Spark."""

    kind: ClassVar[str] = "cannot refute"
    text: str


@final
@dataclass(frozen=True, slots=True)
class Restricted:
    """A query pair violates a restriction of a verifier."""

    kind: ClassVar[str] = "restricted"
    text: str


@final
@dataclass(frozen=True, slots=True)
class Unsupported:
    """The prover does not model something; `operator` is the id that `text` names, if any."""

    kind: ClassVar[str] = "unsupported"
    text: str
    operator: str = ""


@final
@dataclass(frozen=True, slots=True)
class TooLarge:
    """The prover's bounds are reached; `operator` is the id that `text` names, if any."""

    kind: ClassVar[str] = "too large"
    text: str
    operator: str = ""


@final
@dataclass(frozen=True, slots=True)
class UnknownVerifier:
    """A proof names a verifier that does not exist."""

    kind: ClassVar[str] = "unknown verifier"
    ev: str


@final
@dataclass(frozen=True, slots=True)
class NeverAsked:
    """A proof uses an answer that its verifier never gave."""

    kind: ClassVar[str] = "never asked"
    ev: str


@final
@dataclass(frozen=True, slots=True)
class Message:
    """The message of an error, or of a verifier outside of Veer."""

    kind: ClassVar[str] = "message"
    text: str


# -- reasons about reasons ---------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class NotProven:
    """A verifier answers that two sides differ; only a witness shows that, so it counts as not proven."""

    kind: ClassVar[str] = "not proven"
    reason: Reason | None


@final
@dataclass(frozen=True, slots=True)
class NotShown:
    """A verifier does not prove what a proof claims that it proves."""

    kind: ClassVar[str] = "not shown"
    ev: str
    reason: Reason | None


@final
@dataclass(frozen=True, slots=True)
class SaidBy:
    """The answer that all these verifiers gave."""

    kind: ClassVar[str] = "said by"
    evs: tuple[str, ...]
    reason: Reason | None


@final
@dataclass(frozen=True, slots=True)
class AtCutPoint:
    """Why the outputs of two operators, one of each version, are not proven equal."""

    kind: ClassVar[str] = "cut point"
    p: str
    q: str
    reason: Reason


@final
@dataclass(frozen=True, slots=True)
class WindowNotShown:
    """A window of operators of both versions that no verifier could prove equal, and why."""

    kind: ClassVar[str] = "window not shown"
    p: tuple[str, ...]
    q: tuple[str, ...]
    reasons: tuple[Reason, ...]


@final
@dataclass(frozen=True, slots=True)
class ClaimNotShown:
    """A claim that a proof needs and that is not proven, and why."""

    kind: ClassVar[str] = "claim not shown"
    p: str
    q: str
    reasons: tuple[Reason, ...]


@final
@dataclass(frozen=True, slots=True)
class DecompositionBudget:
    """The search found no proof within its number of decompositions, and why."""

    kind: ClassVar[str] = "decomposition budget"
    decompositions: int
    reason: Reason


@final
@dataclass(frozen=True, slots=True)
class Several:
    """Several reasons, each once."""

    kind: ClassVar[str] = "several"
    reasons: tuple[Reason, ...]


def several(reasons: Iterable[Reason]) -> Reason:
    """All of some reasons, each once."""
    distinct = tuple(dict.fromkeys(reasons))
    return distinct[0] if len(distinct) == 1 else Several(distinct)


Reason: TypeAlias = (
    Cause
    | TimeLimit
    | SinkRemoved
    | SinkAdded
    | ColumnCounts
    | DifferentColumns
    | DifferentType
    | WrittenDifferently
    | SameOperators
    | Proven
    | QuestionsAsked
    | DiffersOn
    | FailsInOneVersion
    | ZeroSignShown
    | Contradicted
    | ProofRefuted
    | DifferentComputation
    | NoDifference
    | CannotRefute
    | Restricted
    | Unsupported
    | TooLarge
    | UnknownVerifier
    | NeverAsked
    | Message
    | NotProven
    | NotShown
    | SaidBy
    | AtCutPoint
    | WindowNotShown
    | ClaimNotShown
    | DecompositionBudget
    | Several
)
