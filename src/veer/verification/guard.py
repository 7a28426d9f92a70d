"""What a proof must pass before EQUIVALENT is given out: the checker, and simulation.

The checker is what soundness rests on. Simulation runs both versions on a few instances all the same:
where it disagrees with an accepted proof, Veer has a defect and says so: the verdict is UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from veer import reasons
from veer.assumptions import MergeStops
from veer.caveats import Caveat, MayFail, MoreMayFail, Side
from veer.facts.signed_zeros import shown_zero_sign
from veer.facts.sink_assumptions import columns_as_used, declared_of_functions
from veer.ir.dag import Dataflow
from veer.ir.ops import Sink
from veer.ir.writes import Change
from veer.options import ErrorHandling
from veer.refute import Refutation, first_difference
from veer.verdict import SinkReport, Verdict
from veer.verification import proof as verification_proof
from veer.verification.evidence import Evidence
from veer.verification.failures import may_fail, only_in
from veer.verification.search.attempts import Attempts
from veer.verification.search.catalyst import CATALYST

GUARD_INSTANCES = 8
MOST_CAVEATS = 4


@dataclass
class ProofGuard:
    """What makes a proof of one pair of sinks an EQUIVALENT.

    The proof is about the versions with all their sinks, the rest about what these two depend on.
    """

    p: Dataflow
    q: Dataflow
    refutation: Refutation
    goal: verification_proof.Claim
    attempts: Attempts
    caveats: tuple[Caveat, ...]
    errors: ErrorHandling
    choices: dict[str, str]
    evidence: Evidence | None = None

    def report(self, proof: verification_proof.Proof) -> SinkReport | reasons.Reason:
        """The verdict a proof gives, with its evidence if asked for; or why it is none."""
        report = self._report(proof)
        if self.evidence is None or not isinstance(report, SinkReport):
            return report
        if report.verdict is not Verdict.EQUIVALENT:
            return report
        return self.evidence.added_to(report, proof, self.p, self.q)

    def _report(self, proof: verification_proof.Proof) -> SinkReport | reasons.Reason:
        """EQUIVALENT, if the checker accepts the proof and simulation agrees; else why not."""
        p, q, a, b = self.p, self.q, self.goal.p, self.goal.q
        ask = self.attempts.answer if self.evidence is None else self.evidence.ask
        try:
            assumptions = verification_proof.check(proof, p, q, self.goal, ask, self.choices)
            declared = {*declared_of_functions(p, a), *declared_of_functions(q, b)}
            assumptions = (*assumptions, *sorted(declared, key=repr))
        except verification_proof.ProofError as error:
            return error.reason
        tables = first_difference(self.refutation, GUARD_INSTANCES)
        if tables is not None:
            # Spark may use facts of the data that the dataflow does not declare: no defect of ours.
            if [
                verification_proof.verifiers(step)
                for step in proof.steps
                if verification_proof.verifiers(step)
            ] == [(CATALYST,)]:
                return reasons.SaidBy((CATALYST,), reasons.Cause.CATALYST_KNOWS_MORE)
            # Prover or interpreter is wrong, so neither is believed: nothing else is tried.
            refuted = reasons.ProofRefuted(
                repr({name: list(rows) for name, rows in tables.items()})
            )
            return SinkReport(a, b, Verdict.UNKNOWN, refuted, (), self.caveats)
        reason = _reason(proof, p, q)
        if isinstance(reason, reasons.SameOperators):
            return SinkReport(a, b, Verdict.EQUIVALENT, reason, assumptions, self.caveats)
        merges = sorted({*_merges(p, a), *_merges(q, b)}, key=repr)
        assumptions = (*assumptions, *merges, *columns_as_used((p, a), (q, b)))
        # Different plans may show different signs of zeros; versions that are alike have one plan.
        for side in (self.refutation.p, self.refutation.q):
            if shown := shown_zero_sign(side):
                return reasons.ZeroSignShown(shown)
        windows = self.attempts.used(proof, p, q)
        failures = _failures(self.refutation)
        if failures and self.errors is ErrorHandling.STRICT:
            fails = reasons.FailsInOneVersion(failures[0])
            return SinkReport(a, b, Verdict.UNKNOWN, fails, assumptions, self.caveats, windows)
        caveats = (*self.caveats, *failures)
        return SinkReport(a, b, Verdict.EQUIVALENT, reason, assumptions, caveats, windows)


def _reason(
    proof: verification_proof.Proof, p: Dataflow, q: Dataflow
) -> reasons.SameOperators | reasons.Proven:
    """By what a proof shows two versions equal."""
    asked = [
        verification_proof.verifiers(step)
        for step in proof.steps
        if verification_proof.verifiers(step)
    ]
    normalized = any(isinstance(step, verification_proof.NormalizedStep) for step in proof.steps)
    steps = [
        step for step in proof.steps if not isinstance(step, verification_proof.NormalizedStep)
    ]
    unseen = sum(verification_proof.is_unseen_edit(step, p, q) for step in steps)
    if not asked and not unseen and not normalized:
        return reasons.SameOperators(len(proof.steps) - 1)
    evs = tuple(dict.fromkeys(ev for evs in asked for ev in evs))
    return reasons.Proven(evs, len(asked), normalized, unseen)


def _failures(refutation: Refutation) -> list[MayFail | MoreMayFail]:
    """What may fail a run of one version but not of the other."""
    ours = may_fail(refutation.p, refutation.p_sink)
    theirs = may_fail(refutation.q, refutation.q_sink)
    caveats = [MayFail(Side.P, x.text, x.guards) for x in only_in(ours, theirs)]
    caveats += [MayFail(Side.Q, x.text, x.guards) for x in only_in(theirs, ours)]
    more = len(caveats) - MOST_CAVEATS
    return [*caveats[:MOST_CAVEATS], MoreMayFail(more)] if more > 0 else [*caveats]


def _merges(dataflow: Dataflow, id_: str) -> Iterator[MergeStops]:
    """What is assumed of the MERGE behind a sink that is not the same statement in both versions."""
    sink = dataflow.operators[id_]
    if isinstance(sink, Sink) and isinstance(sink.write, Change) and sink.write.may_stop:
        yield MergeStops(sink.target)
