"""What a proof must pass before EQUIVALENT is given out: the checker, and simulation."""

from __future__ import annotations

from dataclasses import dataclass

from veer.analysis.failures import may_fail, only_in
from veer.analysis.signed_zeros import shown_zero_sign
from veer.errors import DefectError
from veer.model.json import to_json
from veer.options import ErrorHandling
from veer.proof import NORMALIZE, Claim, Proof, ProofError, check, is_unseen_edit
from veer.refute import Refutation, first_difference
from veer.search.attempts import Attempts
from veer.search.catalyst import CATALYST
from veer.verdict import Caveat, SinkReport, Verdict
from veer.verification.evidence import Evidence

GUARD_INSTANCES = 8
MOST_CAVEATS = 4


@dataclass
class ProofGuard:
    """What makes a proof of one pair of sinks an EQUIVALENT."""

    refutation: Refutation
    goal: Claim
    attempts: Attempts
    caveats: tuple[Caveat, ...]
    errors: ErrorHandling
    choices: dict[str, str]
    evidence: Evidence | None = None

    def report(self, proof: Proof) -> SinkReport | str:
        """The verdict a proof gives, with its evidence if asked for; or why it is none."""
        found = self._report(proof)
        if self.evidence is None or isinstance(found, str):
            return found
        if found.verdict is not Verdict.EQUIVALENT:
            return found
        return self.evidence.added_to(found, proof, self.refutation.p, self.refutation.q)

    def _report(self, proof: Proof) -> SinkReport | str:
        """EQUIVALENT, if the checker accepts the proof and simulation agrees; else why not."""
        p, q, a, b = self.refutation.p, self.refutation.q, self.goal.p, self.goal.q
        ask = self.attempts.answer if self.evidence is None else self.evidence.ask
        try:
            assumptions = check(proof, p, q, self.goal, ask, self.choices)
        except ProofError as error:
            return str(error)
        evs = [step.ev for step in proof.steps if step.ev]
        try:
            _guard(self.refutation)
        except DefectError:
            if evs != [CATALYST]:
                raise
            return "catalyst: Spark's optimizer knows more than holds for every source"
        tidy = any(step.rule == NORMALIZE for step in proof.steps)
        unseen = sum(is_unseen_edit(step, p, q) for step in proof.steps if step.rule != NORMALIZE)
        if not evs and not unseen and not tidy:
            reason = f"the same {len(proof.steps) - 1} operators on the same sources"
            return SinkReport(a, b, Verdict.EQUIVALENT, reason, assumptions, self.caveats)
        for side in (p, q):
            if shown := shown_zero_sign(side):
                return (
                    f"{shown} tells 0.0 from -0.0 of a float that is compared or grouped by: "
                    "which of them Spark gives depends on its plan"
                )
        windows = self.attempts.used(proof, p, q)
        failures = _failures(self.refutation)
        if failures and self.errors is ErrorHandling.STRICT:
            reason = f"the results are the same, but {failures[0].text}"
            return SinkReport(a, b, Verdict.UNKNOWN, reason, assumptions, self.caveats, windows)
        reasons = []
        if evs:
            count = f" in {len(evs)} windows" if len(evs) > 1 else ""
            reasons.append(f"proven by {' and '.join(dict.fromkeys(evs))}{count}")
        if tidy:
            reasons.append("columns are computed elsewhere, to the same effect")
        if unseen:
            verb = "edit changes" if unseen == 1 else "edits change"
            reasons.append(f"{unseen} {verb} nothing that is needed")
        caveats = (*self.caveats, *failures)
        reason = "; ".join(reasons)
        return SinkReport(a, b, Verdict.EQUIVALENT, reason, assumptions, caveats, windows)


def _failures(refutation: Refutation) -> list[Caveat]:
    """What may fail a run of one version but not of the other."""
    ours = may_fail(refutation.p, refutation.p_sink)
    theirs = may_fail(refutation.q, refutation.q_sink)
    found = [f"P may fail where Q does not: {x}" for x in only_in(ours, theirs)]
    found += [f"Q may fail where P does not: {x}" for x in only_in(theirs, ours)]
    if len(found) > MOST_CAVEATS:
        more = len(found) - MOST_CAVEATS
        found = [*found[:MOST_CAVEATS], f"{more} more expressions may fail in one version only"]
    return [Caveat(text) for text in found]


def _guard(refutation: Refutation) -> None:
    """Simulation must agree before EQUIVALENT is given out; else Veer itself is wrong."""
    tables = first_difference(refutation, GUARD_INSTANCES)
    if tables is not None:
        evidence = {
            "p": to_json(refutation.p),
            "q": to_json(refutation.q),
            "tables": {name: repr(rows) for name, rows in tables.items()},
        }
        raise DefectError(
            f"sinks {refutation.p_sink!r} and {refutation.q_sink!r} are proven equal but differ on "
            f"{tables}; please report this with both versions",
            evidence,
        )
