"""From verified windows to a proof: what the sinks need, claimed from the sources upwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

from veer.proof import (
    CONGRUENCE,
    SINK,
    WIRE,
    Claim,
    Proof,
    ProofError,
    Step,
    by_congruence,
    by_wire,
    implies,
)
from veer.search.paper.window import Windows


class NoProofError(Exception):
    """Why windows do not make a proof; never escapes the search."""


def assemble(windows: Windows, masks: Sequence[int], goal: Claim) -> Proof | str:
    """A proof in which these windows are closed by verifiers and the rest by congruence."""
    assembly = _Assembly(windows, masks)
    try:
        top = assembly.claim(windows.top)
    except NoProofError as error:
        return str(error)
    except RecursionError:
        return "nested too deeply"
    return Proof((*assembly.steps, Step(goal, (top,), SINK)))


@final
@dataclass
class _Assembly:
    windows: Windows
    masks: Sequence[int]
    steps: list[Step] = field(default_factory=list)
    proven: dict[tuple[str, str], list[Claim]] = field(default_factory=dict)
    open: set[tuple[str, str]] = field(default_factory=set)

    def claim(self, wanted: Claim) -> Claim:
        """A proven claim at least as strong as the one wanted."""
        signals = (wanted.p, wanted.q)
        for known in self.proven.get(signals, []):
            if implies(known, wanted):
                return known
        if signals in self.open:
            raise NoProofError(f"{wanted.p!r} ~ {wanted.q!r} would rest on itself")
        self.open.add(signals)
        try:
            step = self._step(wanted)
        finally:
            self.open.discard(signals)
        self.steps.append(step)
        self.proven.setdefault(signals, []).append(step.claim)
        return step.claim

    def _step(self, wanted: Claim) -> Step:
        graph = self.windows.graph
        for mask in self.masks:
            if graph.in_p(mask, wanted.p) or graph.in_q(mask, wanted.q):
                return self._by_window(mask, wanted)
        return self._by_rule(wanted)

    def _by_window(self, mask: int, wanted: Claim) -> Step:
        pairs = self.windows.leaves(mask, wanted.p, wanted.q)
        if pairs is None:
            raise NoProofError(f"nothing lies between {wanted.p!r} and {wanted.q!r}")
        leaves = self.windows.leaf_claims(wanted, pairs)
        if leaves is None:
            raise NoProofError(f"{wanted.p!r} and {wanted.q!r} have other columns")
        for leaf in leaves:
            self.claim(leaf)
        step = self.windows.step(mask, wanted, leaves)
        if step is None:
            reasons = "; ".join(self.windows.reasons.get(mask, []))
            raise NoProofError(f"{wanted.p!r} ~ {wanted.q!r} is not shown: {reasons}")
        return step

    def _by_rule(self, wanted: Claim) -> Step:
        """The same operator on the same inputs; or one that changes nothing, on the side that
        has no counterpart for it."""
        graph = self.windows.graph
        p, q = graph.p, graph.q
        try:
            if wanted.p in graph.to_q and wanted.q in graph.to_p:
                rule, needed = CONGRUENCE, by_congruence(p, q, wanted)
            else:
                rule, needed = WIRE, (by_wire(p, q, wanted, in_p=wanted.p not in graph.to_q),)
        except ProofError as error:
            raise NoProofError(str(error)) from None
        for claim in needed:
            self.claim(claim)
        return Step(wanted, tuple(dict.fromkeys(needed)), rule)
