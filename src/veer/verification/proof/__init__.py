"""Proofs: claims that two signals are equal, steps that establish them, and their checker.

Every operator output is a signal. A claim pairs a signal of P with one of Q; a proof is an
ordered list of steps, each using earlier claims only.
"""

from veer.verification.proof.checker import Ask, check
from veer.verification.proof.claims import (
    Claim,
    CongruenceStep,
    NormalizedStep,
    PassThroughStep,
    Proof,
    ProofError,
    SinkStep,
    Step,
    VerifierStep,
    claim_on,
    implies,
    pairs_of,
    reason_of,
    rule_of,
    show_claim,
    verifiers,
)
from veer.verification.proof.leaves import query_pair
from veer.verification.proof.rules import (
    by_congruence,
    by_passing_through,
    is_unseen_edit,
    same_operator,
)

__all__ = [
    "Ask",
    "Claim",
    "CongruenceStep",
    "NormalizedStep",
    "PassThroughStep",
    "Proof",
    "ProofError",
    "SinkStep",
    "Step",
    "VerifierStep",
    "by_congruence",
    "by_passing_through",
    "check",
    "claim_on",
    "implies",
    "is_unseen_edit",
    "pairs_of",
    "query_pair",
    "reason_of",
    "rule_of",
    "same_operator",
    "show_claim",
    "verifiers",
]
