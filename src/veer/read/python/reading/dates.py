"""Dates and times of Python functions: read from texts, written as texts, and their parts."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from veer.read.python.reading import values as val
from veer.read.python.reading.branches import (
    State,
    Tree,
    ValueContinuation,
    require_kinds,
)

if TYPE_CHECKING:
    from veer.read.python.reading.reader import FunctionReader

DATE, DATETIME = datetime.date, datetime.datetime
DIRECTIVES = frozenset("YmdHMSfjy%")  # that neither the locale nor a time zone decides


def made(
    reader: FunctionReader,
    kind: Any,
    name: str,
    args: Sequence[val.Value],
    state: State,
    then: ValueContinuation,
) -> Tree:
    """`datetime.strptime(text, format)` or `date.fromisoformat(text)`"""
    if kind is DATETIME and name == "strptime" and len(args) == 2:
        pattern = val.as_symbol(_format(args[1]))
        return require_kinds(
            reader, args[:1], ("str",), (), state,
            lambda a, s: reader.continue_with(val.function_call("python.strptime", "datetime", a[0], pattern), s, then),
        )  # fmt: skip
    if kind is DATE and name == "fromisoformat" and len(args) == 1:
        return require_kinds(
            reader, args, ("str",), (), state,
            lambda a, s: reader.continue_with(val.function_call("python.fromisoformat", "date", a[0]), s, then),
        )  # fmt: skip
    raise val.NotRead(f"the method {name} of a class")


def _format(value: val.Value) -> val.Constant:
    """A constant format all of whose directives mean the same everywhere."""
    if not isinstance(value, val.Constant) or type(value.value) is not str:
        raise val.NotRead("a format that is not constant")
    directives = re.findall("%(.?)", value.value, re.DOTALL)
    if not all(d in DIRECTIVES for d in directives) or "" in directives:
        raise val.NotRead("a format that depends on the locale or a time zone")
    return value


def of_date(
    reader: FunctionReader,
    base: val.Symbol,
    name: str,
    args: Sequence[val.Value],
    state: State,
    then: ValueContinuation,
) -> Tree:
    """A method of a date or time of the row."""

    def called(v: val.Value, s: State) -> Tree:
        symbol = val.as_symbol(v)
        match name, symbol.kind, len(args):
            case "date", "datetime", 0:
                return then(val.function_call("python.date", "date", symbol), s)
            case "isoformat", "date", 0:
                return then(val.function_call("python.isoformat", "str", symbol), s)
            case "strftime", "date", 1:
                pattern = val.as_symbol(_format(args[0]))
                return then(val.function_call("python.strftime", "str", symbol, pattern), s)
            case "weekday" | "isoweekday", "date", 0:
                number = val.function_call(f"python.{name}", "int", symbol)
                return then(replace(number, low=0, high=7), s)
            case _:
                raise val.NotRead(f"the method {name} of a {symbol.kind}")

    return reader.require_not_none(base, state, called, AttributeError)
