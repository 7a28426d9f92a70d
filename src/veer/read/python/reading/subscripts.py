"""Attributes, items and slices, as Python functions read them."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from veer.ir import expr as ex, types as ty
from veer.read.python.origins import is_named_tuple
from veer.read.python.reading import comparisons, constant_objects, values as val
from veer.read.python.reading.branches import (
    State,
    Tree,
    ValueContinuation,
    require_kinds,
)
from veer.read.python.reading.constants import require_data, require_keys

if TYPE_CHECKING:
    from veer.read.python.reading.reader import FunctionReader

MOST_ITEMS = 100


def attribute(
    reader: FunctionReader, base: val.Value, name: str, state: State, then: ValueContinuation
) -> Tree:
    """`base.name`: of a module or a constant object, or a part of a date."""
    if isinstance(base, val.Constant) and isinstance(base.value, types.ModuleType):
        if not hasattr(base.value, name):
            return reader.raises(AttributeError, state)
        return then(val.Constant(getattr(base.value, name)), state)
    if isinstance(base, val.Symbol) and base.kind == "date" and name in ("year", "month", "day"):
        return reader.require_not_none(
            base,
            state,
            lambda v, s: then(
                replace(
                    val.Symbol(
                        ex.Cast(ex.Call(name, (val.as_symbol(v).expr,), ty.INT), ty.LONG), "int"
                    ),
                    low=0,
                    high=9999,
                ),
                s,
            ),
            AttributeError,
        )
    if isinstance(base, val.Constant):
        return then(val.Constant(constant_objects.attribute(base.value, name)), state)
    raise val.NotRead(f"the attribute {name}")


def item(
    reader: FunctionReader, base: val.Value, index: val.Value, state: State, then: ValueContinuation
) -> Tree:
    """`base[index]`"""
    if isinstance(base, val.Constant) and isinstance(index, val.Constant):
        return reader.compute_constant(
            lambda: _container(base.value)[require_data(index.value)], state, then
        )
    if isinstance(base, val.Items) and isinstance(index, val.Constant) and type(index.value) is int:
        if not -len(base.items) <= index.value < len(base.items):
            return reader.raises(IndexError, state)
        return then(base.items[index.value], state)
    if isinstance(base, val.Constant) and isinstance(base.value, dict):
        return looked_up(
            reader, base.value, index, state, then, lambda s: reader.raises(KeyError, s)
        )
    if not isinstance(base, val.Symbol) or base.kind not in ("str", "texts"):
        raise val.NotRead("a subscript")
    function = "python.at" if base.kind == "str" else "python.item"
    return require_kinds(
        reader, [base, index], ("str", "texts"), ("int", "bool"), state,
        lambda args, s: reader.continue_with(val.function_call(function, "str", args[0], val.as_int(args[1])), s, then),
    )  # fmt: skip


def _container(value: Any) -> Any:
    """What may be asked for an item; what is in it is looked at as it is used."""
    if type(value) in (tuple, list) or is_named_tuple(type(value)):
        return value
    return require_keys(value) if type(value) is dict else require_data(value)


def sliced(
    reader: FunctionReader, base: ast.expr, part: ast.Slice, state: State, then: ValueContinuation
) -> Tree:
    """`base[i:j]`, or backwards `base[::-1]`."""
    missing = ast.Constant(None)
    bounds = [part.lower or missing, part.upper or missing]
    backwards = part.step is not None
    if part.step is not None and (ast.unparse(part.step) != "-1" or part.lower or part.upper):
        raise val.NotRead("a slice with steps")

    def slice_values(values: list[val.Value], s: State) -> Tree:
        if all(isinstance(v, val.Constant) for v in values):
            text, low, high = (v.value for v in values if isinstance(v, val.Constant))
            span = slice(low, high, -1 if backwards else None)
            return reader.compute_constant(lambda: require_data(text)[span], s, then)
        if val.as_symbol(values[0]).kind == "texts":
            raise val.NotRead("a slice of a list")
        if backwards:
            return _cut(reader, "reversed", values[:1], s, then)
        return _between(reader, values[0], values[1], values[2], s, then)

    return reader.values([base, *bounds], state, slice_values)


def _between(
    reader: FunctionReader,
    text: val.Value,
    low: val.Value,
    high: val.Value,
    state: State,
    then: ValueContinuation,
) -> Tree:
    """A part of a text; a bound that is None is left out, also one that depends on the row."""

    def from_start(s: State) -> Tree:
        return reader.unless_none(
            high,
            s,
            lambda t: _cut(reader, "from", [text, val.Constant(0)], t, then),
            lambda to, t: _cut(reader, "until", [text, to], t, then),
        )

    def from_place(at: val.Value, s: State) -> Tree:
        return reader.unless_none(
            high,
            s,
            lambda t: _cut(reader, "from", [text, at], t, then),
            lambda to, t: _cut(reader, "slice", [text, at, to], t, then),
        )

    return reader.unless_none(low, state, from_start, from_place)


def _cut(
    reader: FunctionReader,
    function: str,
    values: Sequence[val.Value],
    state: State,
    then: ValueContinuation,
) -> Tree:
    return require_kinds(
        reader, values, ("str",), ("int", "bool"), state,
        lambda args, s: reader.continue_with(
            val.function_call(f"python.{function}", "str", args[0], *map(val.as_int, args[1:])), s, then
        ),
    )  # fmt: skip


def looked_up(
    reader: FunctionReader,
    table: dict[Any, Any],
    key: val.Value,
    state: State,
    then: ValueContinuation,
    missing: Any,
) -> Tree:
    """What a constant dict holds for a key of the row: the keys are compared one by one.

    No two keys of a dict are equal, so the order does not matter.
    """
    require_keys(table)
    if len(table) > MOST_ITEMS:
        raise val.NotRead("a dict of too many items")

    def over(left: list[tuple[Any, Any]], s: State) -> Tree:
        if not left:
            tree: Tree = missing(s)
            return tree
        (wanted, value), rest = left[0], left[1:]

        def decided(v: val.Value, t: State) -> Tree:
            assert isinstance(v, val.Constant)
            return then(val.Constant(value), t) if v.value else over(rest, t)

        return comparisons.equal(reader, key, val.Constant(wanted), s, decided)

    return over(list(table.items()), state)
