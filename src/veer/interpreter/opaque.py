"""Opaque functions for the interpreter: a fixed pseudo-random function per identity.

The value depends only on identity and arguments, and comes from a small set, so that different
arguments sometimes give equal values, and null sometimes comes out.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from veer.errors import UnsupportedError
from veer.functions.arithmetic import fit_decimal
from veer.interpreter.expressions import Environment, Row
from veer.interpreter.steps import Signal, Step
from veer.ir import ops, types as ty
from veer.ir.schema import Schema

WORDS = ("", "a", "b", "zz")


def noise(*parts: Any) -> int:
    """A number that depends on nothing but the parts, the same in every process."""
    return zlib.crc32(repr(parts).encode("utf-8", "surrogatepass"))


def opaque_value(
    seed: int, type_: ty.DataType, nullable: bool = True, likely: Sequence[Any] = ()
) -> Any:
    """A value of the type picked by the seed, often a likely one: what the result is compared with."""
    if nullable and seed % 7 == 0:
        return None
    pick = seed // 7
    wanted = str if type_ == ty.STRING else int if type_ in (ty.INT, ty.LONG) else None
    fitting = [v for v in likely if type(v) is wanted]
    if fitting and pick % 2:
        return fitting[pick // 2 % len(fitting)]
    match type_:
        case ty.NullType():
            return None
        case ty.BooleanType():
            return pick % 2 == 0
        case ty.IntegralType():
            return pick % 5 - 1
        case ty.DecimalType():
            unit = Decimal(1).scaleb(-type_.scale)
            return fit_decimal((pick % 5 - 1) * unit, type_)
        case ty.NumericType():
            return float(pick % 5) - 1.0
        case ty.StringType():
            return WORDS[pick % len(WORDS)]
        case ty.BinaryType():
            return WORDS[pick % len(WORDS)].encode()
        case ty.DateType():
            return date(2000, 1, 1) + timedelta(days=pick % 5)
        case ty.TimestampType() | ty.TimestampNtzType():
            return datetime(2000, 1, 1) + timedelta(hours=pick % 5)
        case ty.ArrayType(element):
            return tuple(opaque_value(noise(seed, i), element) for i in range(pick % 3))
        case ty.StructType(fields):
            return tuple(opaque_value(noise(seed, i), t) for i, (_, t) in enumerate(fields))
        case ty.MapType(key, value):
            return ((opaque_value(noise(seed), key, False), opaque_value(noise(seed, 1), value)),)
        case _:
            raise UnsupportedError(f"no opaque values of type {type_}")


# -- functions of users: as supplied to the run, else a fixed pseudo-random function of their input


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
