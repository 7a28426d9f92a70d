"""Exceptions of Python functions: `try`, `raise`, and which class a failing operation raises.

A path on which an exception is raised goes on in the first `except` that names its class, with the
names as they are at that moment. The class must be known exactly: what may raise one of several is
not read inside of `try`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from veer.ir import expr as ex, types as ty
from veer.read.python.reading import branches, values as val

if TYPE_CHECKING:
    from veer.read.python.reading.reader import FunctionReader

Cause: TypeAlias = tuple[ex.Expr, type[BaseException]]  # where the condition holds, it is raised
PLAIN_FORMAT = re.compile(r"([<>^]?0?\d*)([,_]?)(\.\d+)?([dfFeEgGs%]?)")


def follow_try(
    reader: FunctionReader,
    node: ast.Try,
    state: branches.State,
    following: branches.Continuation,
    ways: branches.Continuations,
) -> branches.Tree:
    """`try` with `except` and `else`; what leaves the body leaves the reach of its handlers."""
    if node.finalbody:
        raise val.NotRead("the word finally")
    outer = state.handler
    behind = replace(ways, end=following)

    def leaving(way: branches.Continuation) -> branches.Continuation:
        return lambda s: way(s.handled_by(outer))

    def handle(exception: type[BaseException], s: branches.State) -> branches.Tree:
        return _handled(reader, node.handlers, exception, s.handled_by(outer), behind)

    inner = replace(
        ways,
        end=leaving(lambda s: reader.follow_body(node.orelse, s, behind)),
        on_return=lambda v, s: ways.on_return(v, s.handled_by(outer)),
        on_break=ways.on_break and leaving(ways.on_break),
        on_continue=ways.on_continue and leaving(ways.on_continue),
    )
    return reader.follow_body(node.body, state.handled_by(handle), inner)


def _handled(
    reader: FunctionReader,
    clauses: Sequence[ast.ExceptHandler],
    exception: type[BaseException],
    state: branches.State,
    ways: branches.Continuations,
) -> branches.Tree:
    """The first clause that takes the exception; without one it goes on outwards."""
    if not clauses:
        return reader.raises(exception, state)
    clause, rest = clauses[0], clauses[1:]

    def taken(s: branches.State) -> branches.Tree:
        name = clause.name
        again = replace(ways, on_reraise=lambda t: reader.raises(exception, t))
        if name is None:
            return reader.follow_body(clause.body, s, again)
        # The exception itself is no value that is read; Python forgets its name behind the clause.
        forgotten = replace(again, end=lambda t: ways.end(t.without(name)))
        return reader.follow_body(clause.body, s.bind(name, val.Constant(exception())), forgotten)

    if clause.type is None:
        return taken(state)

    def decided(classes: val.Value, s: branches.State) -> branches.Tree:
        if any(c in exception.__mro__ for c in _classes(classes)):
            return taken(s)
        return _handled(reader, rest, exception, s, ways)

    return reader.value(clause.type, state, decided)


def _classes(value: val.Value) -> Sequence[type]:
    """The classes that a clause names."""
    if not isinstance(value, val.Constant):
        raise val.NotRead("an exception that is not constant")
    classes = value.value if isinstance(value.value, tuple) else (value.value,)
    if not all(type(c) is type and issubclass(c, BaseException) for c in classes):
        raise val.NotRead("an except of other than classes of exceptions")
    return classes


def follow_raise(
    reader: FunctionReader, node: ast.Raise, state: branches.State, ways: branches.Continuations
) -> branches.Tree:
    """`raise`: of a class or what it makes, or of the exception that is handled."""
    if node.exc is None:
        if ways.on_reraise is None:
            return reader.raises(RuntimeError, state)
        return ways.on_reraise(state)
    if state.handler is None:
        return reader.raises(Exception, state)  # whatever it is: it fails the run
    made = node.exc if isinstance(node.exc, ast.Call) else ast.Call(node.exc, [], [])
    if made.keywords:
        raise val.NotRead("an exception with named arguments")

    def raised(values: list[val.Value], s: branches.State) -> branches.Tree:
        (exception,) = _classes(values[0])
        if exception.__module__ != "builtins":
            raise val.NotRead("an exception of the project's own")
        return reader.raises(exception, s)

    return reader.values([made.func, *made.args], state, raised)


def continue_unless_raised(
    reader: FunctionReader,
    symbol: val.Symbol,
    call: ex.Call,
    state: branches.State,
    then: branches.ValueContinuation,
) -> branches.Tree:
    """Go on with a computed value, or with the exception that computing it raises."""

    def over(causes: Sequence[Cause], s: branches.State) -> branches.Tree:
        if not causes:
            return then(symbol, s)
        (condition, exception), rest = causes[0], causes[1:]
        return reader.branch(
            condition, s, lambda t: reader.raises(exception, t), lambda t: over(rest, t)
        )

    return over(_causes(call), state)


def _causes(call: ex.Call) -> Sequence[Cause]:
    """Where a function of the registry raises what, each condition asked behind those before it."""
    args = call.args
    match call.function.removeprefix("python."):
        case "int" | "float" as conversion:
            readable = ex.Call(f"python.is_{conversion}", args, ty.BOOLEAN)
            return [(ex.Not(readable), ValueError)]
        case "strptime" | "fromisoformat" as conversion:
            return [(ex.Not(ex.Call(f"python.is_{conversion}", args, ty.BOOLEAN)), ValueError)]
        case "at" | "item":
            length = ex.Call("python.len", args[:1], ty.LONG)
            start = ex.Call("-", (val.number(0), length), ty.LONG)
            inside = ex.And((ex.Compare(">=", args[1], start), ex.Compare("<", args[1], length)))
            return [(ex.Not(inside), IndexError)]
        case "index":
            return [
                (ex.Compare("=", ex.Call("python.find", args, ty.LONG), val.number(-1)), ValueError)
            ]
        case "split" if isinstance(args[1], ex.Literal) and args[1].value:
            return []
        case "trunc" | "floor" | "ceil" | "round":
            infinite = ex.Literal(float("inf"), ty.DOUBLE)
            return [
                (ex.Call("isnan", args, ty.BOOLEAN), ValueError),
                (ex.Compare("=", ex.Call("abs", args, ty.DOUBLE), infinite), OverflowError),
            ]
        case "format_text" | "format_int" | "format_float" if _never_fails(call):
            return []
        case "abs" if args[0].type == ty.DOUBLE:
            return []
        case _:
            raise val.NotRead(f"{call.function} inside of try")


def _never_fails(call: ex.Call) -> bool:
    """Whether a format fits all values of its type."""
    spec, samples = call.args[1], {"python.format_text": "a", "python.format_int": 1}
    if not isinstance(spec, ex.Literal) or not PLAIN_FORMAT.fullmatch(spec.value):
        return False
    try:
        format(samples.get(call.function, 0.5), spec.value)
    except ValueError:
        return False
    return True
