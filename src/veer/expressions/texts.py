"""Laws of functions of texts: parts of a text, letters and spaces, texts put together.

Python and Spark count the same characters, and both give a text that is shorter than asked for as it is;
their functions of letters know different alphabets. In another case no character becomes a space nor
does a space become another one; no letter vanishes, none becomes one of the other characters of ASCII,
nor do these change. A space ends a word as the end of the text does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from veer.expressions.constant_folding import computed
from veer.expressions.law import Simplify, Stage, law
from veer.functions.registry import Kind, Nulls, scalar_function
from veer.ir import expr as ex, types as ty

CASES = ("lower", "upper", "initcap")  # functions that change the case of letters
TRIMS = ("trim", "ltrim", "rtrim")
SEARCHES = ("contains", "startswith", "endswith")
PYTHON_TRIMS: Mapping[str, str] = MappingProxyType(
    {"python.strip": "trim", "python.lstrip": "ltrim", "python.rstrip": "rtrim"}
)
NOT_LETTERS = frozenset("0123456789!\"#$%&'()*+,-./:;<=>?@[\\]^_{|}~")
SPECIAL = frozenset("\\^$.|?*+()[]{}")  # characters that mean something in a regular expression
LONGEST = 1 << 30  # places that a number of Spark's holds

# -- parts of texts --------------------------------------------------------------------------------


@law(
    "left(x, 3) => substring(x, 1, 3)",
    *("left", "right", "substring", "python.until", "python.from", "python.slice"),
)
def part_by_place(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """The part is of a constant place and length, and not empty by them; x[1:3] in Python too."""
    assert isinstance(expr, ex.Call)
    match expr.function, expr.args:
        case (("left" | "python.until"), (text, ex.Literal(int() as size))) if size > 0:
            places = [1, size]
        case "right", (text, ex.Literal(int() as size)) if size > 0:
            places = [-size]
        case "substring", (text, ex.Literal(0), ex.Literal(int() as size)):
            places = [1, size]
        case "python.from", (text, ex.Literal(int() as start)):
            places = [start + 1 if start >= 0 else start]
        case "python.slice", (text, ex.Literal(int() as start), ex.Literal(int() as end)) if (
            0 <= start < end
        ):
            places = [start + 1, end - start]
        case _:
            return None
    if not isinstance(text.type, ty.StringType) or any(abs(p) > LONGEST for p in places):
        return None
    return ex.Call("substring", (text, *(ex.Literal(p, ty.INT) for p in places)), ty.STRING)


@law("split(x, ',')[0] => substring_index(x, ',', 1)",
     "split_part", "item", "element_at", "python.item")  # fmt: skip
def first_or_last_piece(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """The delimiter is a constant text; the last piece only of one character.

    Longer ones can overlap, and are looked for from either end.
    """
    match expr:
        case ex.Call(
            "split_part", (text, ex.Literal(str() as delimiter), ex.Literal(1 | -1 as place))
        ):
            pass
        case ex.Call(
            "item", (ex.Call("split", (text, ex.Literal(str() as pattern))), ex.Literal(0))
        ):
            delimiter, place = plain_delimiter(pattern), 1
        case ex.Call(
            "element_at",
            (ex.Call("split", (text, ex.Literal(str() as pattern))), ex.Literal(1 | -1 as at)),
        ):
            delimiter, place = plain_delimiter(pattern), at
        case ex.Call(
            "python.item",
            (
                ex.Call("python.split", (text, ex.Literal(str() as delimiter))),
                ex.Literal(0 | -1 as index),
            ),
        ):
            place = 1 if index == 0 else -1
        case _:
            return None
    if not delimiter or (place < 0 and len(delimiter) > 1):
        return None
    return ex.Call(
        "substring_index",
        (text, ex.Literal(delimiter, ty.STRING), ex.Literal(place, ty.INT)),
        ty.STRING,
    )


def plain_delimiter(pattern: str) -> str:
    """The text that a regular expression is for, if there is one; else empty."""
    match list(pattern):
        case ["\\", character] | ["[", character, "]"] if character in SPECIAL - {"^"}:
            return character
        case _:
            return pattern if SPECIAL.isdisjoint(pattern) else ""


@law("x.strip(' ') => trim(x)", *PYTHON_TRIMS, "python.len", "python.replace",
     *(f"python.{name}" for name in SEARCHES))  # fmt: skip
def function_of_python(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """A function of Python that does not ask what a letter is; spaces are trimmed alone.

    An empty text is replaced between all characters by Python, and nowhere by Spark.
    """
    assert isinstance(expr, ex.Call)
    match expr.function, expr.args:
        case trim, (text, ex.Literal(" ")) if trim in PYTHON_TRIMS:
            return ex.Call(PYTHON_TRIMS[trim], (text,), ty.STRING)
        case "python.len", (text,) if isinstance(text.type, ty.StringType):
            return ex.Cast(ex.Call("length", (text,), ty.INT), expr.type)
        case "python.replace", (text, ex.Literal(str() as old), new) if old:
            return ex.Call("replace", (text, expr.args[1], new), ty.STRING)
        case search, (text, part) if (name := search.removeprefix("python.")) in SEARCHES:
            return ex.Call(name, (text, part), ty.BOOLEAN)
    return None


# -- letters and spaces ----------------------------------------------------------------------------


@law("trim(lower(x)) => lower(trim(x))", *TRIMS)
def trim_before_case(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """No character becomes a space in another case, nor the other way round."""
    match expr:
        case ex.Call(_, (ex.Call(inner, (text,)) as arg,)) if inner in CASES:
            return replace(arg, args=(simplify(replace(expr, args=(text,))),))
    return None


@law("ltrim(rtrim(x)) => trim(x)", *TRIMS)
def trim_once(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """Spaces alone are trimmed; each side stays without them."""
    match expr:
        case ex.Call(outer, (ex.Call(inner, (text,)),)) if inner in TRIMS:
            return replace(expr, function=outer if outer == inner else "trim", args=(text,))
    return None


@law("upper(upper(x)) => upper(x)", "lower", "upper")
def case_once(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """Not of initcap, nor of lower(upper(x)): some letters have no way back."""
    match expr:
        case ex.Call(outer, (ex.Call(inner) as arg,)) if outer == inner:
            return arg
    return None


@law("upper(x) = '' => x = ''", ex.Compare)
def empty_in_any_case(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """No letter vanishes in another case."""
    match expr:
        case ex.Compare("=" | "<=>", ex.Call(function, (text,)), ex.Literal("")) if (
            function in CASES
        ):
            return replace(expr, left=text)
    return None


@law("contains(upper(trim(x)), '@') => contains(x, '@')", *SEARCHES)
def search_in_original(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """What is searched for holds no letters; below a trim, no spaces at its ends.

    Where a text starts and ends shows what is trimmed.
    """
    match expr:
        case ex.Call(search, (ex.Call(function, (text,)), ex.Literal(str() as part) as wanted)) if (
            part
        ):
            in_case = function in CASES and NOT_LETTERS.issuperset(part)
            in_trim = function in TRIMS and search == "contains" and part == part.strip(" ")
            return replace(expr, args=(text, wanted)) if in_case or in_trim else None
    return None


# -- texts put together ----------------------------------------------------------------------------


@law("format_string('Dear %s', x) => concat('Dear ', coalesce(x, 'null'))", "format_string")
def formatted_text(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """The pattern has no other placeholders, the arguments are texts; a null is written as a word."""
    match expr:
        case ex.Call(_, (ex.Literal(str() as pattern), *args)):
            pieces = pattern.split("%s")
        case _:
            return None
    plain = len(pieces) == len(args) + 1 and not any("%" in piece for piece in pieces)
    if not plain or not all(isinstance(arg.type, ty.StringType) for arg in args):
        return None
    texts: list[ex.Expr] = [ex.Literal(pieces[0], ty.STRING)]
    for arg, piece in zip(args, pieces[1:], strict=True):
        present = computed(ex.Call("coalesce", (arg, ex.Literal("null", ty.STRING)), ty.STRING))
        texts += [present, ex.Literal(piece, ty.STRING)]
    kept = tuple(t for t in texts if t != ex.Literal("", ty.STRING))
    return ex.Call("concat", kept, ty.STRING) if kept else ex.Literal("", ty.STRING)


@law("upper(coalesce(x, 'eur')) => coalesce(upper(x), 'EUR')", ex.Call)
def function_of_alternatives(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """The function is pure, never fails, and makes constants of all alternatives but one.

    Its other arguments are constants. Over a COALESCE it must be null exactly where an argument is.
    """
    assert isinstance(expr, ex.Call)
    places = [i for i, arg in enumerate(expr.args) if not isinstance(arg, ex.Literal)]
    function = scalar_function(expr.function)
    if len(places) != 1 or function.kind is not Kind.PURE or function.can_fail:
        return None
    place = places[0]
    inner = expr.args[place]
    if not isinstance(inner.type, ty.StringType):
        return None

    def of(values: Sequence[ex.Expr]) -> list[ex.Expr] | None:
        if sum(not isinstance(v, ex.Literal) for v in values) > 1:
            return None  # before each is looked into: values of values are many
        before, after = expr.args[:place], expr.args[place + 1 :]
        results = [simplify(replace(expr, args=(*before, v, *after))) for v in values]
        others = sum(not isinstance(r, ex.Literal) for r in results)
        return results if others <= 1 and others < len(results) else None

    match inner:
        case ex.Call("coalesce", values) if function.nulls is Nulls.STRICT:
            results = of(values)
            return ex.Call("coalesce", tuple(results), expr.type) if results else None
        case ex.Case(branches, otherwise):
            results = of([*(then for _, then in branches), otherwise])
            if results:
                whens = (when for when, _ in branches)
                return ex.Case(tuple(zip(whens, results[:-1], strict=True)), results[-1])
    return None


@law("lower(coalesce(x, y)) => coalesce(lower(x), lower(y))", *CASES, *TRIMS, stage=Stage.NORMAL)
def letters_of_alternatives(expr: ex.Expr, simplify: Simplify) -> ex.Expr | None:
    """A function of one text, null where that is null and nowhere else."""
    match expr:
        case ex.Call(_, (ex.Call("coalesce", values),)):
            each = (simplify(replace(expr, args=(value,))) for value in values)
            return ex.Call("coalesce", tuple(each), expr.type)
    return None


@law("concat(concat(x, 'a'), 'b', '') => concat(x, 'ab')", "concat")
def concat_once(expr: ex.Expr, _: Simplify) -> ex.Expr | None:
    """Texts or arrays of one type; a null among them stays, which makes the whole null."""
    assert isinstance(expr, ex.Call)
    inner = (a.args if _is_concat(a, expr.type) else (a,) for a in expr.args)  # type: ignore[union-attr]
    values: list[ex.Expr] = []
    for value in (value for args in inner for value in args):
        match values[-1:], value:
            case [ex.Literal(str() as before)], ex.Literal(str() as after):
                values[-1] = ex.Literal(before + after, value.type)
            case _:
                values.append(value)
    values = [v for v in values if v != ex.Literal("", v.type)] or values[:1]
    if len(values) == 1 and values[0].type == expr.type:
        return values[0]
    return replace(expr, args=tuple(values))


def _is_concat(expr: ex.Expr, type_: ty.DataType) -> bool:
    return isinstance(expr, ex.Call) and expr.function == "concat" and expr.type == type_
