"""Methods of texts, regular expressions, formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from veer.functions import python
from veer.ir import expr as ex
from veer.ir.types import BOOLEAN
from veer.read.python.reading import values as val
from veer.read.python.reading.branches import (
    State,
    Tree,
    ValueContinuation,
    require_kinds,
)
from veer.read.python.reading.constants import items_of, require_ordered

if TYPE_CHECKING:
    from veer.read.python.reading.reader import FunctionReader

MATCHED = frozenset(["match", "search", "fullmatch"])


def matched(
    method: str,
) -> Callable[[FunctionReader, Sequence[val.Value], State, ValueContinuation], Tree]:
    """`re.match`, `re.search`, `re.fullmatch` of a constant pattern, as a truth value or None."""

    def followed(
        reader: FunctionReader, args: Sequence[val.Value], state: State, then: ValueContinuation
    ) -> Tree:
        if len(args) not in (2, 3) or not isinstance(args[0], val.Constant):
            raise val.NotRead("a regular expression that is not constant")
        pattern = _flagged(args[0].value, args[2:])
        try:
            re.compile(pattern)
        except re.error:
            return reader.raises(re.error, state)
        return require_kinds(
            reader, [args[1]], ("str",), (), state,
            lambda a, s: then(_match(method, pattern, a[0]), s),
        )  # fmt: skip

    return followed


def _match(method: str, pattern: str, subject: val.Symbol) -> val.Symbol:
    """True, or null for None: what a match is read as."""
    matches = val.function_call(
        f"python.re_{method}", "bool", val.as_symbol(val.Constant(pattern)), subject
    )
    return val.Symbol(
        ex.Case(((matches.expr, ex.Literal(True, BOOLEAN)),), ex.Literal(None, BOOLEAN)),
        "match",
        True,
    )


def _flagged(pattern: Any, flags: Sequence[val.Value]) -> str:
    """A pattern with its flags written into it."""
    if isinstance(pattern, re.Pattern):
        if flags or not isinstance(pattern.pattern, str):
            raise val.NotRead("flags beside a compiled pattern")
        bits, pattern = pattern.flags & ~re.UNICODE, pattern.pattern
    else:
        flag = flags[0] if flags else val.Constant(0)
        if not isinstance(pattern, str) or not isinstance(flag, val.Constant):
            raise val.NotRead("a pattern that is not a text")
        bits = int(flag.value) & ~re.UNICODE
    if not bits:
        return str(pattern)
    if bits & ~(re.IGNORECASE | re.MULTILINE | re.DOTALL) or pattern.startswith("(?"):
        raise val.NotRead("flags of a regular expression")
    letters = ((re.IGNORECASE, "i"), (re.MULTILINE, "m"), (re.DOTALL, "s"))
    return f"(?{''.join(letter for flag, letter in letters if bits & flag)}){pattern}"


def substituted(
    reader: FunctionReader, args: Sequence[val.Value], state: State, then: ValueContinuation
) -> Tree:
    """`re.sub` of a constant pattern by a constant text."""
    if len(args) != 3 or not all(isinstance(a, val.Constant) for a in args[:2]):
        raise val.NotRead("a substitution that is not constant")
    pattern, new = (a.value for a in args[:2] if isinstance(a, val.Constant))
    if not isinstance(new, str):
        raise val.NotRead("a substitution by a function")
    try:
        re.sub(_flagged(pattern, ()), new, "")
    except (re.error, IndexError):
        return reader.raises(re.error, state)
    fixed = [val.as_symbol(val.Constant(_flagged(pattern, ()))), val.as_symbol(val.Constant(new))]
    return require_kinds(
        reader, [args[2]], ("str",), (), state,
        lambda a, s: reader.continue_with(val.function_call("python.re_sub", "str", *fixed, a[0]), s, then),
    )  # fmt: skip


def of_text(
    reader: FunctionReader,
    base: val.Symbol,
    name: str,
    args: Sequence[val.Value],
    state: State,
    then: ValueContinuation,
) -> Tree:
    """A method of a text."""
    if base.kind != "str":
        raise val.NotRead(f"the method {name} of a {base.kind}")

    def method_call(kind: val.PythonKind, *values: val.Value) -> Tree:
        return require_kinds(
            reader, [base, *values], ("str",), ("str",), state,
            lambda a, s: reader.continue_with(val.function_call(f"python.{name}", kind, *a), s, then),
        )  # fmt: skip

    if name in python.ASKED and not args:
        condition = val.function_call(f"python.{name}", "bool", base).expr
        return reader.truth_value(condition, state, then, True)
    if name in python.ENDED and len(args) == 1:
        return _ends(reader, base, name, args[0], state, then)
    if name == "zfill" and len(args) == 1:
        return require_kinds(
            reader, [base, *args], ("str",), ("int", "bool"), state,
            lambda a, s: reader.continue_with(val.function_call("python.zfill", "str", a[0], val.as_int(a[1])), s, then),
        )  # fmt: skip
    if name == "split" and list(args) in ([], [val.NONE]):
        return reader.continue_with(val.function_call("python.words", "texts", base), state, then)
    if name == "join" and len(args) == 1:
        return _joined(reader, base, args[0], state, then)
    values = [] if name in python.STRIPPED and list(args) == [val.NONE] else args
    return method_call(_result_kind(name, values), *values)


def _result_kind(name: str, args: Sequence[val.Value]) -> val.PythonKind:
    """What a method of a text gives that takes texts only; refused if it is not read."""
    if name in (python.STRIPPED | {"split"}) and len(args) == 1 and _may_be_none(args[0]):
        what = "a separator" if name == "split" else f"{name} of characters"
        raise val.NotRead(f"{what} that may be None")
    match len(args):
        case 0 if name in python.STRIPPED or name in python.CHANGED:
            return "str"
        case 1 if name in python.FOUND or name == "index":
            return "int"
        case 1 if name in python.STRIPPED or name in python.REMOVED:
            return "str"
        case 1 if name == "split":
            return "texts"
        case 2 if name == "replace":
            return "str"
        case _:
            raise val.NotRead(f"the method {name}")


def _may_be_none(value: val.Value) -> bool:
    return isinstance(value, val.Symbol) and value.nullable


def _ends(
    reader: FunctionReader,
    base: val.Symbol,
    name: str,
    wanted: val.Value,
    state: State,
    then: ValueContinuation,
) -> Tree:
    """`startswith` or `endswith`, of a text or of any of several."""
    options = [wanted]
    if isinstance(wanted, val.Constant) and isinstance(wanted.value, tuple):
        options = [val.Constant(v) for v in wanted.value]

    def over(left: Sequence[val.Value], s: State) -> Tree:
        if not left:
            return then(val.Constant(False), s)

        def one(a: list[val.Symbol], t: State) -> Tree:
            condition = val.function_call(f"python.{name}", "bool", base, a[0]).expr
            return reader.branch(
                condition, t, lambda u: then(val.Constant(True), u), lambda u: over(left[1:], u)
            )

        return require_kinds(reader, [left[0]], ("str",), (), s, one)

    return over(options, state)


def _joined(
    reader: FunctionReader,
    base: val.Symbol,
    items: val.Value,
    state: State,
    then: ValueContinuation,
) -> Tree:
    """`base.join(items)`"""
    if isinstance(items, val.Symbol) and items.kind == "texts":
        return reader.continue_with(
            val.function_call("python.join", "str", base, items), state, then
        )
    parts = items_of(items, all_taken=True)
    if not parts:
        return then(val.Constant(""), state)

    def concatenate(a: list[val.Symbol], s: State) -> Tree:
        text = a[0]
        for part in a[1:]:
            text = val.add(val.add(text, base), part)
        return then(text, s)

    return require_kinds(reader, parts, ("str",), ("str",), state, concatenate)


def formatted(
    reader: FunctionReader, value: val.Value, spec: str, state: State, then: ValueContinuation
) -> Tree:
    """A value in an f-string with a format."""
    if any(int(n) > 200 for n in re.findall(r"\d+", spec)):
        raise val.NotRead("a wide format")
    if isinstance(value, val.Constant):
        return reader.compute_constant(
            lambda: format(require_ordered(value.value), spec), state, then
        )

    def format_value(v: val.Value, s: State) -> Tree:
        symbol = val.as_symbol(v)
        kind = {"str": "text", "int": "int", "float": "float"}.get(symbol.kind)
        if kind is None:
            raise val.NotRead(f"a format of a {symbol.kind}")
        return reader.continue_with(
            val.function_call(
                f"python.format_{kind}", "str", symbol, val.as_symbol(val.Constant(spec))
            ),
            s,
            then,
        )

    return reader.require_not_none(value, state, format_value)
