"""Parts of texts in one spelling, whether Spark or Python takes them.

    left(x, 3),  x[:3] in Python                         =>   substring(x, 1, 3)
    right(x, 3),  x[-3:] in Python                       =>   substring(x, -3)
    split(x, ',')[0],  split_part(x, ',', 1)             =>   substring_index(x, ',', 1)
    x.split(',')[-1] in Python                           =>   substring_index(x, ',', -1)
    'a' in x,  x.startswith('a') in Python               =>   contains(x, 'a'),  startswith(x, 'a')
    x.strip(' '),  len(x) in Python                      =>   trim(x),  length(x)

Exact: Python and Spark count the same characters, and a text that is shorter than asked for is
given as it is by both. Functions of letters are left: they know different alphabets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from veer.model.expr import Call, Cast, Expr, Literal
from veer.model.types import BOOLEAN, INT, STRING, StringType

SEARCHES: Mapping[str, str] = MappingProxyType(
    {f"python.{name}": name for name in ("startswith", "endswith", "contains")}
)
TRIMS: Mapping[str, str] = MappingProxyType(
    {"python.strip": "trim", "python.lstrip": "ltrim", "python.rstrip": "rtrim"}
)
LONGEST = 1 << 30  # places that a number of Spark's holds
SPECIAL = frozenset("\\^$.|?*+()[]{}")  # characters that mean something in a regular expression


def taken_text(expr: Expr) -> Expr:
    """A part of a text, or a question about it, in its one spelling. Looks at the top only."""
    if not isinstance(expr, Call):
        return expr
    match expr.function, expr.args:
        case "left", (text, Literal(int() as size)):
            return _part(expr, text, 1, size) if size > 0 else expr
        case "right", (text, Literal(int() as size)):
            return _part(expr, text, -size) if size > 0 else expr
        case "substring", (text, Literal(0), Literal(int() as size)):
            return _part(expr, text, 1, size)
        case "python.until", (text, Literal(int() as end)):
            return _part(expr, text, 1, end) if end > 0 else expr
        case "python.from", (text, Literal(int() as start)):
            return _part(expr, text, start + 1 if start >= 0 else start)
        case "python.slice", (text, Literal(int() as start), Literal(int() as end)):
            return _part(expr, text, start + 1, end - start) if 0 <= start < end else expr
        case search, (text, part) if search in SEARCHES:
            return Call(SEARCHES[search], (text, part), BOOLEAN)
        case trim, (text, Literal(" ")) if trim in TRIMS:
            return Call(TRIMS[trim], (text,), STRING)
        case "python.len", (text,) if isinstance(text.type, StringType):
            return Cast(Call("length", (text,), INT), expr.type)
        case "python.replace", (text, Literal(str() as old), new) if old:
            return Call("replace", (text, expr.args[1], new), STRING)
        case _:
            return _of_pieces(expr, expr.function, expr.args)


def _part(expr: Call, text: Expr, *places: int) -> Expr:
    """`substring` from a place on, perhaps of so many characters."""
    if not isinstance(text.type, StringType) or any(abs(p) > LONGEST for p in places):
        return expr
    return Call("substring", (text, *(Literal(p, INT) for p in places)), STRING)


def _of_pieces(expr: Call, function: str, args: Sequence[Expr]) -> Expr:
    """The first or the last of the pieces between which a text has a delimiter.

    The last only where occurrences cannot overlap: they are looked for from either end.
    """
    match function, args:
        case "split_part", (text, Literal(str() as delimiter), Literal(1 | -1 as place)):
            pass
        case "item", (Call("split", (text, Literal(str() as pattern))), Literal(0)):
            delimiter, place = plain_delimiter(pattern), 1
        case "element_at", (
            Call("split", (text, Literal(str() as pattern))),
            Literal(1 | -1 as at),
        ):
            delimiter, place = plain_delimiter(pattern), at
        case (
            "python.item",
            (Call("python.split", (text, Literal(str() as delimiter))), Literal(0 | -1 as index)),
        ):
            place = 1 if index == 0 else -1
        case _:
            return expr
    if not delimiter or (place < 0 and len(delimiter) > 1):
        return expr
    return Call("substring_index", (text, Literal(delimiter, STRING), Literal(place, INT)), STRING)


def plain_delimiter(pattern: str) -> str:
    """The text that a regular expression is for, if there is one; else empty."""
    match list(pattern):
        case ["\\", character] | ["[", character, "]"] if character in SPECIAL - {"^"}:
            return character
        case _:
            return pattern if SPECIAL.isdisjoint(pattern) else ""
