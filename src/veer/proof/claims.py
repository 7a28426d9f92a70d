"""Claims that two signals are equal, and the steps of a proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from veer.analysis.congruence import Pairs, everything
from veer.model.dag import Dataflow
from veer.verdict import TableSemantics

CONGRUENCE = "congruence"
WIRE = "wire"
SINK = "sink"
BY_EV = "ev"
NORMALIZE = "tidy"
MOST_NAMES = 6  # shown of a claim's columns


@final
@dataclass(frozen=True, slots=True)
class Claim:
    """The output of operator `p` of P equals the output of operator `q` of Q.

    `columns` pairs positions of P's columns with positions of Q's; None for all, in order, of
    the same types.
    """

    p: str
    q: str
    semantics: TableSemantics
    columns: tuple[tuple[int, int], ...] | None = None


@final
@dataclass(frozen=True, slots=True)
class Step:
    """A claim, the earlier claims it rests on, and the rule that closes it.

    `congruence`: the same operator on the same inputs. `wire`: an operator of one side changes
    nothing of what is claimed. `sink`: a sink shows what feeds it. `ev`: the verifier `ev` shows
    it of the operators between the leaves and the claim. `tidy`: the steps `inner` show it of the
    tidy forms of both versions, with the verifiers `ev`.
    """

    claim: Claim
    leaves: tuple[Claim, ...]
    rule: str
    ev: str = ""
    inner: tuple[Step, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Proof:
    """Steps in order; the last one claims the sinks equal."""

    steps: tuple[Step, ...]


class ProofError(Exception):
    """Why something is not a proof."""


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
    found = everything(p.schemas[claim.p], q.schemas[claim.q])
    if found is None:
        raise ProofError(f"{claim.p!r} and {claim.q!r} have other columns")
    return found


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
