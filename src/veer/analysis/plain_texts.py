"""Functions of texts in one spelling.

    trim(lower(x))                   =>   lower(trim(x))
    ltrim(rtrim(x)), trim(trim(x))   =>   trim(x)
    upper(x) = ''                    =>   x = ''
    contains(upper(trim(x)), '@')    =>   contains(x, '@')
    upper(coalesce(x, 'eur'))        =>   coalesce(upper(x), 'EUR')
    format_string('Dear %s', x)      =>   concat('Dear ', coalesce(x, 'null'))

Exact for every text, and null where the text is. No other character becomes a space in another
case, nor does a space become another one; a space ends a word as the end of the text does, so that
it does not matter which of them a letter stands before. No letter vanishes in another case, and
none becomes one of the other characters of ASCII, nor do these change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from veer.analysis.constants import computed
from veer.functions.registry import Kind, Nulls, scalar_function
from veer.model.expr import Call, Case, Compare, Expr, Literal
from veer.model.types import STRING, StringType

CASES = ("lower", "upper", "initcap")  # functions that change the case of letters
TRIMS = ("trim", "ltrim", "rtrim")
SEARCHES = ("contains", "startswith", "endswith")
NOT_LETTERS = frozenset("0123456789!\"#$%&'()*+,-./:;<=>?@[\\]^_{|}~")


def plain_text(expr: Expr) -> Expr:
    """A function of a text, or a comparison of one with an empty one, in its one spelling."""
    match expr:
        case Call(outer, (Call(inner, (text,)) as arg,)) if outer in TRIMS and inner in CASES:
            return replace(arg, args=(plain_text(replace(expr, args=(text,))),))
        case Call(outer, (Call(inner, (text,)),)) if outer in TRIMS and inner in TRIMS:
            return replace(expr, function=outer if outer == inner else "trim", args=(text,))
        case Call("lower" | "upper" as outer, (Call(inner) as arg,)) if outer == inner:
            return arg
        case Compare("=" | "<=>", Call(function, (text,)), Literal("")) if function in CASES:
            return replace(expr, left=text)
        case Call(search, (Call(function, (text,)), Literal(str() as part))) if search in SEARCHES:
            return (
                plain_text(replace(expr, args=(text, expr.args[1])))
                if _is_kept(search, function, part)
                else expr
            )
        case Call("format_string", (Literal(str() as pattern), *args)):
            return _formatted(expr, pattern, args)
        case Call(_, args):
            return _of_each_value(expr, args)
        case _:
            return expr


def _is_kept(search: str, function: str, part: str) -> bool:
    """Whether a text holds a part exactly if it does after a function.

    What is trimmed are spaces before or after everything else.
    """
    if function in CASES:
        return bool(part) and NOT_LETTERS.issuperset(part)
    return function in TRIMS and search == "contains" and bool(part) and part == part.strip(" ")


def _formatted(call: Call, pattern: str, args: Sequence[Expr]) -> Expr:
    """Texts put into a pattern: a null is written as a word."""
    pieces = pattern.split("%s")
    plain = len(pieces) == len(args) + 1 and not any("%" in piece for piece in pieces)
    if not plain or not all(isinstance(arg.type, StringType) for arg in args):
        return call
    parts: list[Expr] = [Literal(pieces[0], STRING)]
    for arg, piece in zip(args, pieces[1:], strict=True):
        parts += [
            computed(Call("coalesce", (arg, Literal("null", STRING)), STRING)),
            Literal(piece, STRING),
        ]
    kept = tuple(p for p in parts if p != Literal("", STRING))
    return plain_text(computed(Call("concat", kept, STRING))) if kept else Literal("", STRING)


def _of_each_value(call: Call, args: Sequence[Expr]) -> Expr:
    """A function of a COALESCE or CASE of texts, all but one constants, as one of each value.

    A function that is null exactly with its arguments passes over the nulls that COALESCE does.
    """
    places = [i for i, arg in enumerate(args) if not isinstance(arg, Literal)]
    function = scalar_function(call.function)
    if len(places) != 1 or function.kind is not Kind.PURE or function.can_fail:
        return call
    place = places[0]
    inner = args[place]
    if not isinstance(inner.type, StringType):
        return call

    def of(values: Sequence[Expr]) -> list[Expr] | None:
        changed = [replace(call, args=(*args[:place], v, *args[place + 1 :])) for v in values]
        results = [computed(plain_text(computed(c))) for c in changed]
        others = [r for r in results if not isinstance(r, Literal)]
        return results if len(others) <= 1 and len(others) < len(results) else None

    match inner:
        case Call("coalesce", values) if function.nulls is Nulls.STRICT:
            results = of(values)
            return Call("coalesce", tuple(results), call.type) if results else call
        case Case(branches, otherwise):
            results = of([*(then for _, then in branches), otherwise])
            if results is None:
                return call
            whens = (when for when, _ in branches)
            return Case(tuple(zip(whens, results[:-1], strict=True)), results[-1])
        case _:
            return call
