"""Decompositions and the walk through them (the paper's Algorithms 1 and 2).

A decomposition is the set of its covering windows, disjoint and each covering an edit; every other
operator is a window of its own. Readings of Algorithm 2: its line 9 starts from the decomposition
at hand, "not explored" is about decompositions, and "marked" is about validity only.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias, final

from veer.search.paper.graph import bits
from veer.search.paper.window import Windows

Decomposition: TypeAlias = frozenset[int]
MOST_WINDOWS = 20_000


@final
@dataclass(frozen=True)
class Options:
    """What the walk does beside walking; each on its own switch."""

    prune: bool = False
    rank: bool = False
    backtrack: bool = True  # smaller windows where the largest are not shown
    eager: bool = False  # ask about every decomposition met, not only about maximal ones
    decompositions: int = 50_000  # how many to look at


@final
@dataclass
class Tally:
    """What a walk did."""

    decompositions: int = 0
    exhausted: bool = False  # the budget ran out


def initial(edits: Iterator[int] | tuple[int, ...]) -> Decomposition:
    """Each edited operator as a window."""
    return frozenset(edits)


def maximal_covering_windows(windows: Windows, edit: int, within: int) -> set[int]:
    """Algorithm 1: the valid windows around one edit that no valid window contains."""
    seen = {edit}
    waiting = [edit]
    maximal: set[int] = set()
    while waiting and len(seen) < MOST_WINDOWS:
        mask = waiting.pop()
        grew = False
        for node in bits(windows.graph.around(mask) & within):
            larger = mask | 1 << node
            if windows.may_grow(larger):
                grew = True
                if larger not in seen:
                    seen.add(larger)
                    waiting.append(larger)
        if not grew:
            maximal.add(mask)
    valid = {m for m in maximal if windows.is_valid(m)}
    if valid != maximal:  # restrictions that are not monotonic: look at smaller ones too
        candidates = sorted((m for m in seen if windows.is_valid(m)), key=int.bit_count)
        for mask in reversed(candidates):
            if not any(mask & other == mask for other in valid):
                valid.add(mask)
    return valid


def walk(
    windows: Windows, edits: tuple[int, ...], within: int, options: Options, tally: Tally
) -> Decomposition | None:
    """Algorithm 2: a decomposition whose covering windows are all verified, or None.

    `within` are the nodes windows may use: a segment, or everything.
    """
    start = initial(edits)
    if not all(windows.may_grow(mask) for mask in start):
        return None
    seen = {start}
    queue = _Queue(within, options.rank)
    queue.add(start)
    visited: list[Decomposition] = []
    while (current := queue.take()) is not None:
        if tally.decompositions >= options.decompositions:
            tally.exhausted = True
            break
        tally.decompositions += 1
        visited.append(current)
        if options.eager and all(_shown(windows, mask) for mask in current):
            return current
        found, stale, maximal = [], False, True
        for mask in sorted(current):
            larger = list(merged(windows, current, mask, within))
            if larger:
                maximal = False
                found += larger
            elif options.prune and not _shown(windows, mask):
                # It is in every decomposition from here on: no neighbor can be merged with it.
                stale = True
                break
        if stale:
            continue
        for other in found:
            if other not in seen:
                seen.add(other)
                queue.add(other)
        if maximal and all(_shown(windows, mask) for mask in current):
            return current
    if options.backtrack:
        return _smaller(windows, visited)
    return None


def merged(
    windows: Windows, current: Decomposition, mask: int, within: int
) -> Iterator[Decomposition]:
    """The decompositions in which a covering window is merged with a neighbor."""
    around = windows.graph.around(mask) & within
    for node in bits(around):
        bit = 1 << node
        other = next((m for m in current if m & bit), bit)
        union = mask | other
        if windows.may_grow(union):
            yield current - {mask, other} | {union}


def _smaller(windows: Windows, visited: list[Decomposition]) -> Decomposition | None:
    """For EVs that do not know everything: smaller windows may be shown where larger are not."""
    for current in reversed(visited):
        if all(_shown(windows, mask) for mask in current):
            return current
    return None


def _shown(windows: Windows, mask: int) -> bool:
    return windows.is_valid(mask) and windows.is_verified(mask)


@final
class _Queue:
    """First in, first out; or, ranked, the decomposition closest to a maximal one first.

    The paper's G: the average size of covering windows less the number of unmerged operators.
    """

    def __init__(self, within: int, ranked: bool) -> None:
        self.size = within.bit_count()
        self.ranked = ranked
        self.heap: list[tuple[float, int, Decomposition]] = []
        self.line: deque[Decomposition] = deque()
        self.number = count()

    def add(self, decomposition: Decomposition) -> None:
        if self.ranked:
            rank = rank_decomposition(decomposition, self.size)
            heapq.heappush(self.heap, (-rank, next(self.number), decomposition))
        else:
            self.line.append(decomposition)

    def take(self) -> Decomposition | None:
        if self.ranked:
            return heapq.heappop(self.heap)[2] if self.heap else None
        return self.line.popleft() if self.line else None


def rank_decomposition(decomposition: Decomposition, operators: int) -> float:
    """G(d) = o - w: larger covering windows and fewer unmerged operators first."""
    covered = sum(mask.bit_count() for mask in decomposition)
    return covered / max(1, len(decomposition)) - (operators - covered)
