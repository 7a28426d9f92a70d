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
from veer.ir import expr as ex, types as ty

LONGEST = 100  # characters that a pattern skips
# Regular expressions that ask for a text as it is, at the beginning if they start with ^.
PLAIN_REGEX = re.compile(r"\^?[A-Za-z0-9 _,;:/@#=-]+")
ESCAPE = "\\"


@law("x LIKE 'An%' => startswith(x, 'An')", "like")
def like_as_search(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """The pattern is a constant that Spark accepts; others are written with the fewest escapes."""
    assert isinstance(expr, ex.Call)
    pieces = constant_pattern(expr.args[1:])
    return None if pieces is None else _matching(expr.args[0], pieces)


@law("x RLIKE '^An' => startswith(x, 'An')", "rlike")
def regex_as_search(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """No character of the constant pattern means something else, but a ^ at its beginning."""
    match expr:
        case ex.Call(_, (arg, ex.Literal(str() as pattern))) if PLAIN_REGEX.fullmatch(pattern):
            function = "startswith" if pattern[0] == "^" else "contains"
            return _search_for(function, arg, pattern.removeprefix("^"))
    return None


@law("contains(x, '') => x = x", "startswith", "endswith", "contains")
def search_for_nothing(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """True, but null where the text is."""
    match expr:
        case ex.Call(_, (arg, ex.Literal(""))):
            return _present(arg)
    return None


@law("substring(x, 1, 2) = 'An' => startswith(x, 'An')", ex.Compare)
def part_as_search(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """Place and length are constants, and so is the text; not of bytes."""
    match expr:
        case ex.Compare("=", ex.Call(function, args), ex.Literal(str() as text)):
            pass
        case _:
            return None
    match function, args:
        case "left", (arg, ex.Literal(int() as size)):
            return _equal_part(arg, 1, size, text)
        case "right", (arg, ex.Literal(int() as size)) if size > 0:
            return _equal_part(arg, -size, size, text)
        case "substring", (arg, ex.Literal(int() as place)) if place < 0:
            return _equal_part(arg, place, -place, text)
        case "substring", (arg, ex.Literal(int() as place), ex.Literal(int() as size)):
            return _equal_part(arg, place, size, text)
    return None


@law("left(x, 2) IN ('An', 'Bo') => startswith(x, 'An') OR startswith(x, 'Bo')", ex.InList)
def parts_as_searches(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """Each equality has a form of its own, of texts and of dates as texts."""
    match expr:
        case ex.InList(ex.Call("substring" | "left" | "right" | "date_format") as arg, options):
            plain = [simplify(ex.Compare("=", arg, option)) for option in options]
            if not any(isinstance(p, ex.Compare) and p.left == arg for p in plain):
                return ex.Or(tuple(plain))
    return None


@law("instr(x, y) = 1 => startswith(x, y)", ex.Compare)
def place_as_search(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """Where a text holds another is compared with 0 or 1, searching from the start."""
    match expr:
        case ex.Compare(
            op,
            ex.Call("instr", (text, part))
            | ex.Call("locate", (part, text) | (part, text, ex.Literal(1))),
            ex.Literal(int() as number),
        ):
            pass
        case _:
            return None
    if (op, number) in (("=", 0), ("<=", 0), ("<", 1)):
        return ex.Not(simplify(ex.Call("contains", (text, part), ty.BOOLEAN)))
    if (op, number) in ((">", 0), (">=", 1)):
        return ex.Call("contains", (text, part), ty.BOOLEAN)
    return ex.Call("startswith", (text, part), ty.BOOLEAN) if (op, number) == ("=", 1) else None


@law("length(x) = 0 => x = ''", ex.Compare)
def length_of_empty(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """A text, not bytes: no other one has no characters."""
    match expr:
        case ex.Compare(op, ex.Call("length", (text,)), ex.Literal(int() as number)):
            if isinstance(text.type, ty.StringType):
                if (op, number) in (("=", 0), ("<=", 0), ("<", 1)):
                    return _equal(text, "")
                if (op, number) in ((">", 0), (">=", 1)):
                    return ex.Not(_equal(text, ""))
    return None


@law("size(split(x, ',')) > 1 => contains(x, ',')", ex.Compare)
def pieces_as_search(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """Whether there is one piece or more, of a constant delimiter that is no regular expression."""
    match expr:
        case ex.Compare(
            op, ex.Call("python.len" | "size", (ex.Call() as split,)), ex.Literal(int() as number)
        ):
            pass
        case _:
            return None
    match split:
        case ex.Call("python.split", (text, ex.Literal(str() as delimiter))):
            pass
        case ex.Call("split", (text, ex.Literal(str() as pattern))):
            delimiter = plain_delimiter(pattern)
        case _:
            return None
    is_one = (op, number) in (("=", 1), ("<=", 1), ("<", 2))
    if not delimiter or not (is_one or (op, number) in ((">", 1), (">=", 2))):
        return None
    holds = _search_for("contains", text, delimiter)
    return ex.Not(holds) if is_one else holds


def _present(arg: ex.Expr) -> ex.Expr:
    """True, but null where the argument is."""
    return ex.Compare("=", arg, arg)


def _matching(arg: ex.Expr, pieces: tuple[Piece, ...]) -> ex.Expr:
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
            return ex.And((*ends, long_enough))
        case _:
            return ex.Call("like", (arg, ex.Literal(written_pattern(pieces), arg.type)), ty.BOOLEAN)


def _equal(arg: ex.Expr, text: str) -> ex.Expr:
    return ex.Compare("=", arg, ex.Literal(text, arg.type))


def _search_for(function: str, arg: ex.Expr, text: str) -> ex.Expr:
    return ex.Call(function, (arg, ex.Literal(text, arg.type)), ty.BOOLEAN)


def _has_length(arg: ex.Expr, least: int, is_open: bool) -> ex.Expr:
    """That a text has so many characters, or so many and more."""
    if least == 0:
        return _present(arg) if is_open else _equal(arg, "")
    length = ex.Call("length", (arg,), ty.INT)
    if is_open and least == 1:
        return ex.Not(_equal(arg, ""))
    return ex.Compare(">=" if is_open else "=", length, ex.Literal(least, ty.INT))


def _equal_part(arg: ex.Expr, place: int, size: int, text: str) -> ex.Expr | None:
    """That the characters from a place on are a text; place 0 is the first one, too.

    A shorter text than was asked for is all that there is, a longer one is never given.
    """
    if not isinstance(arg.type, ty.StringType) or not size > 0 or abs(place) > LONGEST:
        return None
    if len(text) > size:
        return ex.Not(_present(arg))
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


def constant_pattern(given: Sequence[ex.Expr]) -> tuple[Piece, ...] | None:
    """The pieces of a LIKE pattern given with or without an escape character.

    None if these are no constants, or none that Spark accepts.
    """
    match given:
        case [ex.Literal(str() as pattern)]:
            return read_pattern(pattern)
        case [ex.Literal(str() as pattern), ex.Literal(str() as escape)] if len(escape) == 1:
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
