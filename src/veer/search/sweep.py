"""Sweep: cut points between two versions, found from the sinks down, and what proves them.

A pair of signals is settled by congruence, or past an operator that changes nothing of what is
needed, as long as what is needed below agrees in simulation. Where that ends there is an edit: the
nearest pairs below that agree make a cut, and a verifier is asked about what lies between. If it
does not know, the cut moves down. A pair nobody can settle sends its users to their next way, so
an edit that shows on one level is looked at from the next one up.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from typing import TypeAlias, final

from veer.analysis.determinism import operator_kind
from veer.analysis.fingerprint import fingerprints
from veer.errors import InputError
from veer.evs.base import EV
from veer.functions.registry import Kind
from veer.model.dag import Dataflow
from veer.model.ops import Source, Union
from veer.model.query_pair import QueryPair, unfold
from veer.model.walk import size
from veer.normalize.normalize import normalized
from veer.proof import (
    Claim,
    CongruenceStep,
    NormalizedStep,
    PassThroughStep,
    Proof,
    ProofError,
    SinkStep,
    Step,
    VerifierStep,
    by_congruence,
    by_passing_through,
    claim_on,
    implies,
    pairs_of,
    query_pair,
    reason_of,
)
from veer.reasons import AtCutPoint, Cause, Reason, SaidBy
from veer.refute.symbolic import symbolic_instances
from veer.search import congruence
from veer.search.attempts import Attempts, cost
from veer.search.congruence import congruent_steps
from veer.search.obligations import leaf_claims, obligations, weakest_claim
from veer.search.paper.graph import entering
from veer.search.simulation import Simulation
from veer.search.whole import top_claim
from veer.verdict import TableSemantics, Verdict
from veer.versions import VersionPair

LEVELS = 5  # how often a cut moves down
LARGEST = 80  # operators between a claim and a cut
WORK = 8_000  # for questions to verifiers
PER_POINT = 40  # more of it for each pair of signals looked at
MOST_LIFTED = 8  # pairs the solver is asked to tell apart
LARGEST_LIFTED = 60  # operators it then runs on unknown rows
MOST_MODELS = 2  # instances it may offer for each
Signals: TypeAlias = tuple[str, str]


@final
@dataclass(frozen=True)
class Same:
    """Two signals are the same computation from the sources on: congruence all the way."""

    claim: Claim

    @property
    def leaves(self) -> tuple[Claim, ...]:
        return ()


Way: TypeAlias = Same | Step  # to settle a claim: a step, and what must hold for it


@final
@dataclass
class Point:
    """A pair of signals that somebody needs to be equal, and how that is to be shown."""

    claim: Claim
    ways: Iterator[Way]
    way: Way | None = None
    users: set[Signals] = field(default_factory=set)


class Sweep:
    """Cut points of one version pair; one per pair, for all its sinks."""

    def __init__(self, pair: VersionPair, semantics: TableSemantics, evs: Sequence[EV]) -> None:
        self.p, self.q = pair.p, pair.q
        self.semantics, self.evs = semantics, evs
        self.simulation = Simulation(self.p, self.q)
        self.needed = obligations(self.p, semantics), obligations(self.q, semantics)
        self.mates = _mates(pair)

    def prove(
        self, goal: Claim, attempts: Attempts, progress: Callable[[str], None]
    ) -> Proof | Reason:
        """A proof that two sinks are equal (yet to be checked), or what stood in the way.

        First of the versions as they are, then of their normal forms.
        """
        found = _Search(self, goal, self.evs, attempts, progress).prove()
        if isinstance(found, Proof) or self.of_normal_forms is None:
            return found
        p, q = self.of_normal_forms.p, self.of_normal_forms.q
        inner: Proof | Reason = congruence.prove(p, q, goal)
        if not isinstance(inner, Proof):
            inner = _Search(self.of_normal_forms, goal, self.evs, attempts, progress).prove()
        if not isinstance(inner, Proof):
            return found
        return Proof((NormalizedStep(goal, inner.steps),))

    @cached_property
    def of_normal_forms(self) -> Sweep | None:
        """The cut points of the normal forms, where those are others."""
        p, q = normalized(self.p), normalized(self.q)
        if (p, q) == (self.p, self.q):
            return None
        pair = VersionPair.of(p, q, stable_ids=False)
        return Sweep(pair, self.semantics, self.evs)

    def prove_without_ev(self, goal: Claim) -> Proof | None:
        """A proof for sinks that see nothing of the edits."""
        found = _Search(self, goal, (), Attempts(), lambda _: None).prove()
        return found if isinstance(found, Proof) else None

    def agree(self, a: str, b: str) -> bool:
        """Whether two signals agree in what is needed of them."""
        needed = self.needed[0].get(a), self.needed[1].get(b)
        try:
            return self.simulation.agree(weakest_claim(self.p, a, self.q, b, *needed))
        except ProofError:
            return False

    def tell_apart(self, claim: Claim) -> bool:
        """Whether the solver finds an instance that contradicts a claim; if so, it is kept."""
        p, q = (unfold(d, i, {}) for d, i in ((self.p, claim.p), (self.q, claim.q)))
        if size(p) + size(q) > LARGEST_LIFTED or not self.simulation.instances:
            return False
        columns = sorted(pairs_of(claim, self.p, self.q))
        found = symbolic_instances(p, q, columns, claim.semantics, single_rows=True)
        for tables in islice(found, MOST_MODELS):
            self.simulation.add({**self.simulation.instances[1], **tables})
            if not self.simulation.agree(claim):
                return True
        return False


def _mates(pair: VersionPair) -> tuple[dict[str, str], dict[str, str]]:
    """For the signals of each version those of the other they may be equal to.

    Computed alike, or mapped onto each other. What rests on a choice keeps to the mapping, which is
    one to one: two choices made alike are two.
    """
    found: tuple[dict[str, str], dict[str, str]] = ({}, {})
    prints = fingerprints(pair.p), fingerprints(pair.q)
    mapped = pair.mapping.to_q, pair.mapping.to_p
    for side, dataflow in enumerate((pair.p, pair.q)):
        other = pair.q if side == 0 else pair.p
        alike = {prints[1 - side][i]: i for i in reversed(other.order)}
        choosing: set[str] = set()
        for id_ in dataflow.order:
            if operator_kind(dataflow, id_) is Kind.CHOICE or choosing & {*dataflow.inputs[id_]}:
                choosing.add(id_)
            mate = mapped[side].get(id_)
            differs = mate is not None and prints[1 - side][mate] != prints[side][id_]
            if mate is None or (differs and id_ not in choosing):
                mate = alike.get(prints[side][id_], mate)
            if mate is not None:
                found[side][id_] = mate
    return found


class _Search:
    """The cut points below one pair of sinks."""

    def __init__(
        self,
        sweep: Sweep,
        goal: Claim,
        evs: Sequence[EV],
        attempts: Attempts,
        progress: Callable[[str], None],
    ) -> None:
        self.sweep, self.goal, self.evs = sweep, goal, evs
        self.attempts, self.progress = attempts, progress
        self.p, self.q = sweep.p, sweep.q
        self.points: dict[Signals, Point] = {}
        self.failed: dict[Signals, list[Claim]] = {}
        self.open: list[tuple[int, Signals]] = []
        self.lifted: set[Signals] = set()
        self.reason: Reason = Cause.NO_CUT_POINT
        self.work = 0

    def prove(self) -> Proof | Reason:
        top = top_claim(self.p, self.q, self.goal)
        top = claim_on(self.p, top.p, self.q, top.q, top.semantics, pairs_of(top, self.p, self.q))
        if not self.sweep.simulation.agree(top):
            return Cause.DIFFER_IN_SIMULATION
        self._demand(top, None)
        while self.open:
            _, signals = heapq.heappop(self.open)
            point = self.points.get(signals)
            if point is None or point.way is not None:
                continue
            way = next(point.ways, None)
            if way is None:
                self._fail(signals, point)
                if signals == (top.p, top.q):
                    return self.reason
                continue
            point.way = way
            for leaf in way.leaves:
                self._demand(leaf, signals)
        return Proof((*self._steps((top.p, top.q)), SinkStep(self.goal, (top,))))

    def _demand(self, claim: Claim, user: Signals | None) -> None:
        """Have a claim settled, with everything else needed of its signals."""
        signals = claim.p, claim.q
        point = self.points.get(signals)
        if point is None:
            point = self.points[signals] = Point(claim, self._ways(claim))
            self._reopen(signals)
        elif not implies(point.claim, claim):
            point.claim = self._both(point.claim, claim)
            point.ways = self._ways(point.claim)
            if point.way is not None and not implies(point.way.claim, point.claim):
                point.way = None
            self._reopen(signals)
        if user is not None:
            point.users.add(user)

    def _both(self, one: Claim, two: Claim) -> Claim:
        pairs = pairs_of(one, self.p, self.q) | pairs_of(two, self.p, self.q)
        return claim_on(self.p, one.p, self.q, one.q, one.semantics | two.semantics, pairs)

    def _reopen(self, signals: Signals) -> None:
        # From the sinks down: whatever uses a pair comes before it.
        place = self.p.position[signals[0]] + self.q.position[signals[1]]
        heapq.heappush(self.open, (-place, signals))

    def _fail(self, signals: Signals, point: Point) -> None:
        """Nobody can show it: whoever relies on it must go another way."""
        self.failed.setdefault(signals, []).append(point.claim)
        del self.points[signals]
        for user in sorted(point.users):
            above = self.points.get(user)
            if above is not None and above.way is not None:
                if any((leaf.p, leaf.q) == signals for leaf in above.way.leaves):
                    above.way = None
                    self._reopen(user)

    # -- ways ----------------------------------------------------------------------------------

    def _ways(self, claim: Claim) -> Iterator[Way]:
        """How a claim may be shown, the cheapest first."""
        for way in self._plain_ways(claim):
            if self._is_open(way.leaves):
                yield way
        if self.evs:
            yield from self._verified_ways(claim)

    def _is_open(self, leaves: Sequence[Claim]) -> bool:
        """Whether nothing speaks against some claims."""
        for leaf in leaves:
            failed = self.failed.get((leaf.p, leaf.q), ())
            if any(implies(leaf, known) for known in failed):
                return False
            if not self.sweep.simulation.agree(leaf):
                return False
        return True

    def _plain_ways(self, claim: Claim) -> Iterator[Way]:
        """Without a verifier."""
        p, q = self.p, self.q
        straight = all(i == j for i, j in pairs_of(claim, p, q))
        if straight and fingerprints(p)[claim.p] == fingerprints(q)[claim.q]:
            same = Claim(claim.p, claim.q, TableSemantics.ORDERED_BAG)
            yield Same(same)
            return
        for mates in ((), self._mates_below(claim)):
            with suppress(ProofError):
                found = by_congruence(p, q, claim, mates)
                yield CongruenceStep(claim, tuple(dict.fromkeys(found)))
            if not isinstance(p.operators[claim.p], Union):
                break  # the order of inputs counts
        # First past the operator that has no counterpart.
        for in_p in (claim.p not in self.sweep.mates[0], claim.p in self.sweep.mates[0]):
            with suppress(ProofError):
                below = by_passing_through(p, q, claim, in_p=in_p)
                yield PassThroughStep(claim, (below,), in_p)

    def _mates_below(self, claim: Claim) -> list[Signals]:
        below = self.q.inputs[claim.q]
        found = ((a, self.sweep.mates[0].get(a)) for a in self.p.inputs[claim.p])
        return [(a, b) for a, b in found if b is not None and b in below]

    def _verified_ways(self, claim: Claim) -> Iterator[Way]:
        """By a verifier over cuts further and further down."""
        banned: set[Signals] = {(claim.p, claim.q)}
        for level in range(LEVELS):
            cut = self._cut(claim, banned)
            if cut is None:
                return
            for wanted in self._strengths(claim) if level == 0 else [claim]:
                pair, leaves = self._question(wanted, cut)
                if pair is None or not self._is_open(leaves):
                    continue
                if self.attempts.differ(pair):
                    break
                for ev in self.evs:
                    if self._is_shown(ev, wanted, pair):
                        yield VerifierStep(wanted, leaves, ev.name)
            if self._tell_apart(claim):
                return
            movable = {pair for pair in cut if not self._is_source(pair)}
            if not movable:
                return
            banned |= movable

    def _question(
        self, claim: Claim, cut: Sequence[Signals]
    ) -> tuple[QueryPair | None, tuple[Claim, ...]]:
        """What a verifier is to be asked about a claim over a cut, and what must hold of the cut."""
        try:
            leaves = leaf_claims(self.p, self.q, claim, cut)
            # The question is the same, whoever is asked.
            return query_pair(VerifierStep(claim, leaves, ""), self.p, self.q), leaves
        except (ProofError, InputError) as error:
            self.reason = reason_of(error)
            return None, ()

    def _tell_apart(self, claim: Claim) -> bool:
        """Whether the solver finds an instance of the sources that contradicts a claim.

        It then counts for all signals: what it contradicts nobody relies on any more.
        """
        if (claim.p, claim.q) in self.lifted or len(self.lifted) >= MOST_LIFTED:
            return False
        self.lifted.add((claim.p, claim.q))
        if not self.sweep.tell_apart(claim):
            return False
        for signals, point in self.points.items():
            if point.way is not None and not self._is_open(point.way.leaves):
                point.way = None
                self._reopen(signals)
        return True

    def _strengths(self, claim: Claim) -> list[Claim]:
        """The claim; and all columns, where a verifier cannot well forget some."""
        if claim.columns is None:
            return [claim]
        full = Claim(claim.p, claim.q, claim.semantics)
        types = self.p.schemas[claim.p].types, self.q.schemas[claim.q].types
        straight = all(i == j for i, j in claim.columns)
        possible = straight and types[0] == types[1] and self.sweep.simulation.agree(full)
        return [claim, full] if possible else [claim]

    def _is_source(self, pair: Signals) -> bool:
        return isinstance(self.p.operators[pair[0]], Source) and isinstance(
            self.q.operators[pair[1]], Source
        )

    def _is_shown(self, ev: EV, claim: Claim, pair: QueryPair) -> bool:
        self.work += cost(pair)
        if self.work > WORK + PER_POINT * len(self.points):
            self.reason = AtCutPoint(claim.p, claim.q, Cause.QUESTION_BUDGET)
            return False
        self.progress(f"cut point {claim.p!r} ~ {claim.q!r}: asking {ev.name}")
        answer = self.attempts.ask(ev, pair)
        if answer.verdict is Verdict.EQUIVALENT:
            return True
        self.reason = AtCutPoint(claim.p, claim.q, SaidBy((ev.name,), answer.reason))
        return False

    def _cut(self, claim: Claim, banned: set[Signals]) -> list[Signals] | None:
        """The nearest pairs of signals below that may be equal; None if they are too far."""
        mates = self.sweep.mates
        lost: tuple[set[str], set[str]] = (set(), set())

        def mate(side: int, id_: str) -> str | None:
            other = mates[side].get(id_)
            if other is None or id_ in lost[side] or other in lost[1 - side]:
                return None
            pair = (id_, other) if side == 0 else (other, id_)
            if pair in banned or pair in self.failed or not self.sweep.agree(*pair):
                return None
            return other

        def has_no_mate(side: int, id_: str) -> bool:
            return mate(side, id_) is None

        while True:
            reached: list[set[str]] = []
            for side, (dataflow, start) in enumerate(((self.p, claim.p), (self.q, claim.q))):
                found = _entering(dataflow, start, partial(has_no_mate, side))
                if found is None:
                    return None
                reached.append(found)
            pairs: dict[Signals, None] = {}
            alone = 0
            for side in (0, 1):
                for id_ in sorted(reached[side]):
                    other = mate(side, id_)
                    if other is not None and other in reached[1 - side]:
                        pairs[(id_, other) if side == 0 else (other, id_)] = None
                    else:
                        lost[side].add(id_)
                        alone += 1
            if not alone:
                return list(pairs)

    # -- the proof -----------------------------------------------------------------------------

    def _steps(self, top: Signals) -> list[Step]:
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


def _entering(dataflow: Dataflow, start: str, inside: Callable[[str], bool]) -> set[str] | None:
    """Signals outside a part of a dataflow that a signal depends on; None if the part is large."""
    count = 0

    def limited(id_: str) -> bool:
        nonlocal count
        count += 1
        return count <= LARGEST and inside(id_)

    found = entering(dataflow, start, limited)
    return None if count > LARGEST else found
