"""Looking for a proof about one pair of sinks, by the strategy asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import final

from veer.evs.base import EV
from veer.proof import Claim, Proof
from veer.search.attempts import Attempts
from veer.search.decomposition import Tally
from veer.search.graph import PairGraph
from veer.search.strategies import Strategy, search
from veer.search.whole import prove_whole, top_claim
from veer.search.window import Validity, Windows
from veer.versions import VersionPair, best_mappings

MAPPINGS = 3  # edit mappings tried, the best first
PER_DECOMPOSITION = 20  # steps of the budget
SMALL = 24  # operators that one question about the whole pair can hold
LAST_RESORT = 2_000  # decompositions looked at where the whole pair was not shown


@final
@dataclass(frozen=True)
class Plan:
    """How to look, and how far."""

    strategy: str = "sweep"
    without: tuple[str, ...] = ()
    budget: int = 1_000_000
    stable_ids: bool = True


def _is_hopeless(graph: PairGraph, evs: Sequence[EV]) -> bool:
    """Whether windows cannot help: a small pair that was tried as a whole, and nothing to go around.

    What holds of a window of supported operators is known, when the whole is asked, too.
    """
    unsupported = graph.everything
    for ev in evs:
        unsupported &= Validity(graph, ev).unsupported
    return not unsupported and len(graph.nodes) <= SMALL


def _teams(evs: Sequence[EV]) -> list[list[EV]]:
    """Each verifier alone, then all together.

    One that supports few operators has small windows, found fast; one that supports nearly all
    would make the search for them hopeless.
    """
    alone = [[ev] for ev in evs]
    return [*alone, list(evs)] if len(evs) > 1 else alone


def prove(
    pair: VersionPair,
    goal: Claim,
    evs: Sequence[EV],
    plan: Plan,
    attempts: Attempts,
    tally: Tally,
) -> Proof | str:
    """A proof of the goal (yet to be checked), or what stood in the way."""
    reasons: list[str] = []
    if plan.strategy == "sweep":
        whole = prove_whole(pair.p, pair.q, goal, evs, attempts)
        if isinstance(whole, Proof):
            return whole
        reasons.append(whole)
    most = plan.budget // PER_DECOMPOSITION
    if plan.strategy == "sweep":
        most = min(most, LAST_RESORT)
    strategy = Strategy.named(
        "plus" if plan.strategy == "sweep" else plan.strategy, plan.without, most
    )
    for mapping in islice(best_mappings(pair.p, pair.q, stable_ids=plan.stable_ids), MAPPINGS):
        graph = PairGraph.of(VersionPair(pair.p, pair.q, mapping), goal.p, goal.q)
        if not graph.edited or (plan.strategy == "sweep" and _is_hopeless(graph, evs)):
            continue
        for some in _teams(evs):
            own = Tally()
            windows = Windows(graph, some, top_claim(graph.p, graph.q, goal), attempts)
            found = search(windows, goal, strategy, own)
            tally.decompositions += own.decompositions
            if found.proof is not None:
                return found.proof
            reasons.insert(0, found.reason)
            tally.exhausted = tally.exhausted or own.exhausted
    return reasons[0] if reasons else "no edits, but another computation"
