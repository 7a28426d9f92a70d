"""Claims that two signals are equal, and the steps of a proof.

Data only: what makes a step sound is said in `checker`, which decides, and in `rules`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, assert_never, final

from veer.errors import InputError
from veer.facts.congruence import Pairs, everything
from veer.ir.dag import Dataflow
from veer.reasons import Message, NotShown, Reason
from veer.verdict import Rule, TableSemantics

MOST_NAMES = 6  # shown of a claim's columns


@final
@dataclass(frozen=True, slots=True)
class Claim:
    """The output of operator `p` of P equals the output of operator `q` of Q.

    On every instance that keeps what the tables declare: the rows of one cut down to its columns are
    those of the other, in the sense of `semantics`. `columns` pairs positions of P's columns with
    positions of Q's; None for all, in order, of the same types.
    """

    p: str
    q: str
    semantics: TableSemantics
    columns: tuple[tuple[int, int], ...] | None = None


@final
@dataclass(frozen=True, slots=True)
class CongruenceStep:
    """The same operator on inputs proven equal."""

    claim: Claim
    leaves: tuple[Claim, ...]


@final
@dataclass(frozen=True, slots=True)
class PassThroughStep:
    """An operator of one side changes nothing of what is claimed: P's if `in_p`, else Q's.

    Deleting `d` above `a`: from `a ~ a` follows `d ~ a`.
    """

    claim: Claim
    leaves: tuple[Claim, ...]
    in_p: bool


@final
@dataclass(frozen=True, slots=True)
class SinkStep:
    """Two sinks show what feeds them."""

    claim: Claim
    leaves: tuple[Claim, ...]


@final
@dataclass(frozen=True, slots=True)
class VerifierStep:
    """The verifier `ev` shows the claim of the operators between the leaves and the claim."""

    claim: Claim
    leaves: tuple[Claim, ...]
    ev: str


@final
@dataclass(frozen=True, slots=True)
class NormalizedStep:
    """The steps `inner` show the claim, about sinks, of the normalized versions."""

    claim: Claim
    inner: tuple[Step, ...]

    @property
    def leaves(self) -> tuple[Claim, ...]:
        """Nothing: the inner steps start from the sources."""
        return ()


Step: TypeAlias = CongruenceStep | PassThroughStep | SinkStep | VerifierStep | NormalizedStep


@final
@dataclass(frozen=True, slots=True)
class Proof:
    """Steps in order; the last one claims the sinks equal."""

    steps: tuple[Step, ...]


def verifiers(step: Step) -> tuple[str, ...]:
    """The verifiers a step rests on, each once."""
    match step:
        case VerifierStep():
            return (step.ev,)
        case NormalizedStep():
            return tuple(dict.fromkeys(ev for inner in step.inner for ev in verifiers(inner)))
        case CongruenceStep() | PassThroughStep() | SinkStep():
            return ()
        case _:
            assert_never(step)


def rule_of(step: Step) -> Rule:
    """By which rule a step is closed."""
    match step:
        case CongruenceStep():
            return Rule.CONGRUENCE
        case PassThroughStep():
            return Rule.PASS_THROUGH
        case SinkStep():
            return Rule.SINK
        case VerifierStep():
            return Rule.VERIFIER
        case NormalizedStep():
            return Rule.NORMALIZE
        case _:
            assert_never(step)


class ProofError(Exception):
    """Why something is not a proof."""

    @property
    def reason(self) -> Reason:
        """The same as a reason for a report."""
        return Message(str(self))


class NotShownError(ProofError):
    """A verifier does not show what a step says that it shows."""

    def __init__(self, ev: str, answered: Reason | None) -> None:
        super().__init__(f"{ev} does not show it")
        self.ev, self.answered = ev, answered

    @property
    def reason(self) -> Reason:
        """That the verifier did not show it, and its own reason."""
        return NotShown(self.ev, self.answered)


def reason_of(error: ProofError | InputError) -> Reason:
    """Why a question to a verifier could not even be put."""
    return error.reason if isinstance(error, ProofError) else Message(str(error))


def implies(claim: Claim, goal: Claim) -> bool:
    """Whether one claim gives another about the same signals: as strong, on all of its columns."""
    if (claim.p, claim.q) != (goal.p, goal.q) or not claim.semantics.implies(goal.semantics):
        return False
    if claim.columns is None:
        return goal.columns is None or all(i == j for i, j in goal.columns)
    return goal.columns is not None and set(goal.columns) <= set(claim.columns)


def claim_on(
    p: Dataflow, a: str, q: Dataflow, b: str, semantics: TableSemantics, pairs: Pairs
) -> Claim:
    """The claim about these columns, None where they are all."""
    every = pairs == everything(p.schemas[a], q.schemas[b])
    return Claim(a, b, semantics, None if every else tuple(sorted(pairs)))


def pairs_of(claim: Claim, p: Dataflow, q: Dataflow) -> Pairs:
    """The columns a claim is about."""
    if claim.columns is not None:
        return frozenset(claim.columns)
    every = everything(p.schemas[claim.p], q.schemas[claim.q])
    if every is None:
        raise ProofError(f"{claim.p!r} and {claim.q!r} have other columns")
    return every


def show_claim(claim: Claim, p: Dataflow) -> str:
    """A claim in words, its columns by their names in P."""
    shown = f"{claim.p} ~ {claim.q} as {claim.semantics.value}"
    if claim.columns is None:
        return shown
    every = p.schemas[claim.p].names
    names = list(dict.fromkeys(every[i] for i, _ in claim.columns))
    if len(names) > MOST_NAMES:
        return f"{shown} on {len(names)} of {len(every)} columns"
    return f"{shown} on {', '.join(names) or 'no column'}"
