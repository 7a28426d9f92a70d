"""Sweep, Veer's own strategy: cut points between two versions, then between their normal forms.

It asks verifiers about what lies between cut points (`cut_points`), which are among the pairs of
signals that may be equal (`candidates`), found from the sinks down (`cuts`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from veer.prove.verifiers.base import EV
from veer.reasons import Reason
from veer.rewrite.normalize import normalized
from veer.verdict import TableSemantics
from veer.verification.proof import (
    Claim,
    NormalizedStep,
    Proof,
)
from veer.verification.search import congruence
from veer.verification.search.attempts import Attempts
from veer.verification.search.candidates import Candidates
from veer.verification.search.cut_points import CutPointSearch
from veer.verification.search.equal_signals import EqualSignals
from veer.verification.versions import VersionPair

# A version counts as written anew if edits touch more operators than so many, and this share.
MANY_EDITED, LARGE_SHARE = 10, 0.4

# Of what is left of the budget, the share kept for what is tried later.
AFTER_FEW_QUESTIONS, AFTER_CUT_POINTS, AFTER_EQUAL_SIGNALS = 0.96, 0.85, 0.2


class Sweep:
    """Cut points of one version pair; one per pair, for all its sinks."""

    def __init__(self, pair: VersionPair, semantics: TableSemantics, evs: Sequence[EV]) -> None:
        self.p, self.q = pair.p, pair.q
        self.semantics, self.evs = semantics, evs
        self.candidates = Candidates(pair, semantics)
        self.is_rewritten = is_written_anew(pair)

    def prove(
        self, goal: Claim, attempts: Attempts, progress: Callable[[str], None]
    ) -> Proof | Reason:
        """A proof that two sinks are equal (yet to be checked), or what stood in the way.

        Of the versions as they are, with few questions to verifiers, unless one is written anew;
        by their normal forms, if those are the same computation; or with more questions.
        """
        if not self.is_rewritten:
            attempts.keep(AFTER_FEW_QUESTIONS)
            proof = CutPointSearch(self.candidates, goal, self.evs, attempts, progress).prove()
            if isinstance(proof, Proof):
                return proof
        inner = congruence.prove(normalized(self.p), normalized(self.q), goal)
        if isinstance(inner, Proof):
            return _normalized(goal, inner)
        attempts.keep(AFTER_CUT_POINTS)
        return CutPointSearch(self.candidates, goal, self.evs, attempts, progress).prove()

    def prove_from_sources(
        self, goal: Claim, attempts: Attempts, progress: Callable[[str], None]
    ) -> Proof | Reason:
        """The same of their normal forms, by what is proven equal from the sources upwards."""
        attempts.keep(AFTER_EQUAL_SIGNALS)
        normal = self.of_normal_forms or self
        inner = normal.equal_signals.prove(goal, attempts, progress)
        if normal is self or not isinstance(inner, Proof):
            return inner
        return _normalized(goal, inner)

    @cached_property
    def of_normal_forms(self) -> Sweep | None:
        """The cut points of the normal forms, where those are others."""
        p, q = normalized(self.p), normalized(self.q)
        if (p, q) == (self.p, self.q):
            return None
        pair = VersionPair.of(p, q, stable_ids=False)
        return Sweep(pair, self.semantics, self.evs)

    @cached_property
    def equal_signals(self) -> EqualSignals:
        """What is proven equal from the sources upwards."""
        return EqualSignals(self.candidates, self.evs)

    def prove_without_ev(self, goal: Claim) -> Proof | None:
        """A proof for sinks that see nothing of the edits."""
        proof = CutPointSearch(self.candidates, goal, (), Attempts(), lambda _: None).prove()
        return proof if isinstance(proof, Proof) else None


def is_written_anew(pair: VersionPair) -> bool:
    """Whether edits touch many of the operators of both versions."""
    every = len(pair.p.operators) + len(pair.q.operators)
    kept = sum(pair.p.operators[a] == pair.q.operators[b] for a, b in pair.mapping.to_q.items())
    edited = every - 2 * kept
    return edited > max(MANY_EDITED, LARGE_SHARE * every)


def _normalized(goal: Claim, inner: Proof) -> Proof:
    return Proof((NormalizedStep(goal, inner.steps),))
