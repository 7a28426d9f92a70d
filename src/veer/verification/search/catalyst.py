"""A last attempt on a whole pair: what Spark's optimizer makes of both versions is the same.

Not a verifier: it would accept everything, and the whole pair would be the only window. The
optimized plans are read back and compared operator by operator, never by Spark's own comparison.
"""

from __future__ import annotations

import time

from veer.ir.dag import Dataflow
from veer.reasons import Cause, Reason, SaidBy
from veer.verdict import Answer, Verdict
from veer.verification import proof as verification_proof
from veer.verification.search.attempts import Attempts
from veer.verification.search.congruence import congruent_steps, prove
from veer.verification.search.whole import source_pairs, top_claim

CATALYST = "catalyst"


def prove_by_catalyst(
    p: Dataflow,
    q: Dataflow,
    goal: verification_proof.Claim,
    optimized: tuple[Dataflow, Dataflow],
    attempts: Attempts,
) -> verification_proof.Proof | Reason:
    """A proof with one step for the whole pair, or why there is none."""
    start = time.perf_counter()
    proof = prove(*optimized, goal)
    if not isinstance(proof, verification_proof.Proof):
        return SaidBy((CATALYST,), Cause.CATALYST_DIFFERS)
    top = top_claim(p, q, goal)
    try:
        assumptions = verification_proof.check(proof, *optimized, goal)
        steps, claims = congruent_steps(p, q, source_pairs(p, q, top))
        step = verification_proof.VerifierStep(top, claims, CATALYST)
        pair = verification_proof.query_pair(step, p, q)
    except verification_proof.ProofError as error:
        return SaidBy((CATALYST,), error.reason)
    # The checker finds the answer recorded, as it would a verifier's; what it trusts is that Spark's
    # optimizer keeps the meaning of a plan.
    answer = Answer(Verdict.EQUIVALENT, None, assumptions)
    attempts.record(CATALYST, pair, answer, time.perf_counter() - start)
    return verification_proof.Proof((*steps, step, verification_proof.SinkStep(goal, (top,))))
