"""Windows: what they cover, whether an EV may be asked about them, and what it is asked.

A window (the paper's section 3.2) is a bit set over the pair graph; it is valid with respect to an
EV if it meets the EV's restrictions (section 4.2). It is closed into query pairs by virtual sources, one
per pair of signals entering it, and virtual sinks, one per pair of signals leaving it; what feeds
a consumer outside must be proven equal on both sides, also where one side is only a wire.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import final

from veer.errors import InputError
from veer.facts.needs import Need
from veer.prove.verifiers.base import EV, CountRestriction, OperatorRestriction, Restriction
from veer.reasons import Cause, Message, Reason, Restricted, SaidBy
from veer.verdict import TableSemantics, Verdict
from veer.verification import proof
from veer.verification.search.attempts import Attempts
from veer.verification.search.obligations import leaf_claims, obligations, weakest_claim
from veer.verification.search.paper.graph import PairGraph, bits, entering


@final
@dataclass
class Validity:
    """Whether windows meet the restrictions of one EV; by bit counts where that is possible.

    Restrictions of single operators are a mask and those that compare counts are two, so that a
    window that grows by an operator is judged without looking at its other operators.
    """

    graph: PairGraph
    ev: EV
    _whole: dict[tuple[int, int], bool] = field(default_factory=dict)

    @cached_property
    def unsupported(self) -> int:
        """Nodes that violate a restriction by themselves."""
        mask = 0
        rules = [r for r in self.ev.active if isinstance(r, OperatorRestriction)]
        for i, node in enumerate(self.graph.nodes):
            sides = ((self.graph.p, node.p), (self.graph.q, node.q))
            if any(id_ is not None and r.violation(d, id_) for r in rules for d, id_ in sides):
                mask |= 1 << i
        return mask

    @cached_property
    def _counted(self) -> list[tuple[bool, int, int]]:
        """Per count restriction the nodes counted in P and in Q."""
        counted = []
        for rule in self.ev.active:
            if isinstance(rule, CountRestriction):
                masks = [0, 0]
                for i, node in enumerate(self.graph.nodes):
                    for side, (dataflow, id_) in enumerate(
                        ((self.graph.p, node.p), (self.graph.q, node.q))
                    ):
                        if id_ is not None and rule.counts(dataflow.operators[id_]):
                            masks[side] |= 1 << i
                counted.append((rule.monotonic, masks[0], masks[1]))
        return counted

    @cached_property
    def _others(self) -> list[Restriction]:
        """Restrictions that need a look at the whole window."""
        by_mask = (OperatorRestriction, CountRestriction)
        return [r for r in self.ev.active if not isinstance(r, by_mask)]

    def may_grow(self, mask: int) -> bool:
        """Whether the window or one containing it may be valid: no monotonic restriction fails.

        A monotonic restriction that fails on a window fails on all that contain it (section 5.5).
        """
        return self._holds(mask, monotonic_only=True)

    def is_valid(self, mask: int) -> bool:
        """Whether the window meets every restriction."""
        return self._holds(mask, monotonic_only=False)

    def _holds(self, mask: int, *, monotonic_only: bool) -> bool:
        if mask & self.unsupported:
            return False
        for monotonic, p_mask, q_mask in self._counted:
            if monotonic or not monotonic_only:
                if (mask & p_mask).bit_count() != (mask & q_mask).bit_count():
                    return False
        return all(
            self._others_hold(mask, i, r)
            for i, r in enumerate(self._others)
            if r.monotonic or not monotonic_only
        )

    def _others_hold(self, mask: int, number: int, rule: Restriction) -> bool:
        holds = self._whole.get((number, mask))
        if holds is None:
            graph = self.graph
            violations = rule.violations_in(graph.p, graph.p_ids(mask), graph.q, graph.q_ids(mask))
            holds = next(violations, None) is None
            self._whole[number, mask] = holds
        return holds

    def violation(self, mask: int) -> str:
        """Why a window is not valid; empty if it is."""
        graph = self.graph
        for rule in self.ev.active:
            for text in rule.violations_in(graph.p, graph.p_ids(mask), graph.q, graph.q_ids(mask)):
                return text
        return ""


@final
@dataclass
class Windows:
    """Windows of one pair graph: validity for several EVs, and what the EVs say of them."""

    graph: PairGraph
    evs: Sequence[EV]
    top: proof.Claim  # what must hold of the signals that feed the sinks
    attempts: Attempts
    follow_obligations: bool = True  # off only to count as the paper counts
    _verified: dict[int, bool] = field(default_factory=dict)
    reasons: dict[int, list[Reason]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.validity = [Validity(self.graph, ev) for ev in self.evs]

    @cached_property
    def unsupported(self) -> int:
        """Nodes that no EV supports."""
        mask = self.graph.everything
        for validity in self.validity:
            mask &= validity.unsupported
        return mask

    def is_valid(self, mask: int) -> bool:
        """Whether some EV may be asked about the window."""
        return any(v.is_valid(mask) for v in self.validity)

    def may_grow(self, mask: int) -> bool:
        """Whether some EV might be asked about the window or about one containing it."""
        return any(v.may_grow(mask) for v in self.validity)

    @cached_property
    def _needed(self) -> tuple[dict[str, Need], dict[str, Need]]:
        return (
            obligations(self.graph.p, self.top.semantics),
            obligations(self.graph.q, self.top.semantics),
        )

    def obligation(self, p: str, q: str) -> proof.Claim:
        """What must hold of a pair of signals."""
        if (p, q) == (self.top.p, self.top.q):
            return self.top
        if not self.follow_obligations:
            return proof.Claim(p, q, self.top.semantics)
        ours, theirs = self._needed
        try:
            return weakest_claim(self.graph.p, p, self.graph.q, q, ours.get(p), theirs.get(q))
        except proof.ProofError:
            return proof.Claim(p, q, self.top.semantics)  # which will not be shown

    def leaf_claims(
        self, claim: proof.Claim, leaves: Sequence[tuple[str, str]]
    ) -> tuple[proof.Claim, ...] | None:
        """What must hold of the signals entering a window; None if what is claimed cannot hold."""
        if self.follow_obligations:
            try:
                return leaf_claims(self.graph.p, self.graph.q, claim, leaves)
            except proof.ProofError:
                return None
        return tuple(proof.Claim(a, b, TableSemantics.ORDERED_BAG) for a, b in leaves)

    @cached_property
    def edits(self) -> tuple[int, ...]:
        """The edits with an effect; the others change no value that is needed above them."""
        if not self.follow_obligations:
            return self.graph.edited
        return tuple(edit for edit in self.graph.edited if not self._is_unseen(edit))

    def _is_unseen(self, edit: int) -> bool:
        outputs = self.outputs(edit)
        for p, q in outputs or ():
            leaves = self.leaves(edit, p, q)
            if leaves is None:
                continue
            claim = self.obligation(p, q)
            claims = self.leaf_claims(claim, leaves)
            if claims is None or self.step_without_ev(claim, claims) is None:
                return False
        return outputs is not None

    def step_without_ev(
        self, claim: proof.Claim, leaves: Sequence[proof.Claim]
    ) -> proof.Step | None:
        """A step by congruence, or past an operator that changes nothing of what is claimed."""
        p, q = self.graph.p, self.graph.q
        steps: tuple[Callable[[], proof.Step], ...] = (
            lambda: proof.CongruenceStep(claim, proof.by_congruence(p, q, claim)),
            lambda: proof.PassThroughStep(
                claim, (proof.by_passing_through(p, q, claim, in_p=True),), True
            ),
            lambda: proof.PassThroughStep(
                claim, (proof.by_passing_through(p, q, claim, in_p=False),), False
            ),
        )
        for make in steps:
            with suppress(proof.ProofError):
                step = make()
                if all(
                    any(proof.implies(leaf, needed) for leaf in leaves) for needed in step.leaves
                ):
                    return step
        return None

    # -- what leaves a window, and what enters it ----------------------------------------------

    def outputs(self, mask: int) -> list[tuple[str, str]] | None:
        """Pairs of signals a window must show equal; None if one has no counterpart."""
        graph = self.graph
        pairs: dict[tuple[str, str], None] = {}
        for port in graph.ports:
            inside = graph.in_p(mask, port.p) or graph.in_q(mask, port.q)
            if inside and not graph.in_p(mask, port.consumer):
                pairs[port.p, port.q] = None
        # Signals read by operators of other windows that have no counterpart.
        for dataflow, numbers, partner, is_p in (
            (graph.p, graph.of_p, graph.to_q, True),
            (graph.q, graph.of_q, graph.to_p, False),
        ):
            for link in dataflow.links:
                if link.dst in partner or not mask >> numbers[link.src] & 1:
                    continue
                if mask >> numbers[link.dst] & 1:
                    continue
                other = partner.get(link.src)
                if other is None:
                    return None
                pairs[(link.src, other) if is_p else (other, link.src)] = None
        return list(pairs)

    def leaves(self, mask: int, p: str, q: str) -> list[tuple[str, str]] | None:
        """Pairs of signals entering the part of a window below an output; None if unpaired."""
        graph = self.graph
        ours = entering(graph.p, p, lambda i: graph.in_p(mask, i))
        theirs = entering(graph.q, q, lambda i: graph.in_q(mask, i))
        pairs: dict[tuple[str, str], None] = {}
        for a in ours:
            b = graph.to_q.get(a)
            if b is not None and b in theirs:
                pairs[a, b] = None
        for port in graph.ports:
            if graph.in_p(mask, port.consumer) and port.p in ours and port.q in theirs:
                if not any(a == port.p for a, _ in pairs) or not any(b == port.q for _, b in pairs):
                    pairs[port.p, port.q] = None
        if (p, q) in pairs:
            return None  # nothing between
        paired = {a for a, _ in pairs}, {b for _, b in pairs}
        for a in sorted(ours - paired[0]):
            match = next((b for b in sorted(theirs - paired[1])), None)
            if match is None:
                break
            pairs[a, match] = None
            paired[1].add(match)
        return list(pairs)

    # -- asking --------------------------------------------------------------------------------

    def step(
        self, mask: int, claim: proof.Claim, leaves: Sequence[proof.Claim]
    ) -> proof.Step | None:
        """A step by which some EV shows a claim about a window, or None."""
        for validity in self.validity:
            ev = validity.ev
            if not validity.is_valid(mask):
                self._note(mask, SaidBy((ev.name,), Restricted(validity.violation(mask))))
                continue
            step = proof.VerifierStep(claim, tuple(leaves), ev.name)
            try:
                answer = self.attempts.ask(ev, proof.query_pair(step, self.graph.p, self.graph.q))
            except (proof.ProofError, InputError) as error:
                self._note(mask, SaidBy((ev.name,), proof.reason_of(error)))
                continue
            if answer.verdict is Verdict.EQUIVALENT:
                return step
            self._note(mask, SaidBy((ev.name,), answer.reason))
        return None

    def _note(self, mask: int, reason: Reason) -> None:
        """Keep why a window was not shown, each reason once."""
        reasons = self.reasons.setdefault(mask, [])
        if reason not in reasons:
            reasons.append(reason)

    def is_verified(self, mask: int) -> bool:
        """Whether the EVs show every output of a window equal, its inputs being equal."""
        verified = self._verified.get(mask)
        if verified is None:
            verified = self._verify(mask)
            self._verified[mask] = verified
        return verified

    def _verify(self, mask: int) -> bool:
        outputs = self.outputs(mask)
        if outputs is None:
            self._note(mask, Cause.NO_COUNTERPART)
            return False
        for p, q in outputs:
            leaves = self.leaves(mask, p, q)
            if leaves is None:
                continue
            claim = self.obligation(p, q)
            claims = self.leaf_claims(claim, leaves)
            if claims is None:
                self._note(mask, Message(f"{p!r} and {q!r} have different columns"))
                return False
            if self.step(mask, claim, claims) is None:
                return False
        return True


def connected(graph: PairGraph, mask: int) -> bool:
    """Whether a window hangs together."""
    if not mask:
        return False
    reached = mask & -mask
    while True:
        more = reached
        for node in bits(reached):
            more |= graph.adjacent[node] & mask
        if more == reached:
            return reached == mask
        reached = more
