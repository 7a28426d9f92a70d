"""Running both versions on a witness again, with the table of every operator to be seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from veer.errors import InputError
from veer.functions.registry import Failure
from veer.interpreter import Program, Result, Run, Signal
from veer.interpreter.compare import row_key
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema
from veer.ir.types import DataType
from veer.refute import search
from veer.refute.instances import Tables, constants

Signals: TypeAlias = Mapping[str, Signal]  # by operator


def signals_on(refutation: search.Refutation, tables: Tables) -> tuple[Signals, Signals] | None:
    """What every operator of P and of Q gives on an instance; None where a run fails."""
    refutation = search.calling_nothing_unknown(refutation)
    try:
        return _signals(refutation.p, refutation, tables), _signals(
            refutation.q, refutation, tables
        )
    except (Failure, InputError, RecursionError, search.NotKnown):
        return None


def _signals(dataflow: Dataflow, refutation: search.Refutation, tables: Tables) -> Signals:
    likely = constants((refutation.p, refutation.q))
    run = Run(tables, refutation.functions, likely=likely)
    return Program(dataflow, every_signal=True).evaluate((run,))


def same_rows(
    refutation: search.Refutation,
    ours: tuple[Schema, Signal],
    theirs: tuple[Schema, Signal],
    columns: Sequence[tuple[int, int]],
) -> bool:
    """Whether two tables hold the same rows in some columns, in the sense of the comparison."""
    return refutation.same(
        search.projected(_result(*ours), [i for i, _ in columns]),
        search.projected(_result(*theirs), [j for _, j in columns]),
    )


def rows_alone(
    ours: tuple[Schema, Signal], theirs: tuple[Schema, Signal], columns: Sequence[tuple[int, int]]
) -> tuple[list[int], list[int]]:
    """The rows that only one of two tables has in some columns, or more often, as numbers."""
    left = search.projected(_result(*ours), [i for i, _ in columns])
    right = search.projected(_result(*theirs), [j for _, j in columns])
    keys, others = (_keys(each, left.types) for each in (left, right))
    return _missing(keys, others), _missing(others, keys)


def _keys(result: Result, types: Sequence[DataType]) -> list[Any]:
    """Keys of rows that are equal up to rounding and the sign of zero."""
    key = row_key(types)
    return [key(tuple(map(search.rounded, row))) for row in result.rows]


def _missing(keys: Sequence[Any], others: Sequence[Any]) -> list[int]:
    """The places of keys that are not among others, as often."""
    left = Counter(others)
    missing = []
    for i, key in enumerate(keys):
        if left[key] > 0:
            left[key] -= 1
        else:
            missing.append(i)
    return missing


def _result(schema: Schema, signal: Signal) -> Result:
    return Result(schema.names, schema.types, signal.rows, signal.peers)
