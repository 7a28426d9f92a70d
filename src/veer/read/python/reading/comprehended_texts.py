"""Comprehensions over the characters of a text, or over the texts that `split` gives.

How many there are is not known while reading: what is done with each must be one of few things.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from veer.functions.python import ASKED, CHANGED, STRIPPED
from veer.read.python.reading import values as val
from veer.read.python.reading.branches import State, Tree, ValueContinuation

OPPOSITE: Mapping[type[ast.cmpop], type[ast.cmpop]] = MappingProxyType(
    {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In}
)

if TYPE_CHECKING:
    from veer.read.python.reading.reader import FunctionReader


def follow(
    reader: FunctionReader,
    node: ast.ListComp,
    source: val.Symbol,
    state: State,
    then: ValueContinuation,
) -> Tree:
    """`[word.strip() for word in texts if word.isalpha()]`"""
    (generator,) = node.generators
    if source.kind not in ("str", "texts") or not isinstance(generator.target, ast.Name):
        raise val.NotRead("a comprehension over a value of the row")
    name = generator.target.id

    def filtered(texts: val.Symbol, tests: Sequence[ast.expr], s: State) -> Tree:
        if not tests:
            changes = _methods(node.elt, name, last=frozenset())
            return then(_each(texts, changes), s)
        return _taken(
            reader, texts, tests[0], name, s, lambda v, t: filtered(val.as_symbol(v), tests[1:], t)
        )

    def begun(v: val.Value, s: State) -> Tree:
        texts = val.as_symbol(v)
        if texts.kind == "str":
            texts = val.function_call("python.characters", "texts", texts)
        return filtered(texts, generator.ifs, s)

    return reader.require_not_none(source, state, begun)


def _each(texts: val.Symbol, methods: str) -> val.Symbol:
    if not methods:
        return texts
    return val.function_call("python.each", "texts", texts, val.as_symbol(val.Constant(methods)))


def _taken(
    reader: FunctionReader,
    texts: val.Symbol,
    test: ast.expr,
    name: str,
    state: State,
    then: ValueContinuation,
) -> Tree:
    """The texts for which a condition holds."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.UnaryOp(op=ast.Not(), operand=inner)):
            return _taken(reader, texts, inner, name, state, then)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Compare(ops=[sign]) as asked) if (
            type(sign) in OPPOSITE
        ):
            opposite = ast.Compare(asked.left, [OPPOSITE[type(sign)]()], asked.comparators)
            return _taken(reader, texts, opposite, name, state, then)
        case ast.Compare(
            left=compared, ops=[ast.Eq() | ast.NotEq() as sign], comparators=[ast.Constant("")]
        ):
            is_wanted = isinstance(sign, ast.NotEq)
            return then(_those(texts, _methods(compared, name, frozenset()), is_wanted), state)
        case ast.UnaryOp(op=ast.Not(), operand=asked):
            return then(_those(texts, _methods(asked, name, ASKED), False), state)
        case ast.Compare(
            left=ast.Name(id=left), ops=[ast.In() | ast.NotIn() as sign], comparators=[whole]
        ) if left == name:
            wanted = val.as_symbol(val.Constant(isinstance(sign, ast.In)))

            def found(v: val.Value, s: State) -> Tree:
                if not isinstance(v, val.Constant) or type(v.value) is not str:
                    raise val.NotRead("a search in other than a constant text")
                inside = val.as_symbol(v)
                return then(val.function_call("python.those_in", "texts", texts, inside, wanted), s)

            if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(whole)):
                raise val.NotRead("a search in a text of the comprehension")
            return reader.value(whole, state, found)
        case _:
            return then(_those(texts, _methods(test, name, ASKED), True), state)


def _those(texts: val.Symbol, methods: str, wanted: bool) -> val.Symbol:
    """The texts that are something, or are not; without a method: that are not empty."""
    fixed = val.as_symbol(val.Constant(methods)), val.as_symbol(val.Constant(wanted))
    return val.function_call("python.those", "texts", texts, *fixed)


def _methods(node: ast.expr, name: str, last: frozenset[str]) -> str:
    """The methods called on the text `name`, first to last: `strip.lower`; some only as the last."""
    methods: list[str] = []
    while isinstance(node, ast.Call):
        if node.args or node.keywords or not isinstance(node.func, ast.Attribute):
            raise val.NotRead("a call inside of a comprehension over texts")
        allowed = CHANGED | STRIPPED | (last if not methods else frozenset())
        if node.func.attr not in allowed:
            raise val.NotRead(f"the method {node.func.attr} inside of a comprehension over texts")
        methods.insert(0, node.func.attr)
        node = node.func.value
    if not isinstance(node, ast.Name) or node.id != name:
        raise val.NotRead("other than texts of a comprehension over texts")
    return ".".join(methods)
