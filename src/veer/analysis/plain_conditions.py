"""One spelling for conditions that can be written in several ways.

    x LIKE 'An%',  substring(x, 1, 2) = 'An',  instr(x, 'An') = 1   =>   startswith(x, 'An')
    x LIKE '%a%',  locate('a', x) > 0                               =>   contains(x, 'a')
    length(x) = 0                                                   =>   x = ''
    date_format(d, 'yyyy-MM') = '2014-04'                           =>   year(d) = 2014 AND month(d) = 4
    x IN (1)                                                        =>   x = 1
    size(split(x, ',')) > 1                                         =>   contains(x, ',')
    length(x) IS NULL                                               =>   x IS NULL

Exact in three-valued logic: each side is null where the other is, which is where the text or date
is null. Texts are compared by their characters, of which substring, length and `_` count the same
ones. Nothing here fails that did not before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from veer.analysis.constants import computed
from veer.analysis.plain_texts import plain_text
from veer.analysis.taken_parts import taken_part
from veer.analysis.taken_texts import plain_delimiter, taken_text
from veer.analysis.text_patterns import Gap, Piece, constant_pattern, written_pattern
from veer.errors import UnsupportedError
from veer.functions.moment_patterns import pattern_parts
from veer.functions.moments import make_date
from veer.functions.registry import Nulls, scalar_function
from veer.model.conditions import disjunction
from veer.model.expr import And, Call, Cast, Compare, Expr, InList, IsNull, Literal, Not, Or
from veer.model.nullability import gives_null
from veer.model.types import BOOLEAN, DATE, INT, CastMode, DateType, StringType

MIRRORED: Mapping[str, str] = MappingProxyType({"<": ">", "<=": ">=", ">": "<", ">=": "<="})
LONGEST = 100  # characters that a pattern skips
# Regular expressions that ask for a text as it is, at the beginning if they start with ^.
PLAIN_REGEX = re.compile(r"\^?[A-Za-z0-9 _,;:/@#=-]+")
FIELDS: Mapping[str, str] = MappingProxyType(
    {"yyyy": "year", "yy": "year of century", "MM": "month", "dd": "day"}
)


def plain_form(expr: Expr) -> Expr:
    """An expression with its constants computed and in its plain spelling, looking at the top only."""
    return plain_condition(plain_text(computed(taken_text(taken_part(expr)))))


def plain_condition(expr: Expr) -> Expr:
    """A condition in its plain spelling, if there is one; else itself. Looks at the top only."""
    match expr:
        case InList(arg, (option,)):
            return plain_condition(Compare("=", arg, option))
        case InList(Call("substring" | "left" | "right" | "date_format") as arg, options):
            return _alternatives(expr, arg, options)
        case Not(Not(arg)):
            return arg
        case IsNull(Call(function, args)) if scalar_function(function).nulls is Nulls.STRICT:
            return _one_is_null(args)
        case IsNull(IsNull() | Compare("<=>")):
            return Literal(False, BOOLEAN)
        case IsNull(Not(arg)):
            return plain_condition(IsNull(arg))
        case IsNull(Compare(_, left, right)):
            return _one_is_null((left, right))
        case IsNull(Call("coalesce", (*_, Literal(value)))) if value is not None:
            return Literal(False, BOOLEAN)
        case IsNull(Cast(arg, type_, CastMode.ANSI)) if not gives_null(arg.type, type_):
            return plain_condition(IsNull(arg))
        case Compare(op, Literal() as left, right) if not isinstance(right, Literal):
            flipped = Compare(MIRRORED.get(op, op), right, left)
            plain = plain_condition(flipped)
            return expr if plain is flipped else plain
        case Compare("=", Call(function, args), Literal(str() as text)):
            return _equal_text(function, args, text) or expr
        case Compare(op, Call("python.len" | "size", (Call() as split,)), Literal(int() as number)):
            return _counted_pieces(split, op, number) or expr
        case Compare(op, Call(function, args), Literal(int() as number)) if op != "<=>":
            return _compared_number(function, args, op, number) or expr
        case Call("like", (arg, *given)):
            pieces = constant_pattern(given)
            return expr if pieces is None else _matching(arg, pieces)
        case Call("rlike", (arg, Literal(str() as pattern))) if PLAIN_REGEX.fullmatch(pattern):
            function = "startswith" if pattern[0] == "^" else "contains"
            return _search_for(function, arg, pattern.removeprefix("^"))
        case Call("startswith" | "endswith" | "contains", (arg, Literal(""))):
            return _present(arg)
        case _:
            return expr


def _alternatives(expr: InList, arg: Expr, options: tuple[Expr, ...]) -> Expr:
    """IN as equalities, where each of them has a plainer spelling."""
    plain = [plain_condition(Compare("=", arg, option)) for option in options]
    return (
        expr if any(isinstance(p, Compare) and p.left is arg for p in plain) else Or(tuple(plain))
    )


def _one_is_null(args: tuple[Expr, ...]) -> Expr:
    """That one of some values is null."""
    tests = [computed(plain_condition(IsNull(arg))) for arg in args]
    return computed(disjunction(tests or [Literal(False, BOOLEAN)]))


def _present(arg: Expr) -> Expr:
    """True, but null where the argument is."""
    return Compare("=", arg, arg)


def _absent(arg: Expr) -> Expr:
    """False, but null where the argument is."""
    return Not(_present(arg))


# -- LIKE ------------------------------------------------------------------------------------------


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


# -- parts of texts --------------------------------------------------------------------------------


def _equal_text(function: str, args: tuple[Expr, ...], text: str) -> Expr | None:
    """That a part of a text, or a date as text, is a constant."""
    match function, args:
        case "left", (arg, Literal(int() as size)):
            return _equal_part(arg, 1, size, text)
        case "right", (arg, Literal(int() as size)):
            return _equal_part(arg, -size, size, text) if size > 0 else None
        case "substring", (arg, Literal(int() as place)) if place < 0:
            return _equal_part(arg, place, -place, text)
        case "substring", (arg, Literal(int() as place), Literal(int() as size)):
            return _equal_part(arg, place, size, text)
        case "date_format", (moment, Literal(str() as pattern)):
            return _equal_fields(moment, pattern, text)
        case _:
            return None


def _equal_part(arg: Expr, place: int, size: int, text: str) -> Expr | None:
    """That the characters from a place on are a text; place 0 is the first one, too.

    A shorter text than was asked for is all that there is, a longer one is never given.
    """
    if not isinstance(arg.type, StringType) or not size > 0 or abs(place) > LONGEST:
        return None
    if len(text) > size:
        return _absent(arg)
    if place < 0:
        if size != -place:
            return None
        return _equal(arg, text) if len(text) < size else _search_for("endswith", arg, text)
    skipped = max(place - 1, 0)
    if not text and skipped:
        return None
    rest = (Gap(0, True),) if len(text) == size else ()
    return _matching(arg, (*([Gap(skipped, False)] if skipped else []), text, *rest))


def _compared_number(function: str, args: tuple[Expr, ...], op: str, number: int) -> Expr | None:
    """Where a text holds another, or how long it is, compared with 0 or 1."""
    is_none = (op, number) in (("=", 0), ("<=", 0), ("<", 1))
    is_some = (op, number) in ((">", 0), (">=", 1))
    match function, args:
        case "instr", (text, part):
            pass
        case "locate", (part, text) | (part, text, Literal(1)):
            pass
        case "length", (text,) if isinstance(text.type, StringType) and (is_none or is_some):
            return _equal(text, "") if is_none else Not(_equal(text, ""))
        case _:
            return None
    if is_none or is_some:
        holds = plain_condition(Call("contains", (text, part), BOOLEAN))
        return Not(holds) if is_none else holds
    if (op, number) == ("=", 1):
        return plain_condition(Call("startswith", (text, part), BOOLEAN))
    return None


def _counted_pieces(pieces: Call, op: str, number: int) -> Expr | None:
    """Whether a text that is split has one piece, or more: a delimiter in it."""
    match pieces:
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


# -- dates as texts --------------------------------------------------------------------------------


def _equal_fields(moment: Expr, pattern: str, text: str) -> Expr | None:
    """That year, month and day of a date, written by a pattern, give a text."""
    values = _field_values(pattern, text)
    if values is None:
        return None
    day = _day_of(moment)
    if len(values) == 3 and "year" in values:
        date = make_date(values["year"], values["month"], values["day"])
        return None if date is None else Compare("=", day, Literal(date, DATE))
    parts = [
        Compare("=", _field(name, day), Literal(values[name], INT))
        for name in FIELDS.values()
        if name in values
    ]
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _field(name: str, day: Expr) -> Expr:
    """A field of a date as a number; of years two digits are written without their sign."""
    if name != "year of century":
        return Call(name, (day,), INT)
    year = Call("abs", (Call("year", (day,), INT),), INT)
    return Call("%", (year, Literal(100, INT)), INT)


def _field_values(pattern: str, text: str) -> dict[str, int] | None:
    """The fields that a pattern of `yyyy`, `yy`, `MM` and `dd` has in a text; None of others."""
    try:
        parts = pattern_parts(pattern)
    except UnsupportedError:
        return None
    fields = [FIELDS.get(part) for kind, part in parts if kind == "field"]
    if not fields or None in fields or len(set(fields)) != len(fields):
        return None
    expected = "".join(
        re.escape(part) if kind == "text" else rf"(\d{{{len(part)}}})" for kind, part in parts
    )
    match = re.fullmatch(expected, text, re.ASCII)
    if match is None:
        return None
    values = {name: int(v) for name, v in zip(fields, match.groups(), strict=True) if name}
    return values if values.get("year", 1) > 0 else None


def _day_of(moment: Expr) -> Expr:
    """The date of a timestamp, which is the date it was made of if it was."""
    match moment:
        case Cast(arg) if isinstance(arg.type, DateType):
            return arg
        case _:
            return Cast(moment, DATE, CastMode.ANSI)
