"""The questions asked of each verifier, and the answers."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import final

from veer.errors import VeerError
from veer.ir.dag import Dataflow
from veer.ir.pprint import show_operator
from veer.ir.query_pair import QueryPair, operators_between
from veer.ir.walk import size
from veer.prove.verifiers.base import EV
from veer.reasons import Cause, NeverAsked
from veer.refute import Refutation, first_difference
from veer.rewrite.normalize import normalized
from veer.verdict import OBLIGATIONS, Answer, Verdict, WindowReport
from veer.verification import proof as verification_proof
from veer.verification.search.answer_cache import AnswerCache

INSTANCES = 10


BUDGET = 1_000_000  # steps of work on a pair of sinks, where nobody says how many
SMALL = 30  # operators of both versions together; larger pairs get more in proportion
PER_QUESTION, PER_SQUARE = 10_000, 100


def usual_budget(p: Dataflow, q: Dataflow) -> int:
    """The steps of work to spend on two versions: more on larger ones."""
    return BUDGET * max(SMALL, size(p) + size(q)) // SMALL


def cost(pair: QueryPair) -> int:
    """What a question costs, in operators run: it grows with the square of those it is about."""
    return PER_QUESTION + PER_SQUARE * (size(pair.p) + size(pair.q)) ** 2


@final
@dataclass
class Attempts:
    """The questions asked of each verifier; known answers are reused."""

    answers: AnswerCache = field(default_factory=AnswerCache)
    budget: int = BUDGET  # steps of work that are left
    kept: int = 0  # of these, what nobody may spend now
    windows: list[WindowReport] = field(default_factory=list)
    _answers: dict[tuple[str, QueryPair], Answer] = field(default_factory=dict)
    _differ: dict[QueryPair, bool] = field(default_factory=dict)
    _places: dict[tuple[str, QueryPair], int] = field(default_factory=dict)

    def keep(self, share: float) -> None:
        """Keep a share of what is left for what is tried later."""
        self.kept = int(self.budget * share)

    def ask(self, ev: EV, pair: QueryPair) -> Answer:
        """The verifier's answer, with the time it took."""
        key = (ev.name, pair)
        if self.differ(pair):
            # No verifier could prove them equal, so none is asked.
            return Answer(Verdict.UNKNOWN, Cause.DIFFER_ON_INSTANCE)
        if key not in self._answers:
            if self.budget < cost(pair):
                return Answer(Verdict.UNKNOWN, Cause.QUESTION_BUDGET)
            if self.budget - self.kept < cost(pair):
                return Answer(
                    Verdict.UNKNOWN, Cause.NO_PROOF_FOUND
                )  # others have better uses for it
            self.budget -= cost(pair)
            start = time.perf_counter()
            answer = self.answers.ask(ev, pair)
            self.record(ev.name, pair, answer, time.perf_counter() - start)
        return self._answers[key]

    def repeat(self, ev: EV, pair: QueryPair) -> None:
        """Record an answer that was given about other sinks; it is at hand."""
        if (ev.name, pair) not in self._answers:
            self.record(ev.name, pair, self.answers.ask(ev, pair), 0.0)

    def record(self, ev: str, pair: QueryPair, answer: Answer, seconds: float) -> None:
        """Keep an answer, for the report and the checker."""
        p, q = operators_between(pair.p), operators_between(pair.q)
        self._answers[ev, pair] = answer
        self._places[ev, pair] = len(self.windows)
        self.windows.append(WindowReport(p, q, ev, answer, seconds))

    def used(
        self, proof: verification_proof.Proof, p: Dataflow, q: Dataflow
    ) -> tuple[WindowReport, ...]:
        """All reports; those that a proof uses are marked and shown in words, also edits without effect."""
        reports = list(self.windows)
        for step in proof.steps:
            if isinstance(step, verification_proof.NormalizedStep):
                return self.used(verification_proof.Proof(step.inner), normalized(p), normalized(q))
            if isinstance(step, verification_proof.VerifierStep):
                pair = verification_proof.query_pair(step, p, q)
                place = self._places[step.ev, pair]
                between = [operators_between(side) for side in (pair.p, pair.q)]
                one, two = (
                    tuple(show_operator(side.operators[i]) for i in ids)
                    for side, ids in zip((pair.p, pair.q), between, strict=True)
                )
                reports[place] = replace(
                    reports[place],
                    used=True,
                    shown=(one, two),
                    claim=verification_proof.show_claim(step.claim, p),
                )
            elif verification_proof.is_unseen_edit(step, p, q):
                reports.append(_unseen(step, p, q))
        return tuple(reports)

    def differ(self, pair: QueryPair) -> bool:
        """Whether a few instances tell the sides apart."""
        if pair not in self._differ:
            sinks = pair.p.sinks[0], pair.q.sinks[0]
            refutation = Refutation(pair.p, pair.q, *sinks, pair.columns, pair.semantics)
            try:
                self._differ[pair] = first_difference(refutation, INSTANCES, seed=3) is not None
            except VeerError:
                self._differ[pair] = False
        return self._differ[pair]

    def answer(self, ev: str, pair: QueryPair) -> Answer:
        """A recorded answer, for the checker."""
        unasked = Answer(Verdict.UNKNOWN, NeverAsked(ev))
        return self._answers.get((ev, pair), unasked)


def _unseen(step: verification_proof.Step, p: Dataflow, q: Dataflow) -> WindowReport:
    """An edit that is settled by what is needed above it."""
    claim = step.claim
    ours = not (isinstance(step, verification_proof.PassThroughStep) and not step.in_p)
    theirs = not (isinstance(step, verification_proof.PassThroughStep) and step.in_p)
    return WindowReport(
        (claim.p,) if ours else (),
        (claim.q,) if theirs else (),
        OBLIGATIONS,
        Answer(Verdict.EQUIVALENT, Cause.NOTHING_NEEDED_CHANGES),
        used=True,
        shown=(
            (show_operator(p.operators[claim.p]),) if ours else (),
            (show_operator(q.operators[claim.q]),) if theirs else (),
        ),
        claim=verification_proof.show_claim(claim, p),
    )
