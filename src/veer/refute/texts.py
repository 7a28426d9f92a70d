"""Texts that tell versions apart: what fits a pattern, what nearly does, and what is long enough.

Where two parts of a pattern overlap in a text (`aba` for `ab%ba`), it starts and ends as asked and
still does not fit; where a wildcard of one character stands for none, it is a little too short.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import islice, permutations

from veer.functions.registry import scalar_function
from veer.functions.traits import PythonOnly, TextUse
from veer.ir import expr as ex
from veer.ir.walk import parts

PATTERNS = frozenset({TextUse.LIKE, TextUse.LIKE_ANY_CASE, TextUse.REGEX})
SEARCHES = frozenset({TextUse.PART, TextUse.PLACE})
CASING = frozenset({TextUse.LETTER_CASE, TextUse.CAPITALS})
RICH = ("ab", "aab", "abca", "a1b22")  # on which such functions show what they do
# What Python takes for numbers, characters of a sort, dates, and what it only nearly does.
SAMPLES: dict[TextUse, tuple[str, ...]] = {
    TextUse.NUMBER: ("5", "-7", " 5 ", "1_000", "2.5", "\u0663", "5x"),
    TextUse.CHARACTERS: ("5", "\u00b2", "\u00bd", "Ab", " ", "a5"),
    TextUse.DATE: ("2024-02-29", "2023-02-29", "2024-1-5", "20240105", "2024-01-05 "),
}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MOST_PARTS = 5
MOST_ORDERS = 24
MOST_LENGTHS = 6
MOST_TEXTS = 60
LONGEST = 80


def text_use(expr: ex.Expr) -> TextUse | None:
    """What a function of SQL at the top of an expression does with texts.

    Python's own functions are left out: for those, `variants` of the constants are enough.
    """
    if not isinstance(expr, ex.Call):
        return None
    function = scalar_function(expr.function)
    return None if isinstance(function.sql, PythonOnly) else function.texts


def looks_into_texts(expr: ex.Expr) -> bool:
    """Whether an expression calls anything texts are made for."""
    return any(text_use(part) is not None for part in parts(expr))


def telling_texts(exprs: Iterable[ex.Expr]) -> list[str]:
    """Texts for the patterns, searches and lengths in some expressions, each once."""
    telling: dict[str, None] = {}
    pieces: dict[str, None] = {}
    lengths: dict[int, None] = {}
    uses: set[TextUse] = set()
    for part in (p for expr in exprs for p in parts(expr)):
        if isinstance(part, ex.Compare | ex.Call):
            lengths.update(dict.fromkeys(_lengths(part)))
        use = text_use(part)
        if use is not None:
            uses.add(use)
        if isinstance(part, ex.Call) and use in PATTERNS | SEARCHES:
            for text in (a.value for a in part.args[:2] if isinstance(a, ex.Literal)):
                if isinstance(text, str):
                    segments = _segments(text, use)
                    telling.update(dict.fromkeys(_fitting(segments)))
                    pieces.update(dict.fromkeys(_filled(s, "a") for s in segments if s))
    for one, two in permutations(list(pieces)[:MOST_PARTS], 2):
        telling.update(dict.fromkeys((_overlapped(one, two), one + two)))
    if 2 < len(pieces) <= MOST_PARTS:
        telling.update(dict.fromkeys(map("".join, islice(permutations(pieces), MOST_ORDERS))))
    telling.update(dict.fromkeys(variants(list(pieces), uses) if pieces else ()))
    for length in list(lengths)[:MOST_LENGTHS]:
        for exact in (length, length + 1, length - 1):
            telling.setdefault((LETTERS * (exact // len(LETTERS) + 1))[:exact])
        telling.update(dict.fromkeys(LETTERS[: length - 1] + piece for piece in pieces))
    telling.update(dict.fromkeys(RICH if uses & {TextUse.CHANGE, TextUse.CUT} else ()))
    return list(telling)[:MOST_TEXTS]


def variants(texts: Sequence[str], uses: Set[TextUse]) -> list[str]:
    """Texts on which functions of texts show what they do: in other letter case, with spaces."""
    few = [*texts[:8], "a"]
    changed: list[str] = []
    if CASING & uses:
        changed += [v for t in few for v in (t.swapcase(), t[:1].swapcase() + t[1:])]
    if TextUse.TRIM in uses:
        changed += [f" {t} " for t in few] + [f"\t{few[0]}\n"]
    for use in (u for u in SAMPLES if u in uses):
        changed += SAMPLES[use]
    return changed


def _lengths(expr: ex.Compare | ex.Call) -> Iterator[int]:
    """The numbers a part of a text is cut at, or its length is compared with."""
    args = expr.args if isinstance(expr, ex.Call) else (expr.left, expr.right)
    if isinstance(expr, ex.Call):
        asked = text_use(expr) is TextUse.CUT
    else:
        measured = SEARCHES | {TextUse.LENGTH}
        asked = any(text_use(p) in measured for a in args for p in parts(a))
    for arg in args if asked else ():
        literal = arg.arg if isinstance(arg, ex.Cast) else arg
        if isinstance(literal, ex.Literal) and type(literal.value) is int:
            size = abs(literal.value)
            if 0 < size <= LONGEST:
                yield size


def _segments(pattern: str, use: TextUse | None) -> list[str]:
    """What stands between the wildcards of a pattern; those of one character are kept."""
    if use is TextUse.REGEX:
        return re.findall(r"\w+", re.sub(r"\\.", "", pattern))
    return pattern.split("%") if use in PATTERNS else [pattern]


def _fitting(segments: list[str]) -> Iterator[str]:
    """Texts that fit a pattern, and texts that nearly do."""
    for one in ("a", "b", ""):
        plain = [_filled(s, one) for s in segments]
        yield "".join(plain)
        yield "z".join(plain)
        whole = ""
        for part in plain:
            whole = _overlapped(whole, part)
        yield whole
    yield "a" + "".join(_filled(s, "a") for s in segments)


def _filled(segment: str, one: str) -> str:
    """A part of a pattern with something for each wildcard of one character."""
    return segment.replace("\\_", "\0").replace("_", one).replace("\0", "_").replace("\\", "")


def _overlapped(one: str, two: str) -> str:
    """The shortest text that starts with one and ends with the other."""
    for size in range(min(len(one), len(two)), 0, -1):
        if one.endswith(two[:size]):
            return one + two[size:]
    return one + two
