"""Functions of users: as supplied to the run, else a fixed pseudo-random function of their input."""

from __future__ import annotations

from collections.abc import Sequence

from veer.interpreter.expressions import Environment, Row
from veer.interpreter.opaque import noise, opaque_value
from veer.interpreter.steps import Signal, Step
from veer.ir import ops
from veer.ir.schema import Schema


def compile_row_udf(operator: ops.RowUdf, inputs: Sequence[Schema]) -> Step:
    """Each row with the columns that the function gives for it."""
    places = [inputs[0].place(c.name, c.occurrence) for c in operator.reads]

    def added(args: Row, env: Environment) -> Row:
        supplied = env[0].functions.get(operator.identity)
        if supplied is not None:
            value = supplied(*args)
            return tuple(value) if isinstance(value, tuple | list) else (value,)
        return tuple(
            opaque_value(noise(operator.identity, n, args), f.type, f.nullable, env[0].likely)
            for n, f in enumerate(operator.adds)
        )

    def step(signals: list[Signal], env: Environment) -> Signal:
        (signal,) = signals
        rows = [row + added(tuple(row[p] for p in places), env) for row in signal.rows]
        return Signal(rows)

    return step


def compile_table_udf(operator: ops.TableUdf, inputs: Sequence[Schema]) -> Step:
    """Without a supplied function: one row per input row, hashed with its whole group."""
    places = [inputs[0].place(c.name, c.occurrence) for c in operator.keys]

    def invented(tables: list[list[Row]], layers: Sequence[int] = ()) -> list[Row]:
        """Any row depends on all rows, and on their order as far as there is one."""
        shown = [repr(row) for rows in tables for row in rows]
        whole = sorted(zip(layers, shown, strict=True)) if layers else sorted(shown)
        return [
            tuple(
                opaque_value(noise(operator.identity, n, whole, row), f.type, f.nullable)
                for n, f in enumerate(operator.fields)
            )
            for row in (r for rows in tables for r in rows)
        ]

    def step(signals: list[Signal], env: Environment) -> Signal:
        supplied = env[0].functions.get(operator.identity)
        function = invented if supplied is None else supplied
        tables = [s.rows for s in signals]
        if supplied is None and operator.scope == "table" and len(signals) == 1:
            return Signal(invented(tables, signals[0].peers or ()))
        if operator.scope != "group":
            return Signal([tuple(r) for r in function(tables)])
        groups: dict[Row, list[Row]] = {}
        for row in tables[0]:
            groups.setdefault(tuple(row[p] for p in places), []).append(row)
        return Signal([tuple(r) for rows in groups.values() for r in function([rows])])

    return step
