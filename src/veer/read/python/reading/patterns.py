"""`match` statements of Python functions: patterns of constants, of None, of items, of types."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from veer.read.python.reading import assignments, builtin_functions, comparisons, values as val
from veer.read.python.reading.branches import Continuation, Continuations, State, Tree

if TYPE_CHECKING:
    from veer.read.python.reading.reader import FunctionReader


def follow_match(
    reader: FunctionReader,
    node: ast.Match,
    state: State,
    following: Continuation,
    ways: Continuations,
) -> Tree:
    """The first case whose pattern and guard fit; nothing where none does."""
    inner = replace(ways, end=following)

    def over(subject: val.Value, cases: Sequence[ast.match_case], s: State) -> Tree:
        if not cases:
            return following(s)
        case, rest = cases[0], cases[1:]
        body = lambda t: reader.follow_body(case.body, t, inner)  # noqa: E731
        others = lambda t: over(subject, rest, t)  # noqa: E731
        # A name that the pattern gives stays assigned where the guard then fails, as in Python.
        guarded = (
            body if case.guard is None else lambda t: reader.branch_on(case.guard, t, body, others)  # type: ignore[arg-type]
        )
        return fits(reader, case.pattern, subject, s, guarded, others)

    return reader.value(node.subject, state, lambda v, s: over(v, node.cases, s))


def fits(
    reader: FunctionReader,
    pattern: ast.pattern,
    subject: val.Value,
    state: State,
    yes: Continuation,
    no: Continuation,
) -> Tree:
    """Branch on whether a value fits a pattern, which may give names to it.

    Python leaves open whether names of a pattern that fails are assigned: where a pattern may fail
    behind a name, it is not read.
    """
    match pattern:
        case ast.MatchAs(pattern=None, name=None):
            return yes(state)
        case ast.MatchAs(pattern=None, name=str() as name):
            return assignments.bind(ast.Name(name, ast.Store()), subject, state, yes)
        case ast.MatchAs(pattern=ast.pattern() as part, name=str() as name):
            named = lambda s: yes(s.bind(name, subject))  # noqa: E731
            return fits(reader, part, subject, state, named, no)
        case ast.MatchValue(value=value):
            return reader.value(value, state, lambda v, s: _equal(reader, subject, v, s, yes, no))
        case ast.MatchSingleton(value=None):
            return _equal(reader, subject, val.NONE, state, yes, no)
        case ast.MatchSingleton(value=truth):
            return _same_truth(reader, subject, bool(truth), state, yes, no)
        case ast.MatchOr(patterns=options):
            return _any_fits(reader, options, subject, state, yes, no)
        case ast.MatchSequence(patterns=parts):
            return _items_fit(reader, parts, subject, state, yes, no)
        case ast.MatchClass(cls=cls, patterns=[], kwd_attrs=[]):
            return reader.value(
                cls,
                state,
                lambda c, s: builtin_functions.follow_isinstance(
                    reader, [subject, c], s, lambda v, t: reader.branch_on_value(v, t, yes, no)
                ),
            )
        case _:
            raise val.NotRead(f"the pattern {type(pattern).__name__}")


def _equal(
    reader: FunctionReader,
    a: val.Value,
    b: val.Value,
    state: State,
    yes: Continuation,
    no: Continuation,
) -> Tree:
    return comparisons.equal(
        reader, a, b, state, lambda v, s: reader.branch_on_value(v, s, yes, no)
    )


def _same_truth(
    reader: FunctionReader,
    subject: val.Value,
    truth: bool,
    state: State,
    yes: Continuation,
    no: Continuation,
) -> Tree:
    """`subject is True`: 1 is not."""
    if isinstance(subject, val.Items | val.IteratorItems):
        return no(state)
    if isinstance(subject, val.Constant):
        return yes(state) if subject.value is truth else no(state)
    if subject.kind != "bool":
        return no(state)
    return _equal(reader, subject, val.Constant(truth), state, yes, no)


def _any_fits(
    reader: FunctionReader,
    options: Sequence[ast.pattern],
    subject: val.Value,
    state: State,
    yes: Continuation,
    no: Continuation,
) -> Tree:
    if not options:
        return no(state)
    if len(options) > 1 and _names_something(options[0]):
        raise val.NotRead("a name in a pattern that may fail")
    return fits(
        reader,
        options[0],
        subject,
        state,
        yes,
        lambda s: _any_fits(reader, options[1:], subject, s, yes, no),
    )


def _names_something(pattern: ast.pattern) -> bool:
    return any(isinstance(p, ast.MatchAs | ast.MatchStar) and p.name for p in ast.walk(pattern))


def _items_fit(
    reader: FunctionReader,
    parts: Sequence[ast.pattern],
    subject: val.Value,
    state: State,
    yes: Continuation,
    no: Continuation,
) -> Tree:
    """A pattern for each item of a tuple or list of known length."""
    if any(isinstance(p, ast.MatchStar) for p in parts):
        raise val.NotRead("the pattern MatchStar")
    items = _sequence(subject)
    if items is None or len(items) != len(parts):
        return no(state)
    if any(_names_something(p) for p in parts[:-1]) and not _always_fit(parts):
        raise val.NotRead("a name in a pattern that may fail")
    going: Continuation = yes
    for part, item in reversed(list(zip(parts, items, strict=True))):
        going = _step(reader, part, item, going, no)
    return going(state)


def _step(
    reader: FunctionReader, part: ast.pattern, item: val.Value, yes: Continuation, no: Continuation
) -> Callable[[State], Tree]:
    return lambda s: fits(reader, part, item, s, yes, no)


def _always_fit(parts: Sequence[ast.pattern]) -> bool:
    return all(isinstance(p, ast.MatchAs) and p.pattern is None for p in parts)


def _sequence(subject: val.Value) -> Sequence[val.Value] | None:
    """The items of a tuple or list; None for what is no sequence to a pattern, as texts are not."""
    if isinstance(subject, val.Items):
        return subject.items
    if isinstance(subject, val.Constant) and type(subject.value) in (tuple, list):
        return [val.Constant(item) for item in subject.value]
    if isinstance(subject, val.Symbol) and val.as_symbol(subject).kind != "texts":
        return None
    if isinstance(subject, val.Constant) and type(subject.value) in (
        str,
        int,
        float,
        bool,
        type(None),
    ):
        return None
    raise val.NotRead("a pattern of items")
