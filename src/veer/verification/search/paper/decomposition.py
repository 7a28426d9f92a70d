"""Decompositions and the walk through them (the paper's Algorithms 1 and 2, sections 4 and 5).

A decomposition (section 5.2) is the set of its covering windows, disjoint and each covering an
edit; every other operator is a window of its own, the same in both versions. If all covering windows
are equivalent, so is the version pair (Lemma of section 5.2), and so is every decomposition that
contains this one (Lemma on decomposition containment): that is why maximal ones are looked for.

Readings of Algorithm 2: its line 9 starts from the decomposition at hand, "not explored" is about
decompositions, and "marked" is about validity only.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias, final

from veer.verification.search.paper.graph import bits
from veer.verification.search.paper.window import Windows

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
class WalkCounts:
    """How far a walk through decompositions went."""

    decompositions: int = 0
    exhausted: bool = False  # the budget ran out


def initial(edits: Iterator[int] | tuple[int, ...]) -> Decomposition:
    """Each edited operator as a window."""
    return frozenset(edits)


def maximal_covering_windows(windows: Windows, edit: int, within: int) -> set[int]:
    """Algorithm 1: the valid windows around one edit that no valid window contains.

    A window is grown by neighbors while no monotonic restriction fails: one that fails there fails
    in every larger window too (section 5.5, monotonicity), so nothing valid is missed.
    """
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
    if valid != maximal:  # a restriction that is not monotonic: look at smaller windows too
        candidates = sorted((m for m in seen if windows.is_valid(m)), key=int.bit_count)
        for mask in reversed(candidates):
            if not any(mask & other == mask for other in valid):
                valid.add(mask)
    return valid


def walk(
    windows: Windows, edits: tuple[int, ...], within: int, options: Options, counts: WalkCounts
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
        if counts.decompositions >= options.decompositions:
            counts.exhausted = True
            break
        counts.decompositions += 1
        visited.append(current)
        if options.eager and _all_shown(windows, current):
            return current
        larger = _larger(windows, current, within, options)
        if larger is None:
            continue
        for other in larger:
            if other not in seen:
                seen.add(other)
                queue.add(other)
        if not larger and _all_shown(windows, current):
            return current  # a maximal decomposition
    return _smaller(windows, visited) if options.backtrack else None


def _larger(
    windows: Windows, current: Decomposition, within: int, options: Options
) -> list[Decomposition] | None:
    """The decompositions with one merge more, none for a maximal one; None for a stale one.

    A window that cannot be merged with any neighbor stays in every decomposition reached from here.
    If it is not shown, none of those can succeed (section 7.2, stale decompositions). This assumes
    nothing of the EV: the same window is asked about in the same way wherever it occurs.
    """
    larger: list[Decomposition] = []
    for mask in sorted(current):
        own = list(merged(windows, current, mask, within))
        if not own and options.prune and not _is_shown(windows, mask):
            return None
        larger += own
    return larger


def merged(
    windows: Windows, current: Decomposition, mask: int, within: int
) -> Iterator[Decomposition]:
    """The decompositions in which a covering window is merged with a neighbor (Algorithm 2, line 9)."""
    around = windows.graph.around(mask) & within
    for node in bits(around):
        bit = 1 << node
        other = next((m for m in current if m & bit), bit)
        union = mask | other
        if windows.may_grow(union):
            yield current - {mask, other} | {union}


def _smaller(windows: Windows, visited: list[Decomposition]) -> Decomposition | None:
    """A decomposition on the way whose windows are all shown, the last one first.

    For EVs that do not know everything: they may show smaller windows where they do not show
    larger ones, though these are equivalent too.
    """
    for current in reversed(visited):
        if _all_shown(windows, current):
            return current
    return None


def _all_shown(windows: Windows, decomposition: Decomposition) -> bool:
    return all(_is_shown(windows, mask) for mask in decomposition)


def _is_shown(windows: Windows, mask: int) -> bool:
    return windows.is_valid(mask) and windows.is_verified(mask)


@final
class _Queue:
    """First in, first out; or, ranked, the decomposition closest to a maximal one first.

    The paper's G (section 7.3): the average size of covering windows less the number of unmerged operators.
    """

    def __init__(self, within: int, ranked: bool) -> None:
        self.size = within.bit_count()
        self.ranked = ranked
        self.heap: list[tuple[float, int, Decomposition]] = []
        self.line: deque[Decomposition] = deque()
        self.number = count()

    def add(self, decomposition: Decomposition) -> None:
        """Have a decomposition looked at later."""
        if self.ranked:
            rank = rank_decomposition(decomposition, self.size)
            heapq.heappush(self.heap, (-rank, next(self.number), decomposition))
        else:
            self.line.append(decomposition)

    def take(self) -> Decomposition | None:
        """The next decomposition to look at; None when all were."""
        if self.ranked:
            return heapq.heappop(self.heap)[2] if self.heap else None
        return self.line.popleft() if self.line else None


def rank_decomposition(decomposition: Decomposition, operators: int) -> float:
    """G(d) = o - w: larger covering windows and fewer unmerged operators first."""
    covered = sum(mask.bit_count() for mask in decomposition)
    return covered / max(1, len(decomposition)) - (operators - covered)
