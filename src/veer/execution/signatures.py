"""Simulation signatures: what every signal gives on small tables that the store keeps.

Signals that are equal have equal signatures, whatever version they are of; so a stored result that
may serve is found by looking up, and proven only then. The small tables, and what opaque functions
are likely to give, come from the first version that needs them: all later ones use the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from veer.errors import VeerError
from veer.execution.store import Store
from veer.functions.registry import Failure
from veer.interpreter import Program, Run, Signal
from veer.interpreter.opaque import noise, opaque_value
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.digests import json_digest
from veer.ir.json import decode, encode
from veer.ir.sources import tables_read
from veer.refute.instances import Instances
from veer.refute.search import rounded

INSTANCES = 12
SEED = 7
MOST_ROWS = 1_000
MOST_LIKELY = 40  # constants opaque functions may give


def signatures(dataflow: Dataflow, store: Store) -> dict[str, str]:
    """The signature of every signal that can be simulated."""
    stream = Instances((dataflow,), SEED)
    if stream.conflict:
        return {}
    tables = _tables(dataflow, stream, store)
    functions = _functions(dataflow, stream, store)
    program = Program(dataflow, every_signal=True)
    shown: dict[str, list[str]] = {i: [] for i in dataflow.operators}
    for number in range(INSTANCES):
        run = Run({name: rows[number] for name, rows in tables.items()}, functions)
        signals = _run(program, run)
        for id_, seen in shown.items():
            seen.append(json_digest(_bag(signals[id_])) if id_ in signals else "")
    return {
        id_: json_digest([[str(t) for t in dataflow.schemas[id_].types], seen])
        for id_, seen in shown.items()
        if any(seen)
    }


def _run(program: Program, run: Run) -> dict[str, Signal]:
    """What each signal gives on one instance; those that fail or grow too large are left out."""
    signals: dict[str, Signal] = {}
    for id_, inputs, step in program.steps:
        if any(i not in signals for i in inputs):
            continue
        try:
            signal = step([signals[i] for i in inputs], (run,))
        except (Failure, VeerError, RecursionError):
            continue
        if len(signal.rows) <= MOST_ROWS:
            signals[id_] = signal
    return signals


def _bag(signal: Signal) -> list[str]:
    """The rows in an order of their own; doubles rounded, as equal sums may differ in the last bit."""
    return sorted(repr(rounded(row)) for row in signal.rows)


def _tables(
    dataflow: Dataflow, stream: Instances, store: Store
) -> Mapping[str, list[list[tuple[Any, ...]]]]:
    """The instances of every table: those of the store, where there are some."""
    generated: list[Mapping[str, list[tuple[Any, ...]]]] = []
    tables = {}
    for name, source in sorted(tables_read((dataflow,)).items()):
        key = f"table {_table_key(source)}"
        kept = store.pool(key)
        if kept is None:
            generated = generated or [stream.make(number) for number in range(INSTANCES)]
            kept = store.add_pool(key, [encode(tuple(m.get(name, ()))) for m in generated])
        tables[name] = [list(decode(rows)) for rows in kept]
    return tables


def _table_key(source: ops.Source) -> str:
    """By name and types alone: a table keeps its instances, whatever is declared of it later."""
    return json.dumps([source.table, [[f.name, str(f.type)] for f in source.fields]])


def _functions(
    dataflow: Dataflow, stream: Instances, store: Store
) -> dict[str, Callable[..., Any]]:
    """A fixed function for each opaque one of rows, with values that are compared with."""
    functions = {}
    for operator in dataflow.operators.values():
        if not isinstance(operator, ops.RowUdf):
            continue
        key = f"function {operator.identity}"
        kept = store.pool(key)
        if kept is None:
            likely = [v for v in stream.constants if isinstance(v, str | int)][:MOST_LIKELY]
            kept = store.add_pool(key, encode(tuple(likely)))
        functions[operator.identity] = _invented(operator, decode(kept))
    return functions


def _invented(operator: ops.RowUdf, likely: tuple[Any, ...]) -> Callable[..., Any]:
    """A function that gives the same for the same arguments in every process."""

    def function(*args: Any) -> tuple[Any, ...]:
        return tuple(
            opaque_value(noise(operator.identity, n, args), f.type, f.nullable, likely)
            for n, f in enumerate(operator.adds)
        )

    return function


__all__ = ["signatures"]
