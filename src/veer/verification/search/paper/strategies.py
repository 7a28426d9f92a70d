"""The paper's strategies: `baseline` walks decompositions, `plus` walks them segment by segment."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import final

from veer.options import Optimization, SearchStrategy
from veer.reasons import DecompositionBudget, Reason, Restricted, SaidBy, WindowNotShown
from veer.verification.proof import Claim, Proof
from veer.verification.search.paper.assemble import assemble
from veer.verification.search.paper.decomposition import (
    Decomposition,
    Options,
    WalkCounts,
    maximal_covering_windows,
    walk,
)
from veer.verification.search.paper.window import Windows


class Segmentation(Enum):
    """How a version pair is cut into segments that are searched one by one."""

    BY_UNSUPPORTED = "by_unsupported"  # at operators that no EV supports
    BY_MCW_UNION = "by_mcw_union"  # unions of overlapping maximal covering windows


@final
@dataclass(frozen=True)
class Strategy:
    """How decompositions are walked."""

    segment: Segmentation | None = Segmentation.BY_UNSUPPORTED
    options: Options = field(default_factory=Options)

    @classmethod
    def named(
        cls,
        name: SearchStrategy,
        without: tuple[Optimization, ...] = (),
        budget: int = 50_000,
    ) -> Strategy:
        """`baseline`, or `plus` (to which `sweep` resorts at last) without some optimizations."""
        if name is SearchStrategy.BASELINE:
            return cls(None, Options(decompositions=budget))
        return cls(
            None if Optimization.SEGMENT in without else Segmentation.BY_UNSUPPORTED,
            Options(
                prune=Optimization.PRUNE not in without,
                rank=Optimization.RANK not in without,
                eager=True,
                decompositions=budget,
            ),
        )


@final
@dataclass(frozen=True)
class SearchOutcome:
    """The windows found, if every edit is covered by a verified one, and the proof they make."""

    decomposition: Decomposition | None
    proof: Proof | None
    reason: Reason | None = None
    resisting: int = 0  # the window that no EV could show


def search(windows: Windows, goal: Claim, strategy: Strategy, counts: WalkCounts) -> SearchOutcome:
    """Algorithm 3 (or 2, without segments), and the proof its windows make."""
    decomposition = find_windows(windows, strategy, counts)
    if isinstance(decomposition, SearchOutcome):
        return decomposition
    proof = assemble(windows, sorted(decomposition), goal)
    if isinstance(proof, Proof):
        return SearchOutcome(decomposition, proof)
    return SearchOutcome(decomposition, None, proof)


def find_windows(
    windows: Windows, strategy: Strategy, counts: WalkCounts
) -> Decomposition | SearchOutcome:
    """Verified windows that cover all edits, or why there are none."""
    edits = windows.edits
    unsupported = [edit for edit in edits if edit & windows.unsupported]
    if unsupported:
        return SearchOutcome(None, None, resists(windows, unsupported[0]), unsupported[0])
    chosen: set[int] = set()
    for segment in _segments(windows, strategy, edits):
        own = edits_in(segment, edits)
        verified = walk(windows, own, segment, strategy.options, counts) if own else frozenset()
        if verified is None:
            worst = largest_unverified(windows, own)
            reason: Reason = resists(windows, worst)
            if counts.exhausted:
                reason = DecompositionBudget(counts.decompositions, reason)
            return SearchOutcome(None, None, reason, worst)
        chosen |= verified
    return frozenset(chosen)


def _segments(windows: Windows, strategy: Strategy, edits: tuple[int, ...]) -> list[int]:
    if strategy.segment is None:
        return [windows.graph.everything]
    by_union = strategy.segment is Segmentation.BY_MCW_UNION
    segments = by_mcw_union(windows) if by_union else by_unsupported(windows)
    covering = [segment for segment in segments if edits_in(segment, edits)]
    return sorted(covering, key=lambda s: rank_segment(s, edits))


def largest_unverified(windows: Windows, edits: tuple[int, ...]) -> int:
    """The largest window around some edits that was asked about and not shown."""
    tried = [mask for mask in windows.reasons if any(mask & edit for edit in edits)]
    return max(tried, key=int.bit_count, default=edits[0] if edits else 0)


def resists(windows: Windows, mask: int) -> WindowNotShown:
    """A window that could not be shown, with what each verifier said of it."""
    graph = windows.graph
    reasons = windows.reasons.get(mask)
    if not reasons:
        violations = [(v.ev.name, v.violation(mask)) for v in windows.validity]
        reasons = [SaidBy((ev,), Restricted(text)) for ev, text in violations if text]
    return WindowNotShown(tuple(graph.p_ids(mask)), tuple(graph.q_ids(mask)), tuple(reasons))


# -- segments: parts of the pair that no valid covering window crosses (the paper's section 7.1)
# Windows of different segments never meet, so each segment is searched on its own: a pair is
# equivalent if all its segments are (Lemma of section 7.1), and the numbers of decompositions add up
# where they would multiply.


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
