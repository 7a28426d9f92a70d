"""Every choice a run may make: which of tied or unordered rows come first.

A run with `Choices` asks at each operator that chooses for a permutation of its input rows; the
answers can be stepped through until all combinations were seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby, islice

from veer.interpreter.expressions import Row
from veer.interpreter.steps import Signal


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

    def arrange(self, signal: Signal, kept: range | None = None) -> Signal:
        """The rows in one of their possible orders: any, or any within tied ones.

        Where only the rows at the places `kept` go on, as a bag, what counts is which ones.
        """
        if len(signal.rows) < 2:
            return signal
        rows: list[Row] = []
        for layer in _layers(signal):
            if kept is None:
                rows += self._permuted(layer)
            else:
                rows += self._picked(layer, [i for i in range(len(layer)) if len(rows) + i in kept])
        return Signal(rows, signal.peers)

    def _permuted(self, rows: list[Row]) -> list[Row]:
        """The rows in some order; those that are alike may change places unseen."""
        alike = _alike(rows)
        orders = math.factorial(len(rows)) // math.prod(
            math.factorial(len(group)) for group in alike
        )
        if orders < 2:
            return rows
        number = self.pick(orders)
        return list(next(islice(_orders(alike), number, None)))

    def _picked(self, rows: list[Row], taken: list[int]) -> list[Row]:
        """The rows, some of them at the places that are taken."""
        if not 0 < len(taken) < len(rows):
            return rows
        alike = _alike(rows)
        if len(alike) > self.most:  # each could be the one that is taken, or the one that is not
            raise TooManyChoicesError
        samples = list(islice(_samples([len(g) for g in alike], len(taken)), self.most + 1))
        if len(samples) < 2:
            return rows
        sample = samples[self.pick(len(samples))]
        chosen = [row for group, n in zip(alike, sample, strict=True) for row in group[:n]]
        others = [row for group, n in zip(alike, sample, strict=True) for row in group[n:]]
        first = taken[0]
        return others[:first] + chosen + others[first:]


def _layers(signal: Signal) -> list[list[Row]]:
    """The rows that are tied, layer by layer; all of them where nothing is sorted."""
    if signal.peers is None:
        return [signal.rows]
    pairs = zip(signal.peers, signal.rows, strict=True)
    return [[row for _, row in layer] for _, layer in groupby(pairs, lambda pair: pair[0])]


def _alike(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows in groups nobody can tell apart: 0.0 and -0.0 are told apart."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(repr(row), []).append(row)
    return list(groups.values())


def _orders(groups: list[list[Row]]) -> Iterator[tuple[Row, ...]]:
    """The orders of all rows that differ."""
    if not any(groups):
        yield ()
    for place, group in enumerate(groups):
        if group:
            rest = [*groups[:place], group[1:], *groups[place + 1 :]]
            for order in _orders(rest):
                yield (group[0], *order)


def _samples(sizes: Sequence[int], count: int) -> Iterator[tuple[int, ...]]:
    """How many to take of each group, in all `count`."""
    if not sizes:
        if count == 0:
            yield ()
        return
    fewest = max(0, count - sum(sizes[1:]))
    for taken in range(min(sizes[0], count), fewest - 1, -1):
        for rest in _samples(sizes[1:], count - taken):
            yield (taken, *rest)
