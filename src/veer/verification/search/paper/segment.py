"""Segments: parts of the pair that no valid covering window crosses (the paper's section 7.1).

Windows of different segments never meet, so each segment is searched on its own: a pair is
equivalent if all its segments are (Lemma of section 7.1), and the numbers of decompositions add up
where they would multiply.
"""

from __future__ import annotations

from veer.verification.search.paper.decomposition import maximal_covering_windows
from veer.verification.search.paper.window import Windows


def by_unsupported(windows: Windows) -> list[int]:
    """Operators no EV supports are the boundaries; what hangs together between is a segment.

    No valid window has an operator that violates a restriction by itself, so none crosses one.
    """
    graph = windows.graph
    left = graph.everything & ~windows.unsupported
    segments = []
    while left:
        segment = left & -left
        while more := graph.around(segment) & left:
            segment |= more
        segments.append(segment)
        left &= ~segment
    return segments


def by_mcw_union(windows: Windows) -> list[int]:
    """The union of each edit's maximal covering windows; those that overlap are merged.

    Every valid window around an edit lies in a maximal one, hence in the segment of that edit.
    """
    segments: list[int] = []
    for edit in windows.edits:
        union = edit
        for mask in maximal_covering_windows(windows, edit, windows.graph.everything):
            union |= mask
        for other in [s for s in segments if s & union]:
            segments.remove(other)
            union |= other
        segments.append(union)
    return segments


def rank_segment(segment: int, edits: tuple[int, ...]) -> int:
    """F(S) = m + n: few operators and few edits first."""
    return segment.bit_count() + sum(1 for edit in edits if edit & segment)


def edits_in(segment: int, edits: tuple[int, ...]) -> tuple[int, ...]:
    """The edits a segment covers."""
    return tuple(edit for edit in edits if edit & segment)
