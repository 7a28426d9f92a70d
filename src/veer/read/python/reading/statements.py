"""Statements of Python functions, followed one after the other (see `reader` for the style).

Each statement hands the rest of the body on as a continuation, so a branch is followed to the end
of the call before the other is begun: names assigned in one are never seen in the other.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from veer.read.python.reading import (
    assignments,
    constants,
    exceptions,
    gathering_loops,
    lists,
    local_functions,
    patterns,
    values as val,
)
from veer.read.python.reading.branches import (
    Continuation,
    Continuations,
    State,
    Tree,
)

if TYPE_CHECKING:
    from veer.read.python.reading.reader import FunctionReader

MOST_ROUNDS = 200  # of a loop


# Following a body calls itself once a statement: helpers between would use up Python's stack, which
# bounds how long a function may be.
def follow(
    reader: FunctionReader, statements: Sequence[ast.stmt], state: State, ways: Continuations
) -> Tree:
    """Follow statements one after the other, then whatever continuation they leave by."""
    if not statements:
        return ways.end(state)
    first, rest = statements[0], statements[1:]

    def following(s: State) -> Tree:
        return follow(reader, rest, s, ways)

    match first:
        case ast.Return(value=None):
            return ways.on_return(val.NONE, state)
        case ast.Return(value=ast.expr() as value):
            return reader.value(value, state, ways.on_return)
        case ast.If(test=test, body=body, orelse=orelse):
            # What follows the `if` is read once behind each branch, with what that branch knows.
            inner = replace(ways, end=following)
            yes = lambda s: follow(reader, body, s, inner)  # noqa: E731
            no = lambda s: follow(reader, orelse, s, inner)  # noqa: E731
            return reader.branch_on(test, state, yes, no)
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
            return _assign(reader, first, state, following)
        case ast.For(iter=source) as loop:
            return reader.value(
                source,
                state,
                lambda v, s: (
                    gathering_loops.follow(reader, loop, v, s, following)
                    if isinstance(v, val.Symbol)
                    else _loop(reader, loop, constants.items_of(v), s, following, ways)
                ),
            )
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="append" | "extend" as method),
                args=[item],
                keywords=[],
            )
        ) if reader.is_own_list(name):
            return reader.value(
                item, state, lambda v, s: _extend(reader, name, method, v, s, following)
            )
        case ast.Expr(value=value):
            return reader.value(value, state, lambda _, s: following(s))
        case ast.Pass():
            return following(state)
        case ast.Break() if ways.on_break is not None:
            return ways.on_break(state)
        case ast.Continue() if ways.on_continue is not None:
            return ways.on_continue(state)
        case ast.Try():
            return exceptions.follow_try(reader, first, state, following, ways)
        case ast.Raise():
            return exceptions.follow_raise(reader, first, state, ways)
        case ast.Assert(test=test):
            failed = lambda s: reader.raises(AssertionError, s)  # noqa: E731
            return reader.branch_on(test, state, following, failed)
        case ast.Match():
            return patterns.follow_match(reader, first, state, following, ways)
        case ast.FunctionDef(name=name):
            return local_functions.define(
                reader, first, state, lambda v, s: following(s.bind(name, v))
            )
        case _:
            raise val.NotRead(f"the statement {type(first).__name__}")


def _assign(
    reader: FunctionReader,
    node: ast.Assign | ast.AnnAssign | ast.AugAssign,
    state: State,
    following: Continuation,
) -> Tree:
    match node:
        case ast.Assign(targets=[target], value=value):
            pass
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            pass
        case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=operand):
            # `x += y` is `x = x + y` for what cannot be changed. A list is changed in its place,
            # which everything else that holds it would see.
            before = state.names.get(name)
            if not isinstance(before, val.Symbol | None) and not (
                isinstance(before, val.Constant) and constants.is_scalar(before.value)
            ):
                raise val.NotRead("a collection changed in its place")
            value = ast.BinOp(ast.Name(name, ast.Load()), op, operand)
        case _:
            raise val.NotRead(f"the statement {type(node).__name__}")
    return reader.value(value, state, lambda v, s: assignments.bind(target, v, s, following))


def _loop(
    reader: FunctionReader,
    node: ast.For,
    rounds: Sequence[val.Value],
    state: State,
    following: Continuation,
    ways: Continuations,
) -> Tree:
    """Follow a loop round by round; its `else` runs only where no round breaks."""
    if len(rounds) > MOST_ROUNDS:
        raise val.NotRead("a loop of too many rounds")
    if not rounds:
        return follow(reader, node.orelse, state, replace(ways, end=following))

    def again(s: State) -> Tree:
        return _loop(reader, node, rounds[1:], s, following, ways)

    inner = replace(ways, end=again, on_break=following, on_continue=again)
    return assignments.bind(
        node.target, rounds[0], state, lambda s: follow(reader, node.body, s, inner)
    )


def _extend(
    reader: FunctionReader,
    name: str,
    method: str,
    value: val.Value,
    state: State,
    following: Continuation,
) -> Tree:
    """`name.append(value)` or `name.extend(value)` of a list that only the name holds."""
    if isinstance(value, val.IteratorItems) and method == "append":
        raise val.NotRead("an iterator in a list")
    if name not in state.names:
        return reader.raises(UnboundLocalError, state)
    items = [value] if method == "append" else constants.items_of(value, all_taken=True)
    return following(state.bind(name, lists.changed(state.names[name], method, items)))
