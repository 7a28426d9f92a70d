"""Comprehensions of Python functions over items known while reading, one item after the other."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from veer.read.python.reading import assignments, comprehended_texts, values as val
from veer.read.python.reading.branches import Continuation, State, Tree, ValueContinuation
from veer.read.python.reading.constants import items_of

if TYPE_CHECKING:
    from veer.read.python.reading.reader import FunctionReader

Comprehension: TypeAlias = ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp
MOST_ROUNDS = 200


def follow(
    reader: FunctionReader, node: Comprehension, state: State, then: ValueContinuation
) -> Tree:
    """A comprehension as a value; its names are its own.

    A generator is read as if all of its items were computed at once. Whoever takes items one by one
    and may stop before the end must not be given it (see `quantified`).
    """
    _require_plain(node)
    if isinstance(node, ast.ListComp) and len(node.generators) == 1:
        one = node
        return reader.value(
            node.generators[0].iter,
            state,
            lambda v, s: (
                comprehended_texts.follow(reader, one, v, s, then)
                if isinstance(v, val.Symbol)
                else _followed(reader, one, s, then)
            ),
        )
    return _followed(reader, node, state, then)


def _followed(
    reader: FunctionReader, node: Comprehension, state: State, then: ValueContinuation
) -> Tree:
    elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    own = (state.names, state.handler)

    def ended(items: tuple[val.Value, ...], s: State) -> Tree:
        return then(_collected(node, items), s.within(own[0]).handled_by(own[1]))

    def element(items: tuple[val.Value, ...], s: State, more: Gathered) -> Tree:
        return reader.values(elements, s, lambda vs, t: more((*items, *vs), t))

    start = state.handled_by(own[1] and (lambda e, s: own[1](e, s.within(own[0]))))  # type: ignore[misc]
    return _rounds(reader, node.generators, (), start, element, ended)


Gathered: TypeAlias = Callable[[tuple[val.Value, ...], State], Tree]


def _rounds(
    reader: FunctionReader,
    generators: Sequence[ast.comprehension],
    items: tuple[val.Value, ...],
    state: State,
    element: Callable[[tuple[val.Value, ...], State, Gathered], Tree],
    ended: Gathered,
) -> Tree:
    """All iterations of nested loops; each may add items."""
    if not generators:
        return element(items, state, ended)
    generator, inner = generators[0], generators[1:]

    def over(left: Sequence[val.Value], gathered: tuple[val.Value, ...], s: State) -> Tree:
        if not left:
            return ended(gathered, s)
        again: Gathered = lambda found, t: over(left[1:], found, t)  # noqa: E731
        taken: Continuation = lambda t: _rounds(  # noqa: E731
            reader, inner, gathered, t, element, again
        )
        kept = _kept(reader, generator.ifs, taken, lambda t: again(gathered, t))
        return assignments.bind(generator.target, left[0], s, kept)

    def begun(v: val.Value, s: State) -> Tree:
        if isinstance(v, val.Symbol):
            raise val.NotRead("a comprehension over a value of the row")
        rounds = items_of(v)
        if len(rounds) > MOST_ROUNDS:
            raise val.NotRead("a comprehension of too many rounds")
        return over(rounds, items, s)

    return reader.value(generator.iter, state, begun)


def _kept(
    reader: FunctionReader, tests: Sequence[ast.expr], yes: Continuation, no: Continuation
) -> Continuation:
    """Go on if all of the conditions of a comprehension hold."""
    if not tests:
        return yes
    return lambda s: reader.branch_on(tests[0], s, _kept(reader, tests[1:], yes, no), no)


def _collected(node: Comprehension, items: tuple[val.Value, ...]) -> val.Value:
    """The items as what the comprehension makes of them."""
    if isinstance(node, ast.GeneratorExp):
        return val.IteratorItems(items, lazy=True)
    if any(isinstance(v, val.IteratorItems) for v in items):
        raise val.NotRead("an iterator in a list")
    known = [v.value for v in items if isinstance(v, val.Constant)]
    if len(known) == len(items):
        if isinstance(node, ast.DictComp):
            return val.Constant(dict(zip(known[::2], known[1::2], strict=True)))
        return val.Constant(set(known) if isinstance(node, ast.SetComp) else known)
    if not isinstance(node, ast.ListComp):
        raise val.NotRead("a set or dict of values of the row")  # equal ones would be one item
    return val.Items(items, is_list=True)


def _require_plain(node: Comprehension) -> None:
    for inner in ast.walk(node):
        if isinstance(inner, ast.NamedExpr):
            raise val.NotRead("an assignment inside of a comprehension")
        if isinstance(inner, ast.Lambda):
            raise val.NotRead("a function that sees the rounds of a comprehension")
    if any(g.is_async for g in node.generators):
        raise val.NotRead("an asynchronous comprehension")


def quantified(
    reader: FunctionReader,
    is_any: bool,
    node: ast.GeneratorExp,
    state: State,
    then: ValueContinuation,
) -> Tree:
    """`any(...)` or `all(...)` of a generator: no item is computed behind the one that decides."""
    _require_plain(node)
    own = (state.names, state.handler)

    def decided(truth: bool, s: State) -> Tree:
        return then(val.Constant(truth), s.within(own[0]).handled_by(own[1]))

    def element(items: tuple[val.Value, ...], s: State, more: Gathered) -> Tree:
        stop = lambda t: decided(is_any, t)  # noqa: E731
        going = lambda t: more(items, t)  # noqa: E731
        return reader.branch_on(node.elt, s, *((stop, going) if is_any else (going, stop)))

    start = state.handled_by(own[1] and (lambda e, s: own[1](e, s.within(own[0]))))  # type: ignore[misc]
    return _rounds(reader, node.generators, (), start, element, lambda _, s: decided(not is_any, s))
