"""Cuts: the nearest pairs of signals below two signals that may be equal.

A cut separates two signals from the sources: every path down from either side meets a pair of the
cut. What lies above it is what a verifier is asked about, with one table for each pair.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, final

from veer.ir.dag import Dataflow
from veer.verification.search.candidates import Candidates, Signals
from veer.verification.search.paper.graph import entering

LARGEST = 80  # operators between a claim and a cut
IsPair: TypeAlias = Callable[[str, str], bool]


@final
class _Descent:
    """One look for a cut; `dropped` are signals whose counterpart the other side does not reach."""

    def __init__(self, candidates: Candidates, is_allowed: IsPair) -> None:
        self.candidates = candidates
        self.is_allowed = is_allowed
        self.dropped: tuple[set[str], set[str]] = (set(), set())

    def partner(self, side: int, id_: str) -> str | None:
        """The signal of the other side with which this one may make a pair of the cut."""
        other = (self.candidates.to_q, self.candidates.to_p)[side].get(id_)
        if other is None or id_ in self.dropped[side] or other in self.dropped[1 - side]:
            return None
        return other if self.is_allowed(*_as_pair(side, id_, other)) else None

    def reached(self, side: int, start: str) -> set[str] | None:
        """The signals with a partner that one side reaches first; None if they are too far."""
        dataflow = (self.candidates.p, self.candidates.q)[side]
        return entering_near(dataflow, start, lambda id_: self.partner(side, id_) is None)


def nearest_cut(
    candidates: Candidates, starts: Signals, is_allowed: IsPair
) -> list[Signals] | None:
    """The nearest pairs below two signals that are allowed; None if they are too far.

    A signal whose partner the other side does not reach is passed, and both sides look again: each
    time at least one signal less is looked at, so this ends.
    """
    descent = _Descent(candidates, is_allowed)
    while True:
        ours, theirs = (descent.reached(side, starts[side]) for side in (0, 1))
        if ours is None or theirs is None:
            return None
        pairs: dict[Signals, None] = {}
        unpaired = 0
        for side, own, others in ((0, ours, theirs), (1, theirs, ours)):
            for id_ in sorted(own):
                other = descent.partner(side, id_)
                if other is not None and other in others:
                    pairs[_as_pair(side, id_, other)] = None
                else:
                    descent.dropped[side].add(id_)
                    unpaired += 1
        if not unpaired:
            return list(pairs)


def _as_pair(side: int, own: str, other: str) -> Signals:
    return (own, other) if side == 0 else (other, own)


def entering_near(dataflow: Dataflow, start: str, inside: Callable[[str], bool]) -> set[str] | None:
    """Signals outside a part of a dataflow that a signal depends on; None if the part is large."""
    count = 0

    def limited(id_: str) -> bool:
        nonlocal count
        count += 1
        return count <= LARGEST and inside(id_)

    signals = entering(dataflow, start, limited)
    return None if count > LARGEST else signals
