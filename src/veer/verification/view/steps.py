"""The steps of a proof, in order, each with its operators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from veer.ir.dag import Dataflow
from veer.ir.query_pair import operators_between
from veer.rewrite.normalize import normalized
from veer.verdict import OBLIGATIONS, WindowReport
from veer.verification import proof as verification_proof
from veer.verification.versions import VersionPair
from veer.verification.view.graph import Graph


def proof_steps(
    proof: verification_proof.Proof,
    pair: VersionPair,
    graph: Graph,
    windows: Sequence[WindowReport],
) -> list[dict[str, Any]]:
    """Every step; those about normal forms are marked, and follow each other."""
    took = {(w.ev, w.p, w.q): w.seconds for w in windows}
    shown: list[dict[str, Any]] = []
    earlier: dict[tuple[bool, str, str], list[tuple[verification_proof.Claim, int]]] = defaultdict(
        list
    )
    for step, p, q, is_normalized in _flat(proof.steps, pair.p, pair.q, False):
        between = _between(step, p, q)
        ev = (
            OBLIGATIONS
            if _is_unseen_edit(step, p, q)
            else next(iter(verification_proof.verifiers(step)), "")
        )
        known = [_shown_by(leaf, earlier[is_normalized, leaf.p, leaf.q]) for leaf in step.leaves]
        claim = step.claim
        earlier[is_normalized, claim.p, claim.q].append((claim, len(shown)))
        shown.append(
            {
                "claim": [graph.place_p.get(claim.p), graph.place_q.get(claim.q)],
                "text": verification_proof.show_claim(claim, p),
                "rule": verification_proof.rule_of(step).value,
                "ev": ev,
                "seconds": took.get((ev, *between)),
                "places": graph.changed_below(claim.p, claim.q)
                if isinstance(step, verification_proof.NormalizedStep)
                else graph.places(*between),
                "from": [number for number in known if number is not None],
                "normalized": is_normalized,
            }
        )
    return shown


def _shown_by(
    leaf: verification_proof.Claim, earlier: Sequence[tuple[verification_proof.Claim, int]]
) -> int | None:
    """The number of the first step that shows as much."""
    return next(
        (number for claim, number in earlier if verification_proof.implies(claim, leaf)), None
    )


def _flat(
    steps: Sequence[verification_proof.Step], p: Dataflow, q: Dataflow, is_normalized: bool
) -> Iterator[tuple[verification_proof.Step, Dataflow, Dataflow, bool]]:
    """The steps with the dataflows they are about; inner ones before the step they belong to."""
    for step in steps:
        if isinstance(step, verification_proof.NormalizedStep):
            yield from _flat(step.inner, normalized(p), normalized(q), True)
        yield step, p, q, is_normalized


def _between(
    step: verification_proof.Step, p: Dataflow, q: Dataflow
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The operators of both sides that a step is about."""
    if isinstance(step, verification_proof.VerifierStep):
        asked = verification_proof.query_pair(step, p, q)
        return operators_between(asked.p), operators_between(asked.q)
    return (step.claim.p,), (step.claim.q,)


def _is_unseen_edit(step: verification_proof.Step, p: Dataflow, q: Dataflow) -> bool:
    """Whether a step settles an edit by what is needed above it."""
    return not isinstance(
        step, verification_proof.NormalizedStep
    ) and verification_proof.is_unseen_edit(step, p, q)
