"""Groups with one different value, as groups whose least value is their greatest.

    Filter(n = 1) <- Aggregate(a; count(DISTINCT b) AS n) <- t
        =>   Filter(low = high) <- Aggregate(a; min(b) AS low, max(b) AS high) <- t
    Filter(n >= 2) ...   =>   Filter(NOT (low = high)) ...

Sound because nulls count in neither; where there is no other value both are null, and the row goes
either way. Not for floats, of which 0.0 is as good as -0.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from veer.model.conditions import conjunction, conjuncts
from veer.model.dag import Dataflow
from veer.model.expr import AggregateCall, Column, Compare, Expr, Literal, Named, Not
from veer.model.json import is_alike
from veer.model.ops import Aggregate, AnyOperator, Filter, NamedCall, Project
from veer.model.schema import Schema
from veer.model.types import has_floats, is_orderable
from veer.normalize.expressions import is_random
from veer.normalize.placing.graph import dataflow_of
from veer.normalize.placing.holding import column_at

EXTREMES = ("min", "max")


def single_values(dataflow: Dataflow) -> Dataflow:
    """The dataflow with no filter that asks whether a group has one different value, or several."""
    placing = _Placing(dict(dataflow.operators), dict(dataflow.inputs))
    for id_, operator in dataflow.operators.items():
        below = dataflow.inputs[id_]
        if isinstance(operator, Filter) and isinstance(
            groups := dataflow.operators[below[0]], Aggregate
        ):
            rows = dataflow.schemas[dataflow.inputs[below[0]][0]]
            placing.place(id_, operator, below[0], groups, rows)
    if len(placing.operators) == len(dataflow.operators):
        return dataflow
    return dataflow_of(placing.operators, placing.inputs, dataflow.sinks)


@final
@dataclass(frozen=True)
class _Placing:
    """A dataflow in the making."""

    operators: dict[str, AnyOperator]
    inputs: dict[str, Sequence[str]]

    def place(self, id_: str, asked: Filter, below: str, groups: Aggregate, rows: Schema) -> None:
        """Place a filter anew if it asks for the number of different values."""
        schema = groups.output([rows])
        parts = list(conjuncts(asked.predicate))
        values = [_asked_value(part, groups, schema) for part in parts]
        if all(value is None for value in values):
            return
        calls = list(groups.calls)
        ends = [None if v is None else [_place(end, v, calls) for end in EXTREMES] for v in values]
        wider = Aggregate(groups.keys, tuple(calls))
        top = wider.output([rows])
        written = [
            part if places is None else _compared(part, top, [len(groups.keys) + i for i in places])
            for part, places in zip(parts, ends, strict=True)
        ]
        base = self._add(f"{below} ends", wider, self.inputs[below])
        kept = self._add(f"{id_} single", Filter(conjunction(written)), (base,))
        columns = (Named(name, column_at(top, i)) for i, name in enumerate(schema.names))
        self.operators[id_], self.inputs[id_] = Project(tuple(columns)), (kept,)

    def _add(self, id_: str, operator: AnyOperator, inputs: Sequence[str]) -> str:
        while id_ in self.operators:
            id_ += "'"
        self.operators[id_], self.inputs[id_] = operator, inputs
        return id_


def _place(end: str, value: Expr, calls: list[NamedCall]) -> int:
    """Which call gives the least or greatest value; it is added if none does."""
    call = AggregateCall(end, (value,), value.type)
    for at, named in enumerate(calls):
        if is_alike(named.call, call):
            return at
    calls.append(NamedCall(f"_{end}", call))
    return len(calls) - 1


def _compared(part: Expr, schema: Schema, places: Sequence[int]) -> Expr:
    """Whether the ends are equal, if a condition asks for one value; or not, if for several."""
    low, high = (column_at(schema, i) for i in places)
    equal = Compare("=", low, high)
    return equal if isinstance(part, Compare) and part.op == "=" else Not(equal)


def _asked_value(part: Expr, groups: Aggregate, schema: Schema) -> Expr | None:
    """Of what a condition asks whether a group has one different value, or several."""
    match part:
        case Compare("=", Column() as number, Literal(1)):
            return _counted(number, groups, schema)
        case Compare(">=", Column() as number, Literal(2)):
            return _counted(number, groups, schema)
    return None


def _counted(number: Column, groups: Aggregate, schema: Schema) -> Expr | None:
    """What a column counts the different values of, if they can be compared."""
    at = schema.place(number.name, number.occurrence) - len(groups.keys)
    if at < 0:
        return None
    match groups.calls[at].call:
        case AggregateCall("count", (value,), distinct=True, where=None):
            exact = not has_floats(value.type) and is_orderable(value.type)
            return value if exact and not is_random(value) else None
    return None
