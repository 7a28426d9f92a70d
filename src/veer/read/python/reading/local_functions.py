"""Functions defined inside of functions, and lambdas.

Such a function sees the names around it as they are when it is called. Names that never change
once they are assigned are taken as they are when it is defined; the others are not read.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from veer.read.python.reading.branches import State, Tree, ValueContinuation
from veer.read.python.reading.values import Constant, NotRead, Value
from veer.read.python.source import Definition, Node

if TYPE_CHECKING:
    from veer.read.python.reading.reader import FunctionReader


@final
@dataclass(frozen=True, eq=False)
class LocalFunction:
    """A function with the names around it that it may read."""

    definition: Definition
    captured: Mapping[str, Value]


def define(
    reader: FunctionReader,
    node: ast.FunctionDef | ast.Lambda,
    state: State,
    then: ValueContinuation,
) -> Tree:
    """A function defined here, as a value; its defaults are computed now."""
    if isinstance(node, ast.FunctionDef) and node.decorator_list:
        raise NotRead("a decorated function")
    args = node.args
    keyword_names = [a.arg for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d]
    defaults = [*args.defaults, *(d for d in args.kw_defaults if d is not None)]
    around, own = reader.frames[-1]

    def defined(values: list[Value], s: State) -> Tree:
        constants = [v.value for v in values if isinstance(v, Constant)]
        if len(constants) < len(values):
            raise NotRead("a default that depends on the row")
        count = len(args.defaults)
        definition = Definition(
            node,
            lambda name: _looked_up(around, own, name),
            tuple(constants[:count]),
            tuple(zip(keyword_names, constants[count:], strict=True)),
        )
        captured = {n: v for n, v in s.names.items() if n not in _changing(around.node)}
        return then(Constant(LocalFunction(definition, captured)), s)

    return reader.values(defaults, state, defined)


def _looked_up(around: Definition, own: frozenset[str], name: str) -> Any:
    """What a free name means outside of the function around."""
    if name in own:
        raise NotRead("a name that changes behind the function that reads it")
    return around.lookup(name)


def _changing(node: Node) -> frozenset[str]:
    """The names of a function that are assigned more than once, or may be."""
    if isinstance(node, ast.Lambda):
        return frozenset()
    count = Counter(a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg))
    count.update(_stores(node.body, 1))
    return frozenset(n for n, times in count.items() if times > 1)


def _stores(nodes: list[Any], times: int) -> Counter[str]:
    """How often names are assigned; inside of a loop any number of times."""
    count: Counter[str] = Counter()
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            count[node.name] += times
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            count[node.id] += times
        if isinstance(node, ast.ExceptHandler | ast.MatchAs) and node.name:
            count[node.name] += 2
        inside = 2 if isinstance(node, ast.For | ast.While) else times
        count.update(_stores(list(ast.iter_child_nodes(node)), inside))
    return count
