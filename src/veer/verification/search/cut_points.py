"""Cut points: pairs of signals between the sinks and the sources that a proof goes through.

A pair of signals is settled by congruence, or past an operator that changes nothing of what is
needed, as long as what is needed below agrees in simulation. Where that ends there is an edit: the
nearest pairs below that agree make a cut, and a verifier is asked about what lies between. If it
does not know, the cut moves down. A pair nobody can settle sends its users to their next way, so
an edit that shows on one level is looked at from the next one up.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias, final

from veer.facts.fingerprint import fingerprints
from veer.prove.verifiers.base import EV
from veer.reasons import Cause, Reason
from veer.verdict import TableSemantics
from veer.verification import proof
from veer.verification.search.asking import Asking
from veer.verification.search.attempts import Attempts
from veer.verification.search.candidates import Candidates, Signals
from veer.verification.search.congruence import congruent_steps
from veer.verification.search.cuts import nearest_cut
from veer.verification.search.obligations import leaf_claims
from veer.verification.search.whole import top_claim

LEVELS = 5  # how often a cut moves down
MOST_ASKED = 8  # pairs the solver is asked to tell apart


@final
@dataclass(frozen=True)
class Same:
    """Two signals are the same computation from the sources on: congruence all the way."""

    claim: proof.Claim

    @property
    def leaves(self) -> tuple[proof.Claim, ...]:
        """Nothing: the sources are the same."""
        return ()


Way: TypeAlias = Same | proof.Step  # to show a claim: by a step, if what it needs is shown


@final
@dataclass
class CutPoint:
    """A pair of signals that must be equal, and how to prove it."""

    claim: proof.Claim
    ways: Iterator[Way]
    way: Way | None = None
    users: set[Signals] = field(default_factory=set)


class CutPointSearch:
    """The search for cut points below one pair of sinks, from the sinks down.

    Every pair of signals that some step relies on is a `CutPoint` with the steps that might show
    it, tried one after the other. A pair that no step shows is `failed`, and the steps that rely on
    it are given up. What is found is a proof yet to be checked: nothing here decides soundness.
    """

    def __init__(
        self,
        candidates: Candidates,
        goal: proof.Claim,
        evs: Sequence[EV],
        attempts: Attempts,
        progress: Callable[[str], None],
    ) -> None:
        self.candidates, self.goal, self.evs = candidates, goal, evs
        self.p, self.q = candidates.p, candidates.q
        self.asking = Asking(self.p, self.q, attempts, progress)
        self.points: dict[Signals, CutPoint] = {}
        self.failed: dict[Signals, list[proof.Claim]] = {}
        self.open: list[tuple[int, Signals]] = []
        self.solver_asked: set[Signals] = set()

    def prove(self) -> proof.Proof | Reason:
        """A proof of the goal (yet to be checked), or what stood in the way at last."""
        top = top_claim(self.p, self.q, self.goal)
        top = proof.claim_on(
            self.p, top.p, self.q, top.q, top.semantics, proof.pairs_of(top, self.p, self.q)
        )
        if not self.candidates.simulation.agree(top):
            # What is claimed is false on an instance: there is no proof to look for.
            return Cause.DIFFER_IN_SIMULATION
        self._require(top, None)
        while self.open:
            _, signals = heapq.heappop(self.open)
            point = self.points.get(signals)
            if point is None or point.way is not None:
                continue
            way = next(point.ways, None)
            if way is None:
                self._fail(signals, point)
                if signals == (top.p, top.q):
                    return self.asking.reason
                continue
            point.way = way
            for leaf in way.leaves:
                self._require(leaf, signals)
        return proof.Proof((*self._steps((top.p, top.q)), proof.SinkStep(self.goal, (top,))))

    def _require(self, claim: proof.Claim, user: Signals | None) -> None:
        """Have a claim settled, with everything else needed of its signals."""
        signals = claim.p, claim.q
        point = self.points.get(signals)
        if point is None:
            point = self.points[signals] = CutPoint(claim, self._ways(claim))
            self._reopen(signals)
        elif not proof.implies(point.claim, claim):
            point.claim = self._both(point.claim, claim)
            point.ways = self._ways(point.claim)
            if point.way is not None and not proof.implies(point.way.claim, point.claim):
                point.way = None
            self._reopen(signals)
        if user is not None:
            point.users.add(user)

    def _both(self, one: proof.Claim, two: proof.Claim) -> proof.Claim:
        """One claim about two signals that gives both."""
        pairs = proof.pairs_of(one, self.p, self.q) | proof.pairs_of(two, self.p, self.q)
        return proof.claim_on(self.p, one.p, self.q, one.q, one.semantics | two.semantics, pairs)

    def _reopen(self, signals: Signals) -> None:
        # From the sinks down: whatever uses a pair comes before it.
        place = self.p.position[signals[0]] + self.q.position[signals[1]]
        heapq.heappush(self.open, (-place, signals))

    def _fail(self, signals: Signals, point: CutPoint) -> None:
        """No rule can prove it: claims that use it must try another rule."""
        self.failed.setdefault(signals, []).append(point.claim)
        del self.points[signals]
        for user in sorted(point.users):
            above = self.points.get(user)
            if above is not None and above.way is not None:
                if any((leaf.p, leaf.q) == signals for leaf in above.way.leaves):
                    above.way = None
                    self._reopen(user)

    # -- ways ----------------------------------------------------------------------------------

    def _ways(self, claim: proof.Claim) -> Iterator[Way]:
        """How a claim may be shown, the cheapest first."""
        for way in self._plain_ways(claim):
            if self._is_open(way.leaves):
                yield way
        if self.evs:
            yield from self._verified_ways(claim)

    def _is_open(self, leaves: Sequence[proof.Claim]) -> bool:
        """Whether nothing speaks against some claims: neither a failure nor an instance.

        A claim on which an instance disagrees is false, so no step that needs it can be part of a
        proof; leaving such steps out loses nothing.
        """
        for leaf in leaves:
            failed = self.failed.get((leaf.p, leaf.q), ())
            # As strong as one that could not be shown, so it will not be either.
            if any(proof.implies(leaf, claim) for claim in failed):
                return False
            if not self.candidates.simulation.agree(leaf):
                return False
        return True

    def _plain_ways(self, claim: proof.Claim) -> Iterator[Way]:
        """Without a verifier."""
        p, q = self.p, self.q
        straight = all(i == j for i, j in proof.pairs_of(claim, p, q))
        if straight and fingerprints(p)[claim.p] == fingerprints(q)[claim.q]:
            same = proof.Claim(claim.p, claim.q, TableSemantics.ORDERED_BAG)
            yield Same(same)
            return
        # First past the operator that has no counterpart.
        yield from self.asking.plain_steps(
            claim, self._counterparts_below(claim), in_p_first=claim.p not in self.candidates.to_q
        )

    def _counterparts_below(self, claim: proof.Claim) -> list[Signals]:
        below = self.q.inputs[claim.q]
        pairs = ((a, self.candidates.to_q.get(a)) for a in self.p.inputs[claim.p])
        return [(a, b) for a, b in pairs if b is not None and b in below]

    def _verified_ways(self, claim: proof.Claim) -> Iterator[Way]:
        """By a verifier over cuts further and further down."""
        passed: set[Signals] = {(claim.p, claim.q)}
        for level in range(LEVELS):
            cut = self._cut(claim, passed)
            if cut is None:
                return
            for wanted in self._strengths(claim) if level == 0 else [claim]:
                pair, leaves = self.asking.question(
                    wanted, partial(leaf_claims, self.p, self.q, wanted, cut)
                )
                if pair is None or not self._is_open(leaves):
                    continue
                if self.asking.attempts.differ(pair):
                    break  # false over this cut, whichever columns are asked for
                for ev in self.evs:
                    if self.asking.is_shown(ev, wanted, pair):
                        yield proof.VerifierStep(wanted, leaves, ev.name)
            if self._tell_apart(claim):
                return
            movable = {pair for pair in cut if not self.asking.is_source(pair)}
            if not movable:
                return
            passed |= movable

    def _tell_apart(self, claim: proof.Claim) -> bool:
        """Whether the solver finds an instance of the sources that contradicts a claim.

        It then counts for all signals: what it contradicts nobody relies on any more.
        """
        if (claim.p, claim.q) in self.solver_asked or len(self.solver_asked) >= MOST_ASKED:
            return False
        self.solver_asked.add((claim.p, claim.q))
        if not self.candidates.is_contradicted(claim):
            return False
        for signals, point in self.points.items():
            if point.way is not None and not self._is_open(point.way.leaves):
                point.way = None
                self._reopen(signals)
        return True

    def _strengths(self, claim: proof.Claim) -> list[proof.Claim]:
        """The claim; and all columns, where a verifier cannot well forget some."""
        if claim.columns is None:
            return [claim]
        full = proof.Claim(claim.p, claim.q, claim.semantics)
        types = self.p.schemas[claim.p].types, self.q.schemas[claim.q].types
        straight = all(i == j for i, j in claim.columns)
        possible = straight and types[0] == types[1] and self.candidates.simulation.agree(full)
        return [claim, full] if possible else [claim]

    def _cut(self, claim: proof.Claim, passed: set[Signals]) -> list[Signals] | None:
        """The nearest pairs below a claim that may be equal, past some that were tried."""

        def is_allowed(a: str, b: str) -> bool:
            # Nor one that could not be shown: a step over it would have to be given up again.
            tried = (a, b) in passed or (a, b) in self.failed
            return not tried and self.candidates.may_be_equal(a, b)

        return nearest_cut(self.candidates, (claim.p, claim.q), is_allowed)

    # -- the proof -----------------------------------------------------------------------------

    def _steps(self, top: Signals) -> list[proof.Step]:
        """The steps of the ways chosen, what they rest on first."""
        reached = {top}
        stack = [top]
        while stack:
            way = self.points[stack.pop()].way
            assert way is not None
            for leaf in way.leaves:
                if (leaf.p, leaf.q) not in reached:
                    reached.add((leaf.p, leaf.q))
                    stack.append((leaf.p, leaf.q))
        ways = [self.points[s].way for s in sorted(reached, key=self._place)]
        same = [(w.claim.p, w.claim.q) for w in ways if isinstance(w, Same)]
        steps, _ = congruent_steps(self.p, self.q, same)
        return [*steps, *(w for w in ways if w is not None and not isinstance(w, Same))]

    def _place(self, signals: Signals) -> tuple[int, Signals]:
        return self.p.position[signals[0]] + self.q.position[signals[1]], signals
