"""Window functions over whole partitions as groups that are joined to their rows.

    Over(sum(x) OVER (PARTITION BY a) AS s) <- t
        =>   Project(t.*, s) <- Join inner (a = a) <- t, Aggregate(a; sum(x) AS s) <- t

Sound because every row is of one group, which has all rows of its partition; a key that may be null is
compared by `<=>`. Without a partition there is one row for all. What makes a choice is not read twice;
floats are left alone, of which a group shows 0.0 for -0.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

from veer.analysis.call_kinds import call_kind
from veer.analysis.determinism import resting_on
from veer.functions.registry import AGGREGATE, Kind
from veer.model.conditions import conjunction
from veer.model.dag import Dataflow
from veer.model.expr import WHOLE, AggregateCall, Compare, Expr, Named, OverCall
from veer.model.nullability import is_nullable
from veer.model.ops import (
    Aggregate,
    AnyOperator,
    GlobalAggregate,
    Join,
    NamedCall,
    Over,
    Project,
)
from veer.model.schema import Schema
from veer.model.types import has_floats
from veer.model.walk import exprs_in, substitute_columns
from veer.normalize.expressions import is_random
from veer.normalize.placing.conditions import has_query
from veer.normalize.placing.graph import dataflow_of
from veer.normalize.placing.holding import column_at
from veer.normalize.present_columns import present_columns


def partition_totals(dataflow: Dataflow) -> Dataflow:
    """The dataflow with groups in place of window functions over whole partitions."""
    choosing = resting_on(dataflow, Kind.CHOICE, Kind.PARTITION)
    placing = _Placing(dataflow)
    for id_, operator in dataflow.operators.items():
        (*_, rows) = ("", *dataflow.inputs[id_])
        if isinstance(operator, Over) and rows not in choosing:
            placing.place(id_, operator, rows)
    if len(placing.operators) == len(dataflow.operators):
        return dataflow
    return dataflow_of(placing.operators, placing.inputs, dataflow.sinks)


def group_call(call: OverCall) -> AggregateCall | None:
    """The call over a group that a window function over a whole partition is; None for others."""
    if call.frame != WHOLE or call.order or call.function not in AGGREGATE or call.ignore_nulls:
        return None
    exprs = list(exprs_in(call))
    if any(is_random(e) or has_query(e) for e in exprs):
        return None
    if any(has_floats(e.type) for e in call.partition):
        return None
    over_group = AggregateCall(call.function, call.args, call.type, where=call.where)
    return over_group if call_kind(over_group) is Kind.PURE else None


@final
@dataclass
class _Placing:
    """A dataflow in the making."""

    old: Dataflow
    operators: dict[str, AnyOperator] = field(init=False)
    inputs: dict[str, Sequence[str]] = field(init=False)
    present: dict[str, Schema] = field(default_factory=dict)  # as far as asked for

    def __post_init__(self) -> None:
        self.operators, self.inputs = dict(self.old.operators), dict(self.old.inputs)

    def place(self, id_: str, over: Over, rows: str) -> None:
        """Place groups in place of those window functions of an operator that are of partitions."""
        partitions: dict[tuple[Expr, ...], dict[int, AggregateCall]] = {}
        for at, named in enumerate(over.calls):
            call = group_call(named.call)
            if call is not None:
                partitions.setdefault(named.call.partition, {})[at] = call
        if not partitions:
            return
        grouped = {at for calls in partitions.values() for at in calls}
        left = [at for at in range(len(over.calls)) if at not in grouped]
        schema = self.old.schemas[rows]
        width = len(schema)
        base, top = rows, schema
        if left:
            remaining = Over(tuple(over.calls[at] for at in left))
            base, top = self._add(f"{id_} ordered", remaining, (rows,)), remaining.output([schema])
        shown = {at: width + place for place, at in enumerate(left)}
        for keys, calls in partitions.items():
            base, top = self._join(id_, (rows, base), top, keys, calls, over, shown)
        columns = [column_at(top, i) for i in range(width)]
        columns += [column_at(top, shown[at]) for at in range(len(over.calls))]
        names = self.old.schemas[id_].names
        self.operators[id_] = Project(tuple(map(Named, names, columns)))
        self.inputs[id_] = (base,)

    def _join(
        self,
        id_: str,
        signals: tuple[str, str],
        top: Schema,
        keys: tuple[Expr, ...],
        calls: dict[int, AggregateCall],
        over: Over,
        shown: dict[int, int],
    ) -> tuple[str, Schema]:
        """Join the groups of a partition; the joined rows, and where calls stand is noted."""
        rows, base = signals
        schema = self.old.schemas[rows]
        named = tuple(NamedCall(over.calls[at].name, call) for at, call in calls.items())
        by = tuple(Named(f"_key{i}", key) for i, key in enumerate(keys))
        groups = Aggregate(by, named) if by else GlobalAggregate(named)
        under = self._add(f"{id_} groups", groups, (rows,))
        both = top + groups.output([schema])
        for place, at in enumerate(calls):
            shown[at] = len(top) + len(by) + place
        conditions = []
        for i, key in enumerate(keys):
            ours = substitute_columns(
                key, lambda c: column_at(top, schema.place(c.name, c.occurrence))
            )
            can_be_null = is_nullable(key, present_columns(self.old, rows, self.present))
            op = "<=>" if can_be_null else "="
            conditions.append(Compare(op, ours, column_at(both, len(top) + i)))
        join = Join("inner", conjunction(conditions)) if keys else Join("cross", None)
        return self._add(f"{id_} with groups", join, (base, under)), both

    def _add(self, id_: str, operator: AnyOperator, inputs: Sequence[str]) -> str:
        while id_ in self.operators:
            id_ += "'"
        self.operators[id_], self.inputs[id_] = operator, inputs
        return id_
