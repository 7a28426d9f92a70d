"""Proofs by congruence alone: the same operators on the same inputs, from sources to sink."""

from __future__ import annotations

from collections.abc import Sequence

from veer.facts.fingerprint import fingerprints
from veer.ir.dag import Dataflow
from veer.ir.pprint import brief
from veer.reasons import DifferentComputation
from veer.verdict import TableSemantics
from veer.verification import proof
from veer.verification.versions.differences import differences


def prove(p: Dataflow, q: Dataflow, goal: proof.Claim) -> proof.Proof | DifferentComputation:
    """A proof that two sinks are equal, or where congruence ends.

    Congruence holds for every table semantics, so each step claims the strongest: the order of
    rows too, which a limit above needs.
    """
    (start_p,), (start_q,) = p.inputs[goal.p], q.inputs[goal.q]
    if fingerprints(p)[start_p] != fingerprints(q)[start_q]:
        return _obstacle(p, q, start_p, start_q)
    steps, claims = congruent_steps(p, q, [(start_p, start_q)])
    return proof.Proof((*steps, proof.SinkStep(goal, claims)))


def congruent_steps(
    p: Dataflow, q: Dataflow, pairs: Sequence[tuple[str, str]]
) -> tuple[tuple[proof.Step, ...], tuple[proof.Claim, ...]]:
    """Steps from the sources to pairs of signals of equal fingerprint, and the claims on those."""
    steps: list[proof.Step] = []
    claimed: dict[tuple[str, str], proof.Claim] = {}
    stack: list[tuple[str, str, bool]] = [(a, b, False) for a, b in reversed(pairs)]
    while stack:
        a, b, ready = stack.pop()
        if (a, b) in claimed:
            continue
        below = list(zip(p.inputs[a], q.inputs[b], strict=True))
        if not ready:
            stack.append((a, b, True))
            stack += [(x, y, False) for x, y in reversed(below) if (x, y) not in claimed]
            continue
        claim = proof.Claim(a, b, TableSemantics.ORDERED_BAG)
        leaves = tuple(dict.fromkeys(claimed[pair] for pair in below))
        steps.append(proof.CongruenceStep(claim, leaves))
        claimed[a, b] = claim
    return tuple(steps), tuple(claimed[pair] for pair in pairs)


def _obstacle(p: Dataflow, q: Dataflow, a: str, b: str) -> DifferentComputation:
    """Walk down from two different signals to the place where they first differ."""
    prints_p, prints_q = fingerprints(p), fingerprints(q)
    while True:
        below_p, below_q = p.inputs[a], q.inputs[b]
        same_shape = type(p.operators[a]) is type(q.operators[b]) and len(below_p) == len(below_q)
        parted = [
            (x, y) for x, y in zip(below_p, below_q, strict=False) if prints_p[x] != prints_q[y]
        ]
        if not same_shape or len(parted) != 1:
            break
        a, b = parted[0]
    one, two = p.operators[a], q.operators[b]
    if one == two:
        return DifferentComputation(a, brief(one), b)
    if brief(one) == brief(two):
        return DifferentComputation(a, brief(one), b, how=differences(one, two))
    return DifferentComputation(a, brief(one), b, brief(two))
