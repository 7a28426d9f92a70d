"""Laws of conditions about texts: LIKE, searches, parts and lengths compared with constants.

Each side is null where the text is null. Texts are compared by their characters: substring, length and
`_` count the same ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

from veer.expressions.law import Simplify, law
from veer.expressions.texts import plain_delimiter
from veer.model.expr import And, Call, Compare, Expr, InList, Literal, Not, Or
from veer.model.types import BOOLEAN, INT, StringType

LONGEST = 100  # characters that a pattern skips
# Regular expressions that ask for a text as it is, at the beginning if they start with ^.
PLAIN_REGEX = re.compile(r"\^?[A-Za-z0-9 _,;:/@#=-]+")
ESCAPE = "\\"


@law("x LIKE 'An%' => startswith(x, 'An')", "like")
def like_as_search(expr: Expr, _: Simplify) -> Expr | None:
    """The pattern is a constant that Spark accepts; others are written with the fewest escapes."""
    assert isinstance(expr, Call)
    pieces = constant_pattern(expr.args[1:])
    return None if pieces is None else _matching(expr.args[0], pieces)


@law("x RLIKE '^An' => startswith(x, 'An')", "rlike")
def regex_as_search(expr: Expr, _: Simplify) -> Expr | None:
    """No character of the constant pattern means something else, but a ^ at its beginning."""
    match expr:
        case Call(_, (arg, Literal(str() as pattern))) if PLAIN_REGEX.fullmatch(pattern):
            function = "startswith" if pattern[0] == "^" else "contains"
            return _search_for(function, arg, pattern.removeprefix("^"))
    return None


@law("contains(x, '') => x = x", "startswith", "endswith", "contains")
def search_for_nothing(expr: Expr, _: Simplify) -> Expr | None:
    """True, but null where the text is."""
    match expr:
        case Call(_, (arg, Literal(""))):
            return _present(arg)
    return None


@law("substring(x, 1, 2) = 'An' => startswith(x, 'An')", Compare)
def part_as_search(expr: Expr, _: Simplify) -> Expr | None:
    """Place and length are constants, and so is the text; not of bytes."""
    match expr:
        case Compare("=", Call(function, args), Literal(str() as text)):
            pass
        case _:
            return None
    match function, args:
        case "left", (arg, Literal(int() as size)):
            return _equal_part(arg, 1, size, text)
        case "right", (arg, Literal(int() as size)) if size > 0:
            return _equal_part(arg, -size, size, text)
        case "substring", (arg, Literal(int() as place)) if place < 0:
            return _equal_part(arg, place, -place, text)
        case "substring", (arg, Literal(int() as place), Literal(int() as size)):
            return _equal_part(arg, place, size, text)
    return None


@law("left(x, 2) IN ('An', 'Bo') => startswith(x, 'An') OR startswith(x, 'Bo')", InList)
def parts_as_searches(expr: Expr, simplify: Simplify) -> Expr | None:
    """Each equality has a form of its own, of texts and of dates as texts."""
    match expr:
        case InList(Call("substring" | "left" | "right" | "date_format") as arg, options):
            plain = [simplify(Compare("=", arg, option)) for option in options]
            if not any(isinstance(p, Compare) and p.left == arg for p in plain):
                return Or(tuple(plain))
    return None


@law("instr(x, y) = 1 => startswith(x, y)", Compare)
def place_as_search(expr: Expr, simplify: Simplify) -> Expr | None:
    """Where a text holds another is compared with 0 or 1, searching from the start."""
    match expr:
        case Compare(
            op,
            Call("instr", (text, part)) | Call("locate", (part, text) | (part, text, Literal(1))),
            Literal(int() as number),
        ):
            pass
        case _:
            return None
    if (op, number) in (("=", 0), ("<=", 0), ("<", 1)):
        return Not(simplify(Call("contains", (text, part), BOOLEAN)))
    if (op, number) in ((">", 0), (">=", 1)):
        return Call("contains", (text, part), BOOLEAN)
    return Call("startswith", (text, part), BOOLEAN) if (op, number) == ("=", 1) else None


@law("length(x) = 0 => x = ''", Compare)
def length_of_empty(expr: Expr, _: Simplify) -> Expr | None:
    """A text, not bytes: no other one has no characters."""
    match expr:
        case Compare(op, Call("length", (text,)), Literal(int() as number)):
            if isinstance(text.type, StringType):
                if (op, number) in (("=", 0), ("<=", 0), ("<", 1)):
                    return _equal(text, "")
                if (op, number) in ((">", 0), (">=", 1)):
                    return Not(_equal(text, ""))
    return None


@law("size(split(x, ',')) > 1 => contains(x, ',')", Compare)
def pieces_as_search(expr: Expr, _: Simplify) -> Expr | None:
    """Whether there is one piece or more, of a constant delimiter that is no regular expression."""
    match expr:
        case Compare(op, Call("python.len" | "size", (Call() as split,)), Literal(int() as number)):
            pass
        case _:
            return None
    match split:
        case Call("python.split", (text, Literal(str() as delimiter))):
            pass
        case Call("split", (text, Literal(str() as pattern))):
            delimiter = plain_delimiter(pattern)
        case _:
            return None
    is_one = (op, number) in (("=", 1), ("<=", 1), ("<", 2))
    if not delimiter or not (is_one or (op, number) in ((">", 1), (">=", 2))):
        return None
    holds = _search_for("contains", text, delimiter)
    return Not(holds) if is_one else holds


def _present(arg: Expr) -> Expr:
    """True, but null where the argument is."""
    return Compare("=", arg, arg)


def _matching(arg: Expr, pieces: tuple[Piece, ...]) -> Expr:
    """That a text is made of these pieces."""
    some = Gap(0, True)
    match pieces:
        case ():
            return _equal(arg, "")
        case (str() as text,):
            return _equal(arg, text)
        case (Gap(least, is_open),):
            return _has_length(arg, least, is_open)
        case (str() as text, gap) if gap == some:
            return _search_for("startswith", arg, text)
        case (gap, str() as text) if gap == some:
            return _search_for("endswith", arg, text)
        case (before, str() as text, after) if before == after == some:
            return _search_for("contains", arg, text)
        case (str() as first, gap, str() as last) if gap == some:
            # At least as long as both, or they might share characters.
            long_enough = _has_length(arg, len(first) + len(last), True)
            ends = (_search_for("startswith", arg, first), _search_for("endswith", arg, last))
            return And((*ends, long_enough))
        case _:
            return Call("like", (arg, Literal(written_pattern(pieces), arg.type)), BOOLEAN)


def _equal(arg: Expr, text: str) -> Expr:
    return Compare("=", arg, Literal(text, arg.type))


def _search_for(function: str, arg: Expr, text: str) -> Expr:
    return Call(function, (arg, Literal(text, arg.type)), BOOLEAN)


def _has_length(arg: Expr, least: int, is_open: bool) -> Expr:
    """That a text has so many characters, or so many and more."""
    if least == 0:
        return _present(arg) if is_open else _equal(arg, "")
    length = Call("length", (arg,), INT)
    if is_open and least == 1:
        return Not(_equal(arg, ""))
    return Compare(">=" if is_open else "=", length, Literal(least, INT))


def _equal_part(arg: Expr, place: int, size: int, text: str) -> Expr | None:
    """That the characters from a place on are a text; place 0 is the first one, too.

    A shorter text than was asked for is all that there is, a longer one is never given.
    """
    if not isinstance(arg.type, StringType) or not size > 0 or abs(place) > LONGEST:
        return None
    if len(text) > size:
        return Not(_present(arg))
    if place < 0:
        if size != -place:
            return None
        return _equal(arg, text) if len(text) < size else _search_for("endswith", arg, text)
    skipped = max(place - 1, 0)
    if not text and skipped:
        return None
    rest = (Gap(0, True),) if len(text) == size else ()
    return _matching(arg, (*([Gap(skipped, False)] if skipped else []), text, *rest))


# -- patterns of LIKE ------------------------------------------------------------------------------


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
