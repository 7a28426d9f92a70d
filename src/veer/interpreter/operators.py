"""Each operator as a function from input signals to an output signal.

This is what the operators mean: witnesses are replayed here and proofs simulated, so each follows what
Spark does with nulls, duplicates and empty inputs. Where Spark may choose, rows are taken in the order
in which they come; who needs every choice runs with `Choices`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from veer.errors import InputError
from veer.interpreter.expressions import Environment, Row, compile_expr, compile_query
from veer.interpreter.grouping import (
    compile_aggregate,
    compile_deduplicate,
    compile_global_aggregate,
    compile_multiset,
)
from veer.interpreter.joins import compile_join
from veer.interpreter.opaque import compile_row_udf, compile_table_udf, noise
from veer.interpreter.ordering import compile_sort
from veer.interpreter.over import compile_over
from veer.interpreter.steps import Outer, Signal, Step
from veer.ir import ops
from veer.ir.schema import Schema
from veer.ir.types import MapType


def compile_operator(operator: ops.AnyOperator, inputs: Sequence[Schema], outer: Outer) -> Step:
    """The operator as a step over inputs of these schemas, inside rows of the `outer` ones."""
    match operator:
        case ops.Source():
            return _source(operator)
        case ops.Values():
            return _values(operator)
        case ops.Filter():
            return _filter(operator, inputs, outer)
        case ops.Project():
            return _project(operator, inputs, outer)
        case ops.Join():
            return compile_join(operator, inputs, outer)
        case ops.Aggregate():
            return compile_aggregate(operator, inputs, outer)
        case ops.GlobalAggregate():
            return compile_global_aggregate(operator, inputs, outer)
        case ops.Union():
            return lambda signals, env: Signal([row for s in signals for row in s.rows])
        case ops.IntersectAll():
            return compile_multiset(inputs[0].types, min)
        case ops.ExceptAll():
            return compile_multiset(inputs[0].types, lambda a, b: max(a - b, 0))
        case ops.Deduplicate():
            return compile_deduplicate(operator, inputs)
        case ops.Sort():
            return compile_sort(operator, inputs, outer)
        case ops.Limit():
            return _limit(operator)
        case ops.Over():
            return compile_over(operator, inputs, outer)
        case ops.Unnest():
            return _unnest(operator, inputs, outer)
        case ops.Lateral():
            return _lateral(operator, inputs, outer)
        case ops.Sample():
            return _sample(operator)
        case ops.RowUdf():
            return compile_row_udf(operator, inputs)
        case ops.TableUdf():
            return compile_table_udf(operator, inputs)
        case ops.Sink():
            return _sink(operator, inputs)
        case _:
            assert_never(operator)


def _source(operator: ops.Source) -> Step:
    table = operator.table

    def step(_: list[Signal], env: Environment) -> Signal:
        rows = env[0].tables.get(table)
        if rows is None:
            raise InputError(f"no rows given for table {table!r}")
        return Signal(list(rows))

    return step


def _values(operator: ops.Values) -> Step:
    rows = list(operator.rows)
    return lambda _, env: Signal(rows)


def _filter(operator: ops.Filter, inputs: Sequence[Schema], outer: Outer) -> Step:
    test = compile_expr(operator.predicate, (inputs[0], *outer))

    def step(signals: list[Signal], env: Environment) -> Signal:
        (signal,) = signals
        # Not null either: a row stays only if the condition is true.
        return signal.pick([i for i, row in enumerate(signal.rows) if test(row, env) is True])

    return step


def _project(operator: ops.Project, inputs: Sequence[Schema], outer: Outer) -> Step:
    columns = [compile_expr(named.expr, (inputs[0], *outer)) for named in operator.columns]

    def step(signals: list[Signal], env: Environment) -> Signal:
        (signal,) = signals
        rows = [tuple([c(row, env) for c in columns]) for row in signal.rows]
        return Signal(rows, signal.peers)

    return step


def _limit(operator: ops.Limit) -> Step:
    start = operator.offset
    end = None if operator.count is None else start + operator.count

    def step(signals: list[Signal], env: Environment) -> Signal:
        (signal,) = signals
        return signal.pick(range(len(signal.rows))[start:end])

    return step


def _unnest(operator: ops.Unnest, inputs: Sequence[Schema], outer: Outer) -> Step:
    generator = compile_expr(operator.generator, (inputs[0], *outer))
    width = len(operator.names)
    is_map = isinstance(operator.generator.type, MapType)
    fields = width - operator.position

    def element(value: Any) -> Row:
        if is_map:
            return tuple(value)
        if operator.inline:
            return (None,) * fields if value is None else tuple(value)
        return (value,)

    def step(signals: list[Signal], env: Environment) -> Signal:
        out: list[Row] = []
        for row in signals[0].rows:
            items = generator(row, env) or ()  # null has no elements, like an empty array
            for place, item in enumerate(items):
                out.append(row + ((place,) if operator.position else ()) + element(item))
            if not items and operator.outer:
                out.append(row + (None,) * width)
        return Signal(out)

    return step


def _lateral(operator: ops.Lateral, inputs: Sequence[Schema], outer: Outer) -> Step:
    rows_of = compile_query(operator.query, (inputs[0], *outer))
    nulls = (None,) * len(operator.query.result_schema)

    def step(signals: list[Signal], env: Environment) -> Signal:
        out: list[Row] = []
        for row in signals[0].rows:
            partners = rows_of(row, env)
            out += [row + other for other in partners]
            if not partners and operator.outer:
                out.append(row + nulls)
        return Signal(out)

    return step


def _sample(operator: ops.Sample) -> Step:
    """Some rows, by their numbers: one of the draws Spark may make, for what need not be repeated."""
    share = operator.fraction

    def step(signals: list[Signal], env: Environment) -> Signal:
        rows = signals[0].rows
        chosen = [noise(operator.seed, i) % 1000 < share * 1000 for i in range(len(rows))]
        return Signal([row for row, keep in zip(rows, chosen, strict=True) if keep])

    return step


def _sink(operator: ops.Sink, inputs: Sequence[Schema]) -> Step:
    if not operator.columns:
        return lambda signals, env: signals[0]
    places = [inputs[0].place(c.name, c.occurrence) for c in operator.columns]

    def step(signals: list[Signal], env: Environment) -> Signal:
        rows = [tuple(row[p] for p in places) for row in signals[0].rows]
        return Signal(rows, signals[0].peers)

    return step
