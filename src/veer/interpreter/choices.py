"""Every choice a run may make: which of tied or unordered rows come first.

A run with `Choices` asks at each operator that chooses for a permutation of its input rows; the
answers can be stepped through until all combinations were seen.
"""

from __future__ import annotations

import math
from itertools import groupby, islice, permutations

from veer.interpreter.operators import Signal


class TooManyChoicesError(Exception):
    """More combinations than anybody wants to look at."""


class Choices:
    """A position in the tree of all choices: `picks` answers, `sizes` says out of how many."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.picks: list[int] = []
        self.sizes: list[int] = []
        self.at = 0

    def start(self) -> None:
        """Begin a run."""
        self.at = 0
        self.sizes = []

    def pick(self, count: int) -> int:
        """One of `count` possibilities: the next one of this combination."""
        if math.prod(self.sizes) * count > self.most:
            raise TooManyChoicesError
        if self.at == len(self.picks):
            self.picks.append(0)
        self.sizes.append(count)
        self.at += 1
        return self.picks[self.at - 1]

    def advance(self) -> bool:
        """Step to the next combination; False when all were seen."""
        del self.picks[len(self.sizes) :]
        while self.picks:
            if self.picks[-1] + 1 < self.sizes[len(self.picks) - 1]:
                self.picks[-1] += 1
                return True
            self.picks.pop()
        return False

    def arrange(self, signal: Signal) -> Signal:
        """The rows in one of their possible orders: any, or any within tied ones."""
        if len(signal.rows) < 2:
            return signal
        if signal.peers is None:
            return Signal(self._permuted(signal.rows))
        rows = []
        pairs = zip(signal.peers, signal.rows, strict=True)
        for _, layer in groupby(pairs, lambda pair: pair[0]):
            rows += self._permuted([row for _, row in layer])
        return Signal(rows, signal.peers)

    def _permuted(self, rows: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
        if len(rows) < 2:
            return rows
        number = self.pick(math.factorial(len(rows)))
        return list(next(islice(permutations(rows), number, None)))
