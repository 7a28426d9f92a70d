"""LIKE patterns read into runs of letters and wildcards, and written back in one way.

'An\\_%%'   =>   the text 'An_', then any number of characters
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

from veer.model.expr import Expr, Literal

ESCAPE = "\\"


@final
@dataclass(frozen=True, slots=True)
class Gap:
    """Characters that a pattern leaves open: so many, or so many and any number more."""

    least: int
    is_open: bool


Piece: TypeAlias = str | Gap


def constant_pattern(given: Sequence[Expr]) -> tuple[Piece, ...] | None:
    """The pieces of a LIKE pattern given with or without an escape character.

    None if these are no constants, or none that Spark accepts.
    """
    match given:
        case [Literal(str() as pattern)]:
            return read_pattern(pattern)
        case [Literal(str() as pattern), Literal(str() as escape)] if len(escape) == 1:
            return read_pattern(pattern, escape)
        case _:
            return None


def read_pattern(pattern: str, escape: str = ESCAPE) -> tuple[Piece, ...] | None:
    """The texts and gaps of a LIKE pattern, taking turns; None if Spark would refuse it."""
    pieces: list[Piece] = []
    chars = iter(pattern)
    for char in chars:
        if char == escape:
            following = next(chars, None)
            if following is None or following not in ("%", "_", escape):
                return None
            _append_text(pieces, following)
        elif char in "%_":
            _append_gap(pieces, Gap(int(char == "_"), char == "%"))
        else:
            _append_text(pieces, char)
    return tuple(pieces)


def _append_text(pieces: list[Piece], text: str) -> None:
    if pieces and isinstance(pieces[-1], str):
        pieces[-1] += text
    else:
        pieces.append(text)


def _append_gap(pieces: list[Piece], gap: Gap) -> None:
    """`_%`, `%_` and `%_%` are one gap of at least one character."""
    last = pieces[-1] if pieces else None
    if isinstance(last, Gap):
        pieces[-1] = Gap(last.least + gap.least, last.is_open or gap.is_open)
    else:
        pieces.append(gap)


def written_pattern(pieces: Sequence[Piece]) -> str:
    """The pattern of these pieces, with backslashes where they are needed and nowhere else."""
    return "".join(
        "_" * piece.least + "%" * piece.is_open if isinstance(piece, Gap) else _escaped(piece)
        for piece in pieces
    )


def _escaped(text: str) -> str:
    return "".join(ESCAPE + char if char in ("%", "_", ESCAPE) else char for char in text)
