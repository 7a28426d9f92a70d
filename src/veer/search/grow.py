"""Small windows first: each edit's window grows until a verifier can show it.

What holds of a window holds of every window containing it (the paper's Lemma 4.2), so the
smallest that is shown will do, and questions about small windows are cheap. Windows that meet are
merged.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import final

from veer.search.decomposition import Decomposition, Tally
from veer.search.graph import bits
from veer.search.window import Windows

PER_EDIT = 60  # windows looked at around one edit


@final
@dataclass
class _Front:
    """The windows around some edits, the smallest first."""

    heap: list[tuple[int, int]]
    seen: set[int]

    @classmethod
    def around(cls, mask: int) -> _Front:
        return cls([(mask.bit_count(), mask)], {mask})


def grow(windows: Windows, tally: Tally) -> Decomposition | int:
    """Verified disjoint windows that cover all edits, or the window that resisted."""
    settled = [m for m in _neighborhoods(windows) if _is_shown(windows, m, tally)]
    waiting = list(windows.graph.moves)
    while waiting:
        edit = waiting.pop(0)
        if any(edit & done == edit for done in settled):
            continue
        found = _smallest(windows, edit, tally)
        if found is None:
            return edit
        # Overlapping windows cover their edits together.
        met = [done for done in settled if done & found]
        if met:
            for done in met:
                settled.remove(done)
                found |= done
            if not (windows.is_valid(found) and windows.is_verified(found)):
                waiting.insert(0, found)
                continue
        settled.append(found)
    return frozenset(settled)


def _neighborhoods(windows: Windows) -> list[int]:
    """Edits that are next to each other, with what lies between them: often one edit in truth.

    A projection that drops columns changes every operator above it that reads by position.
    """
    graph = windows.graph
    every = 0
    for move in graph.moves:
        every |= move
    found = []
    while every:
        mask = every & -every
        while more := graph.around(mask) & every:
            mask |= more
        found.append(mask)
        every &= ~mask
    return found


def _is_shown(windows: Windows, mask: int, tally: Tally) -> bool:
    tally.decompositions += 1
    return windows.is_valid(mask) and windows.is_verified(mask)


def _smallest(windows: Windows, edit: int, tally: Tally) -> int | None:
    """The first verified window around some edits, by size."""
    front = _Front.around(edit)
    for _ in range(PER_EDIT):
        if not front.heap:
            return None
        _, mask = heapq.heappop(front.heap)
        mask = _with_edits_touched(windows, mask)
        if _is_shown(windows, mask, tally):
            return mask
        for node in bits(windows.graph.around(mask)):
            larger = _with_edits_touched(windows, mask | 1 << node)
            if larger not in front.seen and windows.may_grow(larger):
                front.seen.add(larger)
                heapq.heappush(front.heap, (larger.bit_count(), larger))
    return None


def _with_edits_touched(windows: Windows, mask: int) -> int:
    """The window with every edit it has an operator of."""
    for edit in windows.graph.edited:
        if edit & mask:
            mask |= edit
    return mask
