"""Proofs: claims that two signals are equal, steps that establish them, and their checker.

Every operator output is a signal. A claim pairs a signal of P with one of Q; a proof is an
ordered list of steps, each using earlier claims only.
"""

from veer.proof.checker import Ask, check
from veer.proof.claims import (
    BY_EV,
    CONGRUENCE,
    NORMALIZE,
    SINK,
    WIRE,
    Claim,
    Proof,
    ProofError,
    Step,
    claim_on,
    implies,
    pairs_of,
    show_claim,
)
from veer.proof.leaves import query_pair
from veer.proof.rules import by_congruence, by_wire, is_unseen_edit, same_operator

__all__ = [
    "BY_EV",
    "CONGRUENCE",
    "NORMALIZE",
    "SINK",
    "WIRE",
    "Ask",
    "Claim",
    "Proof",
    "ProofError",
    "Step",
    "by_congruence",
    "by_wire",
    "check",
    "claim_on",
    "implies",
    "is_unseen_edit",
    "pairs_of",
    "query_pair",
    "same_operator",
    "show_claim",
]
