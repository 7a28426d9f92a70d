"""Which pairs of signals may be equal: the candidates for cut points.

A signal of P is looked at together with one signal of Q at most, its counterpart: what is computed
alike, or what the edit mapping pairs with it. A pair that differs on an instance is no candidate.
Nothing here proves anything: a wrong candidate costs time, and a proof that is not found.
"""

from __future__ import annotations

from itertools import islice
from typing import TypeAlias, final

from veer.facts.determinism import resting_on
from veer.facts.fingerprint import fingerprints
from veer.functions.registry import Kind
from veer.ir.query_pair import unfold
from veer.ir.walk import size
from veer.verdict import TableSemantics
from veer.verification.proof import (
    Claim,
    ProofError,
    pairs_of,
)
from veer.verification.search.obligations import obligations, weakest_claim
from veer.verification.search.simulation import Simulation
from veer.verification.versions import VersionPair

LARGEST_FOR_SOLVER = 60  # operators the solver runs on unknown rows
MOST_MODELS = 2  # instances it may offer for each pair
Signals: TypeAlias = tuple[str, str]


@final
class Candidates:
    """The counterparts of signals, and what simulation says of such pairs."""

    def __init__(self, pair: VersionPair, semantics: TableSemantics) -> None:
        self.p, self.q = pair.p, pair.q
        self.simulation = Simulation(self.p, self.q)
        self.to_q, self.to_p = counterparts(pair)
        self.needed = obligations(self.p, semantics), obligations(self.q, semantics)
        self.choosing = resting_on(self.p, Kind.CHOICE), resting_on(self.q, Kind.CHOICE)

    def may_be_equal(self, a: str, b: str) -> bool:
        """Whether two signals agree on all instances in what the sinks need of them."""
        needed = self.needed[0].get(a), self.needed[1].get(b)
        try:
            return self.simulation.agree(weakest_claim(self.p, a, self.q, b, *needed))
        except ProofError:
            return False

    def is_contradicted(self, claim: Claim) -> bool:
        """Whether the solver finds an instance that contradicts a claim; if so, it is kept."""
        p, q = (unfold(d, i, {}) for d, i in ((self.p, claim.p), (self.q, claim.q)))
        if size(p) + size(q) > LARGEST_FOR_SOLVER or not self.simulation.instances:
            return False
        from veer.refute.symbolic import symbolic_instances

        columns = sorted(pairs_of(claim, self.p, self.q))
        models = symbolic_instances(p, q, columns, claim.semantics, single_rows=True)
        for tables in islice(models, MOST_MODELS):
            self.simulation.add({**self.simulation.instances[1], **tables})
            if not self.simulation.agree(claim):
                return True
        return False


def counterparts(pair: VersionPair) -> tuple[dict[str, str], dict[str, str]]:
    """For the signals of each version those of the other they may be equal to.

    Computed alike, or mapped onto each other. What rests on a choice keeps to the mapping, which is
    one to one: two choices made alike are two.
    """
    by_side: tuple[dict[str, str], dict[str, str]] = ({}, {})
    prints = fingerprints(pair.p), fingerprints(pair.q)
    mapped = pair.mapping.to_q, pair.mapping.to_p
    for side, dataflow in enumerate((pair.p, pair.q)):
        other_version = pair.q if side == 0 else pair.p
        alike = {prints[1 - side][i]: i for i in reversed(other_version.order)}
        choosing = resting_on(dataflow, Kind.CHOICE)
        for id_ in dataflow.order:
            other_id = mapped[side].get(id_)
            differs = other_id is not None and prints[1 - side][other_id] != prints[side][id_]
            if other_id is None or (differs and id_ not in choosing):
                other_id = alike.get(prints[side][id_], other_id)
            if other_id is not None:
                by_side[side][id_] = other_id
    return by_side
