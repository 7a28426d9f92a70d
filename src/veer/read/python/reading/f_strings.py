"""F-strings of Python functions: their pieces added to one text."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from veer.read.python.reading import arithmetic, texts
from veer.read.python.reading.branches import State, Tree, ValueContinuation
from veer.read.python.reading.values import Constant, NotRead, Value

if TYPE_CHECKING:
    from veer.read.python.reading.reader import FunctionReader


def joined(
    reader: FunctionReader, pieces: Sequence[ast.expr], state: State, then: ValueContinuation
) -> Tree:
    """The text of an f-string, its pieces from left to right."""

    def collect(left: Sequence[ast.expr], text_so_far: Value, s: State) -> Tree:
        if not left:
            return then(text_so_far, s)
        return _piece(
            reader,
            left[0],
            s,
            lambda v, t: arithmetic.compute(
                reader, ast.Add(), text_so_far, v, t, lambda m, u: collect(left[1:], m, u)
            ),
        )

    return collect(pieces, Constant(""), state)


def _piece(reader: FunctionReader, node: ast.expr, state: State, then: ValueContinuation) -> Tree:
    """A part of an f-string, as a text: `{x}` and `{x!s}` are `str(x)`, None included."""
    match node:
        case ast.Constant(value=value):
            return then(Constant(value), state)
        case ast.FormattedValue(value=value, conversion=-1 | 115, format_spec=None):
            return reader.value(value, state, lambda v, s: reader.text(v, s, then))
        case ast.FormattedValue(
            value=value,
            conversion=-1,
            format_spec=ast.JoinedStr(values=[ast.Constant(value=spec)]),
        ):
            return reader.value(
                value,
                state,
                lambda v, s: texts.formatted(reader, v, str(spec), s, then),
            )
        case _:
            raise NotRead("a formatted value")
