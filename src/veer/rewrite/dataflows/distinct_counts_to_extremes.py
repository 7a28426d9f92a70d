"""Groups with one different value, as groups whose least value is their greatest.

    Filter(n = 1) <- Aggregate(a; count(DISTINCT b) AS n) <- t
        =>   Filter(low = high) <- Aggregate(a; min(b) AS low, max(b) AS high) <- t
    Filter(n >= 2) ...   =>   Filter(NOT (low = high)) ...

Sound because nulls count in neither; where there is no other value both are null, and the row goes
either way. Not for floats: 0.0 equals -0.0.
"""

from __future__ import annotations

from collections.abc import Sequence

from veer.ir import expr as ex, ops, types as ty
from veer.ir.conditions import conjunction, conjuncts
from veer.ir.dag import Dataflow
from veer.ir.json import is_alike
from veer.ir.schema import Schema
from veer.rewrite.builder import Builder
from veer.rewrite.columns import column_at
from veer.rewrite.expressions import is_random

EXTREMES = ("min", "max")


def distinct_counts_to_extremes(dataflow: Dataflow) -> Dataflow:
    """The dataflow with no filter that asks whether a group has one different value, or several."""
    builder = Builder(dataflow)
    for id_, operator in dataflow.operators.items():
        if isinstance(operator, ops.Filter):
            _write(builder, id_, operator, dataflow.inputs[id_][0])
    return builder.dataflow()


def _write(builder: Builder, id_: str, asked: ops.Filter, below: str) -> None:
    """Write a filter of groups anew if it asks for the number of different values."""
    groups = builder.old.operators[below]
    if not isinstance(groups, ops.Aggregate):
        return
    schema = builder.old.schemas[below]
    parts = list(conjuncts(asked.predicate))
    values = [_asked_value(part, groups, schema) for part in parts]
    if all(value is None for value in values):
        return
    calls = list(groups.calls)
    ends = [None if v is None else [_place(end, v, calls) for end in EXTREMES] for v in values]
    wider = ops.Aggregate(groups.keys, tuple(calls))
    base = builder.add(f"{below} ends", wider, builder.old.inputs[below])
    top, width = builder.schemas[base], len(groups.keys)
    written = [
        part if places is None else _compared(part, top, [width + i for i in places])
        for part, places in zip(parts, ends, strict=True)
    ]
    kept = builder.add(f"{id_} single", ops.Filter(conjunction(written)), (base,))
    columns = (ex.Named(name, column_at(top, i)) for i, name in enumerate(schema.names))
    builder.put(id_, ops.Project(tuple(columns)), (kept,))


def _place(end: str, value: ex.Expr, calls: list[ops.NamedCall]) -> int:
    """Which call gives the least or greatest value; it is added if none does."""
    call = ex.AggregateCall(end, (value,), value.type)
    for at, named in enumerate(calls):
        if is_alike(named.call, call):
            return at
    calls.append(ops.NamedCall(f"_{end}", call))
    return len(calls) - 1


def _compared(part: ex.Expr, schema: Schema, places: Sequence[int]) -> ex.Expr:
    """Whether the ends are equal, if a condition asks for one value; or not, if for several."""
    low, high = (column_at(schema, i) for i in places)
    equal = ex.Compare("=", low, high)
    return equal if isinstance(part, ex.Compare) and part.op == "=" else ex.Not(equal)


def _asked_value(part: ex.Expr, groups: ops.Aggregate, schema: Schema) -> ex.Expr | None:
    """Of what a condition asks whether a group has one different value, or several."""
    match part:
        case ex.Compare("=", ex.Column() as number, ex.Literal(1)):
            return _counted(number, groups, schema)
        case ex.Compare(">=", ex.Column() as number, ex.Literal(2)):
            return _counted(number, groups, schema)
    return None


def _counted(number: ex.Column, groups: ops.Aggregate, schema: Schema) -> ex.Expr | None:
    """What a column counts the different values of, if they can be compared."""
    at = schema.place(number.name, number.occurrence) - len(groups.keys)
    if at < 0:
        return None
    match groups.calls[at].call:
        case ex.AggregateCall("count", (value,), distinct=True, where=None):
            exact = not ty.has_floats(value.type) and ty.is_orderable(value.type)
            return value if exact and not is_random(value) else None
    return None
