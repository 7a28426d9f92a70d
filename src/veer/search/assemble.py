"""From verified windows to a proof: what the sinks need, claimed from the sources upwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

from veer.dataflow.determinism import operator_kind
from veer.proof import CONGRUENCE, SINK, Claim, Proof, Step, implies, needed_inputs, same_operator
from veer.search.window import Windows
from veer.verdict import TableSemantics

BAG, ORDERED = TableSemantics.BAG, TableSemantics.ORDERED_BAG


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
        return self._by_congruence(wanted)

    def _by_window(self, mask: int, wanted: Claim) -> Step:
        pairs = self.windows.leaves(mask, wanted.p, wanted.q)
        if pairs is None:
            raise NoProofError(f"nothing lies between {wanted.p!r} and {wanted.q!r}")
        leaves = [self.claim(Claim(a, b, BAG)) for a, b in pairs]
        step = self.windows.step(mask, wanted, leaves)
        if step is None:
            reasons = "; ".join(self.windows.reasons.get(mask, []))
            raise NoProofError(f"{wanted.p!r} ~ {wanted.q!r} is not shown: {reasons}")
        return step

    def _by_congruence(self, wanted: Claim) -> Step:
        p, q = self.windows.graph.p, self.windows.graph.q
        below = p.inputs[wanted.p], q.inputs[wanted.q]
        if not same_operator(p, wanted.p, q, wanted.q):
            raise NoProofError(f"{wanted.p!r} and {wanted.q!r} are different operators")
        kind = operator_kind(p, wanted.p)
        needed = needed_inputs(p.operators[wanted.p], kind, wanted.semantics)
        leaves = [self.claim(Claim(a, b, needed)) for a, b in zip(*below, strict=True)]
        strong = all(leaf.semantics is ORDERED for leaf in leaves)
        claim = Claim(wanted.p, wanted.q, ORDERED if strong else wanted.semantics)
        return Step(claim, tuple(dict.fromkeys(leaves)), CONGRUENCE)
