"""Signals of two versions proven equal, from the sources upwards.

Pairs of signals that take the same values on all instances (`signatures`) are tried in the order of
what stands below them. What is needed of a pair is shown by congruence, past an operator that changes
nothing of it, or by a verifier about the operators above the nearest pairs already proven. So each
question is small, and the next one stands on it: where a rewritten version computes the same again,
there is a pair to go on from.

First every pair is tried over the nearest proven ones; what is left, over those further down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import final

from veer.facts.fingerprint import fingerprints
from veer.prove.verifiers.base import EV
from veer.reasons import Cause, Reason
from veer.verdict import TableSemantics
from veer.verification import proof
from veer.verification.search.asking import Asking
from veer.verification.search.attempts import Attempts
from veer.verification.search.candidates import Candidates, Signals
from veer.verification.search.classes import Classes
from veer.verification.search.congruence import congruent_steps
from veer.verification.search.obligations import leaf_claims_among
from veer.verification.search.signatures import Signatures, levels
from veer.verification.search.whole import top_claim

DEPTHS = (0, 1, 2, 4)  # how often a cut moves down, one pass over all pairs after the other
MOST_MATES = 3  # signals one is compared with, the likeliest first
DEEPEST = 60  # claims shown for the sake of one another


@final
class EqualSignals:
    """The pairs of signals of two versions that are proven equal; one for all sinks of a pair."""

    def __init__(self, candidates: Candidates, evs: Sequence[EV]) -> None:
        self.candidates, self.evs = candidates, evs
        self.p, self.q = candidates.p, candidates.q
        self.simulation = candidates.simulation
        self.classes = Classes(self.p, self.q)
        self.steps: dict[
            proof.Claim, proof.Step | None
        ] = {}  # None: the same computation from the sources on
        self._tried: set[tuple[proof.Claim, int]] = set()
        self.asking = Asking(self.p, self.q, Attempts(), lambda _: None)
        self._start_with_congruence()

    def prove(
        self, goal: proof.Claim, attempts: Attempts, progress: Callable[[str], None]
    ) -> proof.Proof | Reason:
        """A proof that two sinks are equal (yet to be checked), or what stood in the way at last."""
        self.asking.attempts, self.asking.progress = attempts, progress
        top = top_claim(self.p, self.q, goal)
        top = proof.claim_on(
            self.p, top.p, self.q, top.q, top.semantics, proof.pairs_of(top, self.p, self.q)
        )
        if not self.simulation.agree(top):
            return Cause.DIFFER_IN_SIMULATION
        cones = self.p.ancestors(top.p), self.q.ancestors(top.q)
        pairs = [(a, b) for a, b in self._pairs if a in cones[0] and b in cones[1]]
        for depth in DEPTHS:
            for a, b in pairs:
                self._try(a, b, depth)
            if self.show(top, depth):
                steps = self._rested_on(top)
                self._record(steps)
                return proof.Proof((*steps, proof.SinkStep(goal, (top,))))
        return self.asking.reason

    def _record(self, steps: Sequence[proof.Step]) -> None:
        """Note the answers that steps rest on, some of which were given about other sinks."""
        by_name = {ev.name: ev for ev in self.evs}
        for step in steps:
            if isinstance(step, proof.VerifierStep):
                pair = proof.query_pair(step, self.p, self.q)
                self.asking.attempts.repeat(by_name[step.ev], pair)

    # -- which pairs -----------------------------------------------------------------------------

    def _start_with_congruence(self) -> None:
        """Signals computed alike are equal; the others are to be tried, in this order."""
        prints = fingerprints(self.p), fingerprints(self.q)
        first_p = {prints[0][a]: a for a in reversed(self.p.order)}
        first_q = {prints[1][b]: b for b in reversed(self.q.order)}
        choosing = self.candidates.choosing
        for a in self.p.order:
            mate = self.candidates.to_q.get(a) if a in choosing[0] else first_q.get(prints[0][a])
            if mate is not None and prints[0][a] == prints[1][mate]:
                self._add(proof.Claim(a, mate, TableSemantics.ORDERED_BAG), None)
        for b in self.q.order:
            mate = first_p.get(prints[1][b])
            if mate is not None and b not in choosing[1] and not self.classes.has(1, b):
                self._add(proof.Claim(mate, b, TableSemantics.ORDERED_BAG), None)
        self._pairs = list(self._likely_pairs())

    def _likely_pairs(self) -> Iterator[Signals]:
        """Pairs of signals that take the same values, what stands below a pair before it."""
        height = levels(self.p), levels(self.q)
        signatures = Signatures(self.simulation, self.candidates.needed)
        self._signatures = signatures
        pairs: set[Signals] = set()
        for side, dataflow in enumerate((self.p, self.q)):
            mapped = (self.candidates.to_q, self.candidates.to_p)[side]
            for id_ in dataflow.order:
                if self.classes.has(side, id_):
                    continue
                mates = [*([mapped[id_]] if id_ in mapped else [])]
                if id_ not in self.candidates.choosing[side]:
                    others = [
                        m
                        for m in signatures.mates(side, id_)
                        if m not in self.candidates.choosing[1 - side] and m not in mates
                    ]
                    own = type(dataflow.operators[id_])
                    there = (self.q, self.p)[side]
                    others.sort(
                        key=lambda m: (
                            type(there.operators[m]) is not own,
                            abs(height[1 - side][m] - height[side][id_]),
                        )
                    )
                    mates += others[:MOST_MATES]
                pairs |= {(id_, m) if side == 0 else (m, id_) for m in mates}
        return iter(sorted(pairs, key=lambda s: (height[0][s[0]] + height[1][s[1]], s)))

    def _try(self, a: str, b: str, depth: int) -> None:
        """Have two signals proven equal in what is needed of them, unless each has a mate already."""
        if self.classes.has(0, a) and self.classes.has(1, b):
            return
        claim = self._signatures.claim(a, b)
        if claim is not None:
            self.show(claim, depth)

    # -- one claim -------------------------------------------------------------------------------

    def show(self, claim: proof.Claim, depth: int, deep: int = 0) -> bool:
        """Whether a claim is proven, or can be over cuts that moved down so often."""
        if self.classes.gives(claim):
            return True
        if (claim, depth) in self._tried or deep > DEEPEST or not self.simulation.agree(claim):
            return False
        self._tried.add((claim, depth))
        for way in self.asking.plain_steps(claim, self._mates_below(claim), in_p_first=True):
            if all(self.show(leaf, depth, deep + 1) for leaf in way.leaves):
                self._add(claim, way)
                return True
        if self.evs:
            step = self._verified(claim, depth)
            if step is not None:
                self._add(claim, step)
                return True
        return False

    def _add(self, claim: proof.Claim, step: proof.Step | None) -> None:
        self.steps[claim] = step
        self.classes.add(claim)

    def _mates_below(self, claim: proof.Claim) -> list[Signals]:
        ours, theirs = self.p.inputs[claim.p], self.q.inputs[claim.q]
        return [(a, b) for a in ours for b in theirs if self.classes.claims(a, b)]

    def _verified(self, claim: proof.Claim, depth: int) -> proof.VerifierStep | None:
        """A step by a verifier over cuts further and further down."""
        passed: tuple[set[str], set[str]] = (set(), set())
        for _ in range(depth + 1):
            cut = self.classes.nearest_cut((claim.p, claim.q), passed)
            if cut is None:
                return None
            needed = partial(leaf_claims_among, self.p, self.q, claim, cut, self.classes.claims)
            pair, leaves = self.asking.question(claim, needed)
            if pair is not None and not self.asking.attempts.differ(pair):
                for ev in self.evs:
                    if self.asking.is_shown(ev, claim, pair):
                        return proof.VerifierStep(claim, leaves, ev.name)
            movable = [s for s in cut if not self.asking.is_source(s)]
            if not movable:
                return None
            passed[0].update(a for a, _ in movable)
            passed[1].update(b for _, b in movable)
        return None

    # -- the proof -------------------------------------------------------------------------------

    def _rested_on(self, top: proof.Claim) -> list[proof.Step]:
        """The steps that a proven claim rests on, each after what it rests on itself."""
        order: list[proof.Claim] = []
        seen: set[proof.Claim] = set()
        stack: list[tuple[proof.Claim, bool]] = [(self._proven(top), False)]
        while stack:
            claim, ready = stack.pop()
            if ready:
                order.append(claim)
            elif claim not in seen:
                seen.add(claim)
                stack.append((claim, True))
                step = self.steps[claim]
                leaves = step.leaves if step is not None else ()
                stack += [(self._proven(leaf), False) for leaf in leaves]
        alike = [(c.p, c.q) for c in order if self.steps[c] is None]
        steps, _ = congruent_steps(self.p, self.q, alike)
        return [*steps, *(step for c in order if (step := self.steps[c]) is not None)]

    def _proven(self, claim: proof.Claim) -> proof.Claim:
        """The claim from which one follows that is known to."""
        return next(c for c in self.classes.claims(claim.p, claim.q) if proof.implies(c, claim))
