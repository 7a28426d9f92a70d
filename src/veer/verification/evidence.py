"""The steps of a checked proof with the solver's questions behind them, and a second opinion.

The checker asks the verifiers once more, and what they ask of the solver meanwhile is noted: the
evidence is what the check relied on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never, final

from veer import verdict
from veer.ir.dag import Dataflow
from veer.ir.pprint import show_operator
from veer.ir.query_pair import QueryPair, operators_between
from veer.options import SecondSolver
from veer.prove import solver as smt
from veer.prove.solver.second_solver import ask_again, second_solver
from veer.prove.verifiers.base import EV
from veer.reasons import Contradicted
from veer.rewrite.normalize import normalized
from veer.verification import proof as verification_proof


@final
@dataclass
class Evidence:
    """Collects what stands behind the proofs of one pair of sinks."""

    evs: Sequence[EV]
    otherwise: verification_proof.Ask  # for what no verifier says
    recheck: SecondSolver | None = None
    progress: Callable[[str], None] = lambda _: None
    _questions: dict[tuple[str, QueryPair], tuple[smt.Question, ...]] = field(default_factory=dict)

    def ask(self, name: str, pair: QueryPair) -> verdict.Answer:
        """What a verifier says when asked anew, for the checker."""
        ev = next((ev for ev in self.evs if ev.name == name), None)
        if ev is None:
            return self.otherwise(name, pair)
        self.progress(f"{name} is asked again")
        with smt.listening() as noted:
            answer = ev.verify(pair)
        self._questions[name, pair] = tuple(noted)
        return answer

    def added_to(
        self, report: verdict.SinkReport, proof: verification_proof.Proof, p: Dataflow, q: Dataflow
    ) -> verdict.SinkReport:
        """The report with its proof; UNKNOWN where the second solver contradicts."""
        report = replace(report, steps=tuple(self._step(step, p, q) for step in proof.steps))
        if not self.recheck:
            return report
        report = replace(report, recheck=self._recheck(self.recheck, report.steps))
        wrong = report.recheck.having(verdict.SecondAnswer.DISAGREED) if report.recheck else []
        if not wrong:
            return report
        contradicted = Contradicted(self.recheck.value, len(wrong))
        return replace(report, verdict=verdict.Verdict.UNKNOWN, reason=contradicted)

    def _step(self, step: verification_proof.Step, p: Dataflow, q: Dataflow) -> verdict.StepReport:
        """One step in words, with the questions its verifier asked while it was checked."""
        claim = verification_proof.show_claim(step.claim, p)
        leaves = tuple(verification_proof.show_claim(leaf, p) for leaf in step.leaves)
        rule = verification_proof.rule_of(step)
        match step:
            case (
                verification_proof.CongruenceStep()
                | verification_proof.PassThroughStep()
                | verification_proof.SinkStep()
            ):
                return verdict.StepReport(claim, leaves, rule)
            case verification_proof.VerifierStep():
                pair = verification_proof.query_pair(step, p, q)
                shown = (_operators(pair.p), _operators(pair.q))
                noted = self._questions.get((step.ev, pair), ())
                questions = tuple(map(smt.as_smtlib, noted))
                return verdict.StepReport(claim, leaves, rule, step.ev, shown, questions)
            case verification_proof.NormalizedStep():
                inner = tuple(self._step(each, normalized(p), normalized(q)) for each in step.inner)
                return verdict.StepReport(claim, leaves, rule, inner=inner)
            case _:
                assert_never(step)

    def _recheck(
        self, solver: SecondSolver, steps: Sequence[verdict.StepReport]
    ) -> verdict.Recheck:
        """The second solver's answers to all questions behind some steps, each asked once."""
        asked = dict.fromkeys(q for step in steps for q in step.all_questions)
        answers = {}
        for number, question in enumerate(asked, 1):
            self.progress(f"{solver.value} re-checks question {number} of {len(asked)}")
            answers[question] = ask_again(question)
        return verdict.Recheck(second_solver(solver), answers)


def _operators(side: Dataflow) -> tuple[str, ...]:
    """The operators of one side of a query pair in words."""
    return tuple(f"{i}: {show_operator(side.operators[i])}" for i in operators_between(side))
