"""From verified windows to a proof: what the sinks need, claimed from the sources upwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

from veer.reasons import Cause, ClaimNotShown, Message, Reason
from veer.verification import proof
from veer.verification.search.paper.window import Windows


class NoProofError(Exception):
    """Why windows do not make a proof; never escapes the search."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


def assemble(windows: Windows, masks: Sequence[int], goal: proof.Claim) -> proof.Proof | Reason:
    """A proof in which these windows are closed by verifiers and the rest by congruence."""
    assembly = _Assembly(windows, masks)
    try:
        top = assembly.claim(windows.top)
    except NoProofError as error:
        return error.reason
    except RecursionError:
        return Cause.NESTED_TOO_DEEPLY
    return proof.Proof((*assembly.steps, proof.SinkStep(goal, (top,))))


@final
@dataclass
class _Assembly:
    windows: Windows
    masks: Sequence[int]
    steps: list[proof.Step] = field(default_factory=list)
    proven: dict[tuple[str, str], list[proof.Claim]] = field(default_factory=dict)
    open: set[tuple[str, str]] = field(default_factory=set)

    def claim(self, wanted: proof.Claim) -> proof.Claim:
        """A proven claim at least as strong as the one wanted."""
        signals = (wanted.p, wanted.q)
        for earlier in self.proven.get(signals, []):
            if proof.implies(earlier, wanted):
                return earlier
        if signals in self.open:
            raise NoProofError(Message(f"{wanted.p!r} ~ {wanted.q!r} would be proven from itself"))
        self.open.add(signals)
        try:
            step = self._step(wanted)
        finally:
            self.open.discard(signals)
        self.steps.append(step)
        self.proven.setdefault(signals, []).append(step.claim)
        return step.claim

    def _step(self, wanted: proof.Claim) -> proof.Step:
        graph = self.windows.graph
        for mask in self.masks:
            if graph.in_p(mask, wanted.p) or graph.in_q(mask, wanted.q):
                return self._by_window(mask, wanted)
        return self._by_rule(wanted)

    def _by_window(self, mask: int, wanted: proof.Claim) -> proof.Step:
        pairs = self.windows.leaves(mask, wanted.p, wanted.q)
        if pairs is None:
            raise NoProofError(Message(f"nothing lies between {wanted.p!r} and {wanted.q!r}"))
        leaves = self.windows.leaf_claims(wanted, pairs)
        if leaves is None:
            raise NoProofError(Message(f"{wanted.p!r} and {wanted.q!r} have different columns"))
        for leaf in leaves:
            self.claim(leaf)
        step = self.windows.step(mask, wanted, leaves)
        if step is None:
            reasons = tuple(self.windows.reasons.get(mask, []))
            raise NoProofError(ClaimNotShown(wanted.p, wanted.q, reasons))
        return step

    def _by_rule(self, wanted: proof.Claim) -> proof.Step:
        """The same operator on the same inputs; or one that changes nothing, on the side that
        has no counterpart for it."""
        graph = self.windows.graph
        p, q = graph.p, graph.q
        step: proof.Step
        try:
            if wanted.p in graph.to_q and wanted.q in graph.to_p:
                needed = dict.fromkeys(proof.by_congruence(p, q, wanted))
                step = proof.CongruenceStep(wanted, tuple(needed))
            else:
                in_p = wanted.p not in graph.to_q
                below = proof.by_passing_through(p, q, wanted, in_p=in_p)
                step = proof.PassThroughStep(wanted, (below,), in_p)
        except proof.ProofError as error:
            raise NoProofError(error.reason) from None
        for claim in step.leaves:
            self.claim(claim)
        return step
