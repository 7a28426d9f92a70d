"""Boxes in layers with arrows downwards, in SVG.

The usual steps for layered graphs: an arrow over several layers gets a bend in each layer between,
boxes and bends of a layer are ordered by the middle of what they are joined to, and then pulled
towards it. The same input gives the same picture, to the last character.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 148, 58  # of a box
GAP, RISE = 26, 40  # between boxes of a layer, between layers
BEND = 14  # the width a passing arrow takes
MARGIN = 24
SWEEPS = 24
COLORS = ("#e8f0fe", "#e6f4ea", "#fef7e0", "#fce8e6", "#f3e8fd", "#e4f7fb")
STYLE = (
    "text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:#202124}"
    ".name{font-size:14px;font-weight:600}.what{font-size:10px;fill:#5f6368}"
    ".arrow{fill:none;stroke:#9aa0a6;stroke-width:1.3}"
)


@dataclass(frozen=True)
class Box:
    """A room: its name, a few words, and how far above the ground it stands."""

    name: str
    what: str
    layer: int


@dataclass(frozen=True)
class Place:
    """Something in a layer: a box, or the bend of an arrow that passes."""

    name: str
    layer: int
    width: int


Edge = tuple[Place, Place]  # from a layer to the next one below


def draw(boxes: Sequence[Box], edges: Iterable[tuple[str, str]], ground: str) -> str:
    """The picture: higher layers on top, `ground` written below everything."""
    places = {box.name: Place(box.name, box.layer, WIDTH) for box in boxes}
    paths = [_path(places[upper], places[lower]) for upper, lower in edges]
    pieces = [edge for path in paths for edge in itertools.pairwise(path)]
    layers = _ordered([*places.values(), *_bends(paths)], pieces)
    across = _positions(layers, pieces)
    low = min(across[p] - p.width / 2 for p in across)
    high = max(across[p] + p.width / 2 for p in across)
    width = round(high - low) + 2 * MARGIN
    top = max(layers)
    height = top * (HEIGHT + RISE) + 2 * MARGIN

    def x(place: Place) -> float:
        return across[place] - low + MARGIN

    def y(layer: int) -> int:
        return MARGIN + (top - layer) * (HEIGHT + RISE)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#9aa0a6"/></marker></defs>',
        f'<rect width="{width}" height="{height}" rx="10" fill="#ffffff"/>',
        *(_arrow(path, x, y) for path in paths),
        *(_box(box, x(places[box.name]), y(box.layer)) for box in boxes),
        _ground(ground, width, height),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _path(upper: Place, lower: Place) -> list[Place]:
    """The places an arrow goes through."""
    between = range(upper.layer - 1, lower.layer, -1)
    bends = [Place(f"{upper.name}>{lower.name}", layer, BEND) for layer in between]
    return [upper, *bends, lower]


def _bends(paths: Sequence[Sequence[Place]]) -> list[Place]:
    return [place for path in paths for place in path[1:-1]]


def _ordered(places: Sequence[Place], pieces: Sequence[Edge]) -> dict[int, list[Place]]:
    """The places of each layer from left to right, with few crossings."""
    layers: dict[int, list[Place]] = {}
    for place in places:
        layers.setdefault(place.layer, []).append(place)
    best, crossings = layers, _crossings(layers, pieces)
    for sweep in range(SWEEPS):
        downwards = sweep % 2 == 0
        rank = {p: i / max(1, len(row) - 1) for row in layers.values() for i, p in enumerate(row)}
        ordered: dict[int, list[Place]] = {}
        for layer in sorted(layers, reverse=downwards):
            middle = {p: _middle(p, pieces, rank, downwards) for p in layers[layer]}
            row = sorted(layers[layer], key=lambda p: (middle[p], rank[p], p.name))
            rank |= {p: i / max(1, len(row) - 1) for i, p in enumerate(row)}
            ordered[layer] = row
        layers = ordered
        if (now := _crossings(layers, pieces)) < crossings:
            best, crossings = layers, now
    return best


def _middle(
    place: Place, pieces: Sequence[Edge], rank: Mapping[Place, float], downwards: bool
) -> float:
    """Where the neighbors of a place are, on average; where it is itself, if it has none."""
    there = [rank[u if downwards else v] for u, v in pieces if (v if downwards else u) == place]
    return sum(there) / len(there) if there else rank[place]


def _crossings(layers: Mapping[int, Sequence[Place]], pieces: Sequence[Edge]) -> int:
    at = {p: i for row in layers.values() for i, p in enumerate(row)}
    return sum(
        (at[a] - at[c]) * (at[b] - at[d]) < 0
        for i, (a, b) in enumerate(pieces)
        for c, d in pieces[:i]
        if a.layer == c.layer
    )


def _positions(layers: Mapping[int, Sequence[Place]], pieces: Sequence[Edge]) -> dict[Place, float]:
    """The middle of each place: neighbors are pulled towards each other, none overlap."""
    across: dict[Place, float] = {}
    for row in layers.values():
        at = 0.0
        for place in row:
            across[place] = at + place.width / 2
            at += place.width + GAP
        for place in row:
            across[place] -= at / 2
    for sweep in range(2 * SWEEPS):
        for layer in sorted(layers, reverse=sweep % 2 == 0):
            _pull(layers[layer], pieces, across)
    return across


def _pull(row: Sequence[Place], pieces: Sequence[Edge], across: dict[Place, float]) -> None:
    """Move the places of a layer halfway to the middle of their neighbors, then apart."""
    for place in row:
        joined = [u if v == place else v for u, v in pieces if place in (u, v)]
        if joined:
            wanted = sum(across[p] for p in joined) / len(joined)
            across[place] += (wanted - across[place]) / 2
    for _ in range(len(row)):
        for left, right in itertools.pairwise(row):
            least = (left.width + right.width) / 2 + GAP
            overlap = least - (across[right] - across[left])
            if overlap > 0:
                across[left] -= overlap / 2
                across[right] += overlap / 2


def _arrow(path: Sequence[Place], x: Callable[[Place], float], y: Callable[[int], int]) -> str:
    """A curve from below the upper box to above the lower one, through the bends."""
    at, height = x(path[0]), y(path[0].layer) + HEIGHT
    curve = [f"M{at:.0f} {height}"]
    for place in path[1:]:
        to, top = x(place), y(place.layer)
        half = (top - height) / 2
        curve.append(f"C{at:.0f} {height + half:.0f} {to:.0f} {top - half:.0f} {to:.0f} {top}")
        at, height = to, top
        if place is not path[-1]:
            height = top + HEIGHT
            curve.append(f"L{at:.0f} {height}")
    return f'<path class="arrow" marker-end="url(#head)" d="{"".join(curve)}"/>'


def _box(box: Box, x: float, y: int) -> str:
    color = COLORS[box.layer % len(COLORS)]
    words = textwrap.wrap(box.what, 27)[:2]
    lines = [
        f'<rect x="{x - WIDTH / 2:.0f}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="7" '
        f'fill="{color}" stroke="#bdc1c6"/>',
        f'<text class="name" text-anchor="middle" x="{x:.0f}" y="{y + 20}">{escape(box.name)}</text>',
    ]
    for number, line in enumerate(words):
        lines.append(
            f'<text class="what" text-anchor="middle" x="{x:.0f}" y="{y + 35 + 12 * number}">'
            f"{escape(line)}</text>"
        )
    return "\n".join(lines)


def _ground(text: str, width: int, height: int) -> str:
    return (
        f'<text class="what" text-anchor="middle" x="{width // 2}" y="{height - 12}">'
        f"{escape(text)}</text>"
    )
