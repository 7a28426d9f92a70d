"""Orders: the places of rows under sort keys, and which rows are tied."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from veer.functions.ordering import sort_key
from veer.interpreter.expressions import Environment, Row, compile_expr
from veer.interpreter.steps import Outer, Signal, Step
from veer.ir.expr import SortKey
from veer.ir.ops import Sort
from veer.ir.schema import Schema


def compile_order(
    keys: Sequence[SortKey], schemas: tuple[Schema, ...]
) -> Callable[[list[Row], Environment], tuple[list[int], list[int]]]:
    """A function giving the places of the rows in order, and the layer of each."""
    compiled = [(compile_expr(k.expr, schemas), sort_key(k.expr.type), k) for k in keys]

    def arrange(rows: list[Row], env: Environment) -> tuple[list[int], list[int]]:
        columns = [[value(row, env) for row in rows] for value, _, _ in compiled]
        places = list(range(len(rows)))
        # Stable sorts by the last key first. Nulls stand apart: no value is compared with them.
        for column, (_, key, spec) in reversed(list(zip(columns, compiled, strict=True))):
            present = [i for i in places if column[i] is not None]
            nulls = [i for i in places if column[i] is None]
            present.sort(key=lambda i: key(column[i]), reverse=not spec.ascending)
            places = nulls + present if spec.nulls_first else present + nulls
        names = [
            tuple(
                None if column[i] is None else key(column[i])
                for column, (_, key, _) in zip(columns, compiled, strict=True)
            )
            for i in places
        ]
        layers, layer = [], -1
        for n, name in enumerate(names):
            if n == 0 or name != names[n - 1]:
                layer += 1
            layers.append(layer)
        return places, layers

    return arrange


def compile_sort(operator: Sort, inputs: Sequence[Schema], outer: Outer) -> Step:
    """The rows in order; those tied under all keys are peers."""
    arrange = compile_order(operator.keys, (inputs[0], *outer))

    def step(signals: list[Signal], env: Environment) -> Signal:
        rows = signals[0].rows
        places, layers = arrange(rows, env)
        return Signal([rows[i] for i in places], layers)

    return step
