"""Classes of signals proven equal, and cuts between them.

A cut separates two signals from the sources: every path down from either side meets a pair of the
cut. What lies above it is what a verifier is asked about, with one table for each class.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeAlias, final

from veer.ir.dag import Dataflow
from veer.verification.proof import Claim, implies
from veer.verification.search.candidates import Signals
from veer.verification.search.cuts import entering_near
from veer.verification.search.signatures import levels

_Member: TypeAlias = tuple[int, str]  # a signal: of P (0) or of Q (1), and its id


@final
class Classes:
    """Which signals are proven equal to which, in what."""

    def __init__(self, p: Dataflow, q: Dataflow) -> None:
        self.sides = p, q
        self._levels = levels(p), levels(q)
        self._claims: dict[Signals, list[Claim]] = defaultdict(list)
        self._above: dict[_Member, _Member] = {}  # towards the member a class is known by

    def add(self, claim: Claim) -> None:
        """A claim that is proven."""
        self._claims[claim.p, claim.q].append(claim)
        one, two = self._known_by((0, claim.p)), self._known_by((1, claim.q))
        self._above.setdefault(one, one)
        self._above[two] = one

    def has(self, side: int, id_: str) -> bool:
        """Whether a signal is proven equal to one of the other version."""
        return (side, id_) in self._above

    def claims(self, a: str, b: str) -> list[Claim]:
        """What is proven of two signals."""
        return self._claims.get((a, b), [])

    def gives(self, claim: Claim) -> bool:
        """Whether a claim follows from one that is proven."""
        return any(implies(proven, claim) for proven in self.claims(claim.p, claim.q))

    def _known_by(self, member: _Member) -> _Member:
        while self._above.get(member, member) != member:
            member = self._above[member]
        return member

    # -- cuts ------------------------------------------------------------------------------------

    def nearest_cut(
        self, starts: Signals, passed: tuple[set[str], set[str]]
    ) -> list[Signals] | None:
        """The nearest proven pairs below two signals; None if they are too far.

        A class that only one side reaches is passed, the highest first: what stands below it may
        be what the other side reaches. Each time there is one signal less, so this ends.
        """
        dropped = set(passed[0]), set(passed[1])
        while True:
            reached = [self._reached(side, starts[side], dropped[side]) for side in (0, 1)]
            if reached[0] is None or reached[1] is None:
                return None
            alone = {
                c
                for side in (0, 1)
                for c in reached[side] or ()
                if c not in (reached[1 - side] or ())
            }
            if alone:
                highest = max(alone, key=lambda c: (self._height(c, reached), c))
                for side in (0, 1):
                    dropped[side].update((reached[side] or {}).get(highest, ()))
                continue
            cut, left = self._paired(reached[0], reached[1])
            if not any(left):
                return cut
            for side in (0, 1):
                dropped[side].update(left[side])

    def _reached(self, side: int, start: str, dropped: set[str]) -> dict[_Member, list[str]] | None:
        """The signals of classes that one side reaches first, by class; None if they are too far."""

        def inside(id_: str) -> bool:
            return id_ in dropped or not self.has(side, id_)

        signals = entering_near(self.sides[side], start, inside)
        if signals is None:
            return None
        found: dict[_Member, list[str]] = defaultdict(list)
        for id_ in sorted(signals):
            found[self._known_by((side, id_))].append(id_)
        return found

    def _height(self, known_by: _Member, reached: list[dict[_Member, list[str]] | None]) -> int:
        return max(
            self._levels[side][id_]
            for side in (0, 1)
            for id_ in (reached[side] or {}).get(known_by, ())
        )

    def _paired(
        self, ours: dict[_Member, list[str]], theirs: dict[_Member, list[str]]
    ) -> tuple[list[Signals], tuple[list[str], list[str]]]:
        """Pairs of reached signals with a claim, and the signals for which there is none.

        One signal of a class is paired with all of the other side, so that one table is enough.
        """
        cut: list[Signals] = []
        left: tuple[list[str], list[str]] = ([], [])
        for known_by, members in ours.items():
            others = theirs[known_by]
            if len(members) > 1 and len(others) > 1 and not self._is_full(members, others):
                star = [(a, b) for a, b in zip(members, others, strict=False) if self.claims(a, b)]
            else:
                star = [(a, b) for a in members for b in others if self.claims(a, b)]
            cut += star
            left[0].extend(set(members) - {a for a, _ in star})
            left[1].extend(set(others) - {b for _, b in star})
        return cut, left

    def _is_full(self, ours: Iterable[str], theirs: Iterable[str]) -> bool:
        """Whether everything proven between some signals is about all their columns."""
        pairs = ((a, b) for a in ours for b in theirs)
        return all(c.columns is None for a, b in pairs for c in self.claims(a, b))
