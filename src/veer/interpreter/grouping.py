"""Operators that put equal rows together: groups, duplicates, copies in two inputs.

Null equals null there, and 0.0 equals -0.0; where one of two zeros is shown, it is 0.0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from veer.functions.ordering import group_key, unsigned_zero
from veer.functions.registry import aggregate_function
from veer.interpreter.expressions import Environment, Row, compile_expr
from veer.interpreter.steps import Outer, Signal, Step
from veer.ir import ops
from veer.ir.expr import AggregateCall
from veer.ir.schema import Schema
from veer.ir.types import DataType


def compile_call(
    call: AggregateCall, inputs: Sequence[Schema], outer: Outer
) -> Callable[[list[Row], Environment], Any]:
    """An aggregate call as a function of the rows of a group."""
    schemas = (inputs[0], *outer)
    args = [compile_expr(a, schemas) for a in call.args]
    where = None if call.where is None else compile_expr(call.where, schemas)
    types = tuple(a.type for a in call.args)
    meaning = aggregate_function(call.function).meaning(types, call.type)
    keys = [group_key(t) for t in types]

    def value(rows: list[Row], env: Environment) -> Any:
        if where is not None:
            rows = [row for row in rows if where(row, env) is True]
        values = [tuple([a(row, env) for a in args]) for row in rows]
        if call.distinct:
            # The first of equal ones: 0.0 and -0.0 are one value, and the rest goes.
            values = list(
                {
                    tuple(k(v) for k, v in zip(keys, value, strict=True)): value
                    for value in reversed(values)
                }.values()
            )[::-1]
        return meaning(values)

    return value


def compile_aggregate(operator: ops.Aggregate, inputs: Sequence[Schema], outer: Outer) -> Step:
    """One row for each group, in the order in which groups begin."""
    keys = [compile_expr(k.expr, (inputs[0], *outer)) for k in operator.keys]
    by = [group_key(k.expr.type) for k in operator.keys]
    clean = [unsigned_zero(k.expr.type) for k in operator.keys]
    calls = [compile_call(named.call, inputs, outer) for named in operator.calls]

    def step(signals: list[Signal], env: Environment) -> Signal:
        groups: dict[Any, tuple[Row, list[Row]]] = {}
        for row in signals[0].rows:
            values = tuple([k(row, env) for k in keys])
            name = tuple([b(v) for b, v in zip(by, values, strict=True)])
            if name not in groups:
                shown = tuple(c(v) for c, v in zip(clean, values, strict=True))
                groups[name] = (shown, [])
            groups[name][1].append(row)
        out = [
            shown + tuple([call(rows, env) for call in calls]) for shown, rows in groups.values()
        ]
        return Signal(out)

    return step


def compile_global_aggregate(
    operator: ops.GlobalAggregate, inputs: Sequence[Schema], outer: Outer
) -> Step:
    """One row for all rows, even for none."""
    calls = [compile_call(named.call, inputs, outer) for named in operator.calls]

    def step(signals: list[Signal], env: Environment) -> Signal:
        return Signal([tuple([call(signals[0].rows, env) for call in calls])])

    return step


def compile_deduplicate(operator: ops.Deduplicate, inputs: Sequence[Schema]) -> Step:
    """The first row of each group."""
    places = [inputs[0].place(c.name, c.occurrence) for c in operator.keys]
    by = [group_key(c.type) for c in operator.keys]
    clean = [(p, unsigned_zero(c.type)) for p, c in zip(places, operator.keys, strict=True)]

    def step(signals: list[Signal], env: Environment) -> Signal:
        first: dict[Any, Row] = {}
        for row in signals[0].rows:
            first.setdefault(tuple(b(row[p]) for b, p in zip(by, places, strict=True)), row)
        return Signal([shown(row) for row in first.values()])

    def shown(row: Row) -> Row:
        """Keys are shown as groups show them: 0.0 for -0.0."""
        values = list(row)
        for place, change in clean:
            values[place] = change(row[place])
        return tuple(values)

    return step


def compile_multiset(types: Sequence[DataType], combine: Callable[[int, int], int]) -> Step:
    """Each row as often as `combine` says for its numbers of copies in the two inputs."""
    keys = [group_key(t) for t in types]
    clean = [unsigned_zero(t) for t in types]

    def name(row: Row) -> Any:
        return tuple(k(v) for k, v in zip(keys, row, strict=True))

    def step(signals: list[Signal], env: Environment) -> Signal:
        left, right = (Counter(map(name, s.rows)) for s in signals)
        shown = {name(row): row for row in reversed(signals[0].rows)}
        out: list[Row] = []
        for key, row in shown.items():
            unsigned = tuple(c(v) for c, v in zip(clean, row, strict=True))
            out += [unsigned] * combine(left[key], right[key])
        return Signal(out)

    return step
