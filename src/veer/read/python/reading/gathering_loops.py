"""Loops over the characters of a text, or over the texts that `split` gives, that gather some of them.

    for word in text.split(","):            parts = [word.strip() for word in text.split(",") if word]
        if word:                       as
            parts.append(word.strip())

    for c in text:                     as   digits = digits + "".join([c for c in text if c.isdigit()])
        if c.isdigit():
            digits += c

How many rounds there are is not known while reading. Such a loop does the same as a comprehension,
but for its variable: that must not be read outside of the loop.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from veer.read.python.reading import comprehended_texts, values as val
from veer.read.python.reading.branches import Continuation, State, Tree

if TYPE_CHECKING:
    from veer.read.python.reading.reader import FunctionReader

GATHERED = "<gathered>"  # no name of Python's


@final
@dataclass(frozen=True)
class _Gathering:
    """What a loop does in every round: it adds an element to what a name holds, under conditions."""

    name: str
    element: ast.expr
    tests: tuple[ast.expr, ...]
    is_list: bool


def follow(
    reader: FunctionReader, loop: ast.For, source: val.Symbol, state: State, following: Continuation
) -> Tree:
    """A loop over the texts of `source`."""
    gathering = _gathering(loop.body, ())
    target = loop.target
    if gathering is None or loop.orelse or not isinstance(target, ast.Name):
        raise val.NotRead("a loop over a value of the row")
    if _is_read_outside(reader, loop, target.id) or target.id == gathering.name:
        raise val.NotRead("the variable of a loop read after it")
    name = gathering.name
    rounds = ast.comprehension(target, loop.iter, list(gathering.tests), 0)
    node = ast.ListComp(gathering.element, [rounds])
    if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node)):
        raise val.NotRead("a loop that reads what it gathers")

    def gathered(texts: val.Value, s: State) -> Tree:
        if gathering.is_list:
            return following(s.bind(name, texts))
        joined = ast.Call(
            ast.Attribute(ast.Constant(""), "join", ast.Load()),
            [ast.Name(GATHERED, ast.Load())],
            [],
        )
        whole = ast.BinOp(ast.Name(name, ast.Load()), ast.Add(), joined)
        return reader.value(
            whole,
            s.bind(GATHERED, texts),
            lambda v, t: following(t.without(GATHERED).bind(name, v)),
        )

    if not _is_ready(reader, gathering, state.names.get(name)):
        raise val.NotRead("a loop that gathers into something else than a new list or a text")
    return comprehended_texts.follow(reader, node, source, state, gathered)


def _gathering(body: Sequence[ast.stmt], tests: tuple[ast.expr, ...]) -> _Gathering | None:
    match body:
        case [ast.If(test=test, body=[ast.Continue()], orelse=[]), *rest]:
            return _gathering(rest, (*tests, ast.UnaryOp(ast.Not(), test)))
        case [ast.If(test=test, body=inner, orelse=[])]:
            return _gathering(inner, (*tests, test))
        case [
            ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="append"),
                    args=[element],
                    keywords=[],
                )
            )
        ]:
            return _Gathering(name, element, tests, True)
        case [ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=element)]:
            return _Gathering(name, element, tests, False)
        case _:
            return None


def _is_ready(reader: FunctionReader, gathering: _Gathering, before: val.Value | None) -> bool:
    """Whether a name holds an empty list of its own, or a constant text."""
    if not gathering.is_list:
        return isinstance(before, val.Constant) and type(before.value) is str
    if not reader.is_own_list(gathering.name):
        return False
    if isinstance(before, val.Constant):
        return before.value == [] and type(before.value) is list
    return isinstance(before, val.Items) and before.is_list and not before.items


def _is_read_outside(reader: FunctionReader, loop: ast.For, name: str) -> bool:
    function = reader.frames[-1][0].node
    inside = sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(loop))
    everywhere = sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(function))
    return everywhere != inside
