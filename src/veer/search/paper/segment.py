"""Segments: parts of the pair that no valid covering window crosses (the paper's section 7.1)."""

from __future__ import annotations

from veer.search.paper.decomposition import maximal_covering_windows
from veer.search.paper.window import Windows


def by_unsupported(windows: Windows) -> list[int]:
    """Operators no EV supports are the boundaries; what hangs together between is a segment."""
    graph = windows.graph
    left = graph.everything & ~windows.unsupported
    found = []
    while left:
        segment = left & -left
        while more := graph.around(segment) & left:
            segment |= more
        found.append(segment)
        left &= ~segment
    return found


def by_mcw_union(windows: Windows) -> list[int]:
    """The union of each edit's maximal covering windows; those that overlap are merged."""
    found: list[int] = []
    for edit in windows.edits:
        union = edit
        for mask in maximal_covering_windows(windows, edit, windows.graph.everything):
            union |= mask
        for other in [s for s in found if s & union]:
            found.remove(other)
            union |= other
        found.append(union)
    return found


def rank_segment(segment: int, edits: tuple[int, ...]) -> int:
    """F(S) = m + n: few operators and few edits first."""
    return segment.bit_count() + sum(1 for edit in edits if edit & segment)


def edits_in(segment: int, edits: tuple[int, ...]) -> tuple[int, ...]:
    """The edits a segment covers."""
    return tuple(edit for edit in edits if edit & segment)
