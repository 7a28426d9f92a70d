"""Texts built by `str.format` and `%`, as the f-strings that say the same."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from veer.read.python.reading import texts, values as val
from veer.read.python.reading.branches import State, Tree, ValueContinuation
from veer.read.python.reading.constants import require_data

if TYPE_CHECKING:
    from veer.read.python.reading.reader import FunctionReader

# A piece of a text: constant, or a value with its format.
Piece: TypeAlias = str | tuple[val.Value, str]
PERCENT = re.compile(r"%(?P<flags>[0-]?)(?P<width>\d*)(?P<places>\.\d+)?(?P<letter>[sdif%])")


def formatted(
    reader: FunctionReader,
    pattern: str,
    args: Sequence[val.Value],
    named: Mapping[str, val.Value],
    state: State,
    then: ValueContinuation,
) -> Tree:
    """`pattern.format(*args, **named)`"""
    try:
        fields = list(string.Formatter().parse(pattern))
    except ValueError:
        return reader.raises(ValueError, state)
    if {f[1] == "" for f in fields if f[1] is not None} == {True, False}:
        raise val.NotRead("fields with and without numbers")
    pieces: list[Piece] = []
    for place, (text, name, spec, conversion) in enumerate(fields):
        pieces.append(text)
        if name is None:
            continue
        if conversion not in (None, "s") or (conversion and spec) or "{" in (spec or ""):
            raise val.NotRead("a formatted value")
        before = sum(1 for f in fields[:place] if f[1] is not None)
        pieces.append((_field(name or str(before), args, named), spec or ""))
    return joined(reader, pieces, state, then)


def _field(name: str, args: Sequence[val.Value], named: Mapping[str, val.Value]) -> val.Value:
    if name.isdecimal() and int(name) < len(args):
        return args[int(name)]
    if name in named:
        return named[name]
    raise val.NotRead("a field without a value")


def percent(
    reader: FunctionReader, pattern: str, right: val.Value, state: State, then: ValueContinuation
) -> Tree:
    """`pattern % right`"""
    pieces: list[Piece] = []
    values = _operands(right)
    at = taken = 0
    for found in PERCENT.finditer(pattern):
        if "%" in pattern[at : found.start()]:
            break
        pieces.append(pattern[at : found.start()])
        at = found.end()
        if found["letter"] == "%":
            if len(found[0]) > 2:
                raise val.NotRead("a wide percent sign")
            pieces.append("%")
            continue
        if taken == len(values):
            return reader.raises(TypeError, state)  # not enough arguments
        pieces.append(_percent_piece(found, values[taken]))
        taken += 1
    if "%" in pattern[at:]:
        raise val.NotRead("a format of %")
    if taken < len(values):
        return reader.raises(TypeError, state)  # not all arguments converted
    return joined(reader, [*pieces, pattern[at:]], state, then)


def _operands(right: val.Value) -> Sequence[val.Value]:
    if isinstance(right, val.IteratorItems):
        raise val.NotRead("an iterator as a value")
    if isinstance(right, val.Items):
        if right.is_list:
            raise val.NotRead("a list as a value")
        return right.items
    if isinstance(right, val.Constant) and type(right.value) is tuple:
        return [val.Constant(v) for v in right.value]
    if isinstance(right, val.Constant) and isinstance(right.value, dict):
        raise val.NotRead("a format of the items of a dict")
    return [right]


def _percent_piece(found: re.Match[str], value: val.Value) -> Piece:
    """A value with the format that says the same as a conversion of `%`."""
    flags, width, places = found["flags"], found["width"], found["places"] or ""
    if found["letter"] == "s":
        if not flags and not width and not places:
            return value, ""
        raise val.NotRead("a format of %s")
    number = _number(value)
    if found["letter"] in "di":
        if places or number.kind == "float":
            raise val.NotRead("a format of %d")
        return val.as_int(number), f"{_filled(flags)}{width}d"
    if number.kind != "float" and not val.is_exact(val.as_int(number)):
        raise val.NotRead("a number that may be too large to be exact as a float")
    return val.as_float(number), f"{_filled(flags)}{width}{places}f"


def _filled(flags: str) -> str:
    return {"-": "<", "0": "0", "": ""}[flags]


def _number(value: val.Value) -> val.Symbol:
    if isinstance(value, val.Items | val.IteratorItems):
        raise val.NotRead("a list or tuple as a value")
    symbol = val.as_symbol(value)
    if symbol.nullable or symbol.kind not in val.NUMBERS:
        raise val.NotRead("a number in a text that may be None")
    return symbol


def joined(
    reader: FunctionReader, pieces: Sequence[Piece], state: State, then: ValueContinuation
) -> Tree:
    """The pieces of a text one behind the other, values from left to right."""

    def over(left: Sequence[Piece], text_so_far: val.Symbol, s: State) -> Tree:
        if not left:
            return then(text_so_far, s)
        piece, rest = left[0], left[1:]
        if isinstance(piece, str):
            return over(rest, val.add(text_so_far, val.as_symbol(val.Constant(piece))), s)
        more = lambda v, t: over(rest, val.add(text_so_far, val.as_symbol(v)), t)  # noqa: E731
        value, spec = piece
        if isinstance(value, val.Constant):
            require_data(value.value)
        if not spec:
            return reader.text(value, s, more)
        return texts.formatted(reader, value, spec, s, more)

    return over(pieces, val.as_symbol(val.Constant("")), state)
