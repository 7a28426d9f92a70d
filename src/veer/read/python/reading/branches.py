"""Decision trees: what a function gives, by the conditions it branches on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, final

from veer.ir import expr as ex
from veer.ir.types import BOOLEAN
from veer.read.python.reading import values as val

MOST_BRANCHES = 400


@final
@dataclass(frozen=True)
class Returns:
    """The function returns."""

    value: val.Value


@final
@dataclass(frozen=True)
class Raises:
    """The function fails, and the run with it: no `except` of the function takes the exception."""


@final
@dataclass(frozen=True)
class Branch:
    """One of two trees; the condition is never null where it is asked."""

    condition: ex.Expr
    yes: Tree
    no: Tree


Tree: TypeAlias = Returns | Raises | Branch


@final
@dataclass(frozen=True)
class State:
    """What is known on a path: the values of names, the conditions decided, who handles exceptions.

    Without a handler an exception fails the run.
    """

    names: Mapping[str, val.Value] = field(default_factory=dict)
    facts: Mapping[ex.Expr, bool] = field(default_factory=dict)
    handler: Handler | None = None

    def bind(self, name: str, value: val.Value) -> State:
        """The same with a value for a name."""
        return replace(self, names={**self.names, name: value})

    def learn(self, condition: ex.Expr, holds: bool) -> State:
        """The same where a condition is decided."""
        return replace(self, facts={**self.facts, condition: holds})

    def within(self, names: Mapping[str, val.Value]) -> State:
        """The same facts among other names."""
        return replace(self, names=names)

    def without(self, name: str) -> State:
        """The same where a name means nothing."""
        return replace(self, names={n: v for n, v in self.names.items() if n != name})

    def handled_by(self, handler: Handler | None) -> State:
        """The same where exceptions go elsewhere."""
        return replace(self, handler=handler)


# What happens from some point to the end of the call; and the same given a value (see `reader`).
Continuation: TypeAlias = Callable[[State], Tree]
ValueContinuation: TypeAlias = Callable[[val.Value, State], Tree]
# What happens from an exception of a class on.
Handler: TypeAlias = Callable[[type[BaseException], State], Tree]


@final
@dataclass(frozen=True)
class Continuations:
    """Where a body goes on: behind its end, on return, out of a loop, to its next round.

    And, inside of `except`, where `raise` alone does.
    """

    end: Continuation
    on_return: ValueContinuation
    on_break: Continuation | None = None
    on_continue: Continuation | None = None
    on_reraise: Continuation | None = None


class Brancher:
    """Makes branches, at most so many."""

    def __init__(self) -> None:
        self.left = MOST_BRANCHES

    def branch(self, condition: ex.Expr, state: State, yes: Continuation, no: Continuation) -> Tree:
        """Go on both ways, or one if the condition is decided."""
        if isinstance(condition, ex.Not):
            return self.branch(condition.arg, state, no, yes)
        if isinstance(condition, ex.Literal):
            return yes(state) if condition.value else no(state)
        if condition in state.facts:
            return yes(state) if state.facts[condition] else no(state)
        self.left -= 1
        if self.left < 0:
            raise val.NotRead("too many branches")
        # Sound since conditions have no effects: whatever is read after this one, under `yes` it
        # may assume that the condition held, and under `no` that it was false (never null).
        ways = yes(state.learn(condition, True)), no(state.learn(condition, False))
        return ways[0] if ways[0] == ways[1] else Branch(condition, *ways)

    def raises(self, exception: type[BaseException], state: State) -> Tree:
        """Go on where an exception of a class is handled, or fail."""
        return Raises() if state.handler is None else state.handler(exception, state)

    def require_not_none(
        self,
        value: val.Value,
        state: State,
        then: ValueContinuation,
        exception: type[BaseException] = TypeError,
    ) -> Tree:
        """Go on with a value that is not None; Python fails on None."""
        return self.unless_none(value, state, lambda s: self.raises(exception, s), then)

    def unless_none(
        self, value: val.Value, state: State, none: Continuation, then: ValueContinuation
    ) -> Tree:
        """One way for None, another for the rest."""
        if value == val.NONE:
            return none(state)
        if not isinstance(value, val.Symbol) or not value.nullable:
            return then(value, state)
        return self.branch(val.is_none(value), state, none, lambda s: then(value.not_none(), s))

    def truth_value(
        self, condition: ex.Expr, state: State, then: ValueContinuation, wanted: bool
    ) -> Tree:
        """A condition as a truth value, which may be decided already."""
        return self.branch(
            condition,
            state,
            lambda s: then(val.Constant(wanted), s),
            lambda s: then(val.Constant(not wanted), s),
        )


def require_kinds(
    brancher: Brancher,
    values: Sequence[val.Value],
    first: tuple[val.PythonKind, ...],
    others: tuple[val.PythonKind, ...],
    state: State,
    then: Callable[[list[val.Symbol], State], Tree],
) -> Tree:
    """Values that are not None and of the right kinds; Python fails on others."""

    def collect(left: Sequence[val.Value], checked: list[val.Symbol], s: State) -> Tree:
        if not left:
            return then(checked, s)
        return brancher.require_not_none(left[0], s, lambda v, t: check(v, left[1:], checked, t))

    def check(
        value: val.Value, left: Sequence[val.Value], checked: list[val.Symbol], s: State
    ) -> Tree:
        symbol = val.as_symbol(value)
        if symbol.kind not in (others if checked else first):
            return brancher.raises(TypeError, s)
        return collect(left, [*checked, symbol], s)

    return collect(values, [], state)


def expression(tree: Tree, leaf: Callable[[Returns | Raises], ex.Expr]) -> ex.Expr:
    """The tree as one expression: nested cases, those that agree merged.

    `leaf` gives the expression of an end. Merging is sound since a condition is null only where a
    condition before it keeps it from being asked; see `_both` and `_either`.
    """
    if isinstance(tree, Returns | Raises):
        return leaf(tree)
    condition, yes, no = tree.condition, tree.yes, tree.no
    if isinstance(yes, Branch) and yes.no == no:
        return expression(Branch(_both(condition, yes.condition), yes.yes, no), leaf)
    if isinstance(yes, Branch) and yes.yes == no:
        return expression(Branch(_both(condition, ex.Not(yes.condition)), yes.no, no), leaf)
    if isinstance(no, Branch) and no.yes == yes:
        return expression(Branch(_either(condition, no.condition), yes, no.no), leaf)
    if isinstance(no, Branch) and no.no == yes:
        return expression(Branch(_either(condition, ex.Not(no.condition)), yes, no.yes), leaf)
    ways = expression(yes, leaf), expression(no, leaf)
    if ways[0] == ways[1]:
        return ways[0]
    if ways == (ex.Literal(True, BOOLEAN), ex.Literal(False, BOOLEAN)):
        return condition
    if ways == (ex.Literal(False, BOOLEAN), ex.Literal(True, BOOLEAN)):
        return ex.Not(condition)
    if isinstance(condition, ex.IsNull):  # the usual way round
        return ex.Case(((ex.Not(condition), ways[1]),), ways[0])
    if isinstance(ways[1], ex.Case):
        return ex.Case(((condition, ways[0]), *ways[1].branches), ways[1].otherwise)
    return ex.Case(((condition, ways[0]),), ways[1])


def _both(left: ex.Expr, right: ex.Expr) -> ex.Expr:
    """Where the left is false the right may be null: false all the same."""
    parts = left.args if isinstance(left, ex.And) else (left,)
    return ex.And((*parts, right))


def _either(left: ex.Expr, right: ex.Expr) -> ex.Expr:
    """Where the left is true the right may be null: true all the same."""
    parts = left.args if isinstance(left, ex.Or) else (left,)
    return ex.Or((*parts, right))
