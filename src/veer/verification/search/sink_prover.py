"""The search for a proof about one pair of sinks with the chosen strategy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, final

from veer.options import Optimization, SearchStrategy
from veer.prove.verifiers.base import EV
from veer.reasons import Cause, Reason
from veer.verification.proof import Claim, Proof
from veer.verification.search.attempts import BUDGET, Attempts
from veer.verification.search.paper.decomposition import WalkCounts
from veer.verification.search.sweep import Sweep
from veer.verification.search.whole import prove_whole, top_claim
from veer.verification.versions import VersionPair, best_mappings

if TYPE_CHECKING:
    from veer.verification.search.paper.graph import PairGraph

MAPPINGS = 3  # edit mappings tried, the best first
PER_DECOMPOSITION = 20  # steps of the budget
LAST_RESORT = 1_000  # decompositions looked at where nothing else helped


@final
@dataclass(frozen=True)
class Plan:
    """How to look, and how far."""

    strategy: SearchStrategy = SearchStrategy.SWEEP
    without: tuple[Optimization, ...] = ()
    budget: int = BUDGET
    stable_ids: bool = True


@final
@dataclass
class SinkProver:
    """The search for a proof about one pair of sinks."""

    pair: VersionPair
    goal: Claim
    evs: Sequence[EV]
    plan: Plan
    attempts: Attempts
    walk_counts: WalkCounts
    sweep: Sweep
    progress: Callable[[str], None]

    def prove(self) -> Proof | Reason:
        """A proof of the goal (yet to be checked), or what stood in the way."""
        if self.plan.strategy is not SearchStrategy.SWEEP:
            unseen = self.sweep.prove_without_ev(self.goal)
            return unseen or self._by_decompositions(self.plan.budget // PER_DECOMPOSITION)
        return self.sweep.prove(self.goal, self.attempts, self.progress)

    def prove_from_sources(self) -> Proof | Reason | None:
        """What `sweep` tries next: signals that take the same values, from the sources upwards."""
        if self.plan.strategy is not SearchStrategy.SWEEP:
            return None
        return self.sweep.prove_from_sources(self.goal, self.attempts, self.progress)

    def prove_at_last(self) -> Proof | None:
        """What `sweep` tries where it ends: the whole pair at once, then `plus`."""
        if self.plan.strategy is not SearchStrategy.SWEEP:
            return None
        self.attempts.keep(0)
        proof = self._whole()
        if not isinstance(proof, Proof) and not self._is_hopeless(self._graph(self.pair)):
            proof = self._by_decompositions(LAST_RESORT, mappings=1)
        return proof if isinstance(proof, Proof) else None

    def _graph(self, pair: VersionPair) -> PairGraph:
        from veer.verification.search.paper.graph import PairGraph

        return PairGraph.of(pair, self.goal.p, self.goal.q)

    def _whole(self) -> Proof | Reason:
        return prove_whole(self.pair.p, self.pair.q, self.goal, self.evs, self.attempts)

    def _by_decompositions(self, most: int, mappings: int = MAPPINGS) -> Proof | Reason:
        """By the paper's search over windows, for the likeliest edit mappings one after the other."""
        from veer.verification.search.paper.strategies import Strategy, search
        from veer.verification.search.paper.window import Windows

        strategy = Strategy.named(self.plan.strategy, self.plan.without, most)
        every = best_mappings(self.pair.p, self.pair.q, stable_ids=self.plan.stable_ids)
        reason: Reason = Cause.NO_EDITS
        for mapping in islice(every, mappings):
            graph = self._graph(VersionPair(self.pair.p, self.pair.q, mapping))
            for evs in self._teams() if graph.edited else []:
                own = WalkCounts()
                top = top_claim(graph.p, graph.q, self.goal)
                windows = Windows(graph, evs, top, self.attempts)
                outcome = search(windows, self.goal, strategy, own)
                self.walk_counts.decompositions += own.decompositions
                if outcome.proof is not None:
                    return outcome.proof
                reason = outcome.reason or reason
        return reason

    def _is_hopeless(self, graph: PairGraph) -> bool:
        """Whether more windows cannot help: with every operator supported, the whole was one."""
        from veer.verification.search.paper.window import Validity

        unsupported = graph.everything
        for ev in self.evs:
            unsupported &= Validity(graph, ev).unsupported
        return not unsupported

    def _teams(self) -> list[list[EV]]:
        """Each verifier alone, then all together.

        One that supports few operators has small windows, found fast; one that supports nearly
        all would make the search for them hopeless.
        """
        alone = [[ev] for ev in self.evs]
        return [*alone, list(self.evs)] if len(self.evs) > 1 else alone
