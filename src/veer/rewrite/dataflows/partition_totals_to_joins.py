"""Window functions over whole partitions as groups that are joined to their rows.

    Over(sum(x) OVER (PARTITION BY a) AS s) <- t
        =>   Project(t.*, s) <- Join inner (a = a) <- t, Aggregate(a; sum(x) AS s) <- t

Sound because every row is of one group, which has all rows of its partition; a key that may be null is
compared by `<=>`. Without a partition there is one row for all. What makes a choice is not read twice;
floats are left alone: a group shows 0.0 for -0.0.
"""

from __future__ import annotations

from veer.facts.call_kinds import call_kind
from veer.facts.determinism import resting_on
from veer.functions.registry import AGGREGATE, Kind
from veer.ir import expr as ex, ops
from veer.ir.conditions import conjunction
from veer.ir.dag import Dataflow
from veer.ir.nullability import is_nullable
from veer.ir.schema import Schema
from veer.ir.types import has_floats
from veer.ir.walk import exprs_in
from veer.rewrite.builder import Builder
from veer.rewrite.columns import by_place, column_at
from veer.rewrite.dataflows.implied_predicates import has_query, refined_schema
from veer.rewrite.expressions import is_random


def partition_totals_to_joins(dataflow: Dataflow) -> Dataflow:
    """The dataflow with groups in place of window functions over whole partitions."""
    choosing = resting_on(dataflow, Kind.CHOICE, Kind.PARTITION)
    builder, present = Builder(dataflow), dict[str, Schema]()
    for id_, operator in dataflow.operators.items():
        if isinstance(operator, ops.Over) and dataflow.inputs[id_][0] not in choosing:
            _write(builder, id_, operator, present)
    return builder.dataflow()


def group_call(call: ex.OverCall) -> ex.AggregateCall | None:
    """The call over a group that a window function over a whole partition is; None for others."""
    if call.frame != ex.WHOLE or call.order or call.function not in AGGREGATE or call.ignore_nulls:
        return None
    exprs = list(exprs_in(call))
    if any(is_random(e) or has_query(e) for e in exprs):
        return None
    if any(has_floats(e.type) for e in call.partition):
        return None
    over_group = ex.AggregateCall(call.function, call.args, call.type, where=call.where)
    return over_group if call_kind(over_group) is Kind.PURE else None


def _write(builder: Builder, id_: str, over: ops.Over, present: dict[str, Schema]) -> None:
    """Write groups in place of those window functions of an operator that are of partitions."""
    partitions: dict[tuple[ex.Expr, ...], dict[int, ex.AggregateCall]] = {}
    for at, named in enumerate(over.calls):
        call = group_call(named.call)
        if call is not None:
            partitions.setdefault(named.call.partition, {})[at] = call
    if not partitions:
        return
    grouped = {at for calls in partitions.values() for at in calls}
    left = [at for at in range(len(over.calls)) if at not in grouped]
    (rows,) = builder.old.inputs[id_]
    width, base = len(builder.old.schemas[rows]), rows
    if left:
        base = builder.add(
            f"{id_} ordered", ops.Over(tuple(over.calls[at] for at in left)), (rows,)
        )
    shown = {at: width + place for place, at in enumerate(left)}
    for keys, calls in partitions.items():
        named_calls = tuple(ops.NamedCall(over.calls[at].name, call) for at, call in calls.items())
        first = len(builder.schemas[base]) + len(keys)
        shown |= {at: first + place for place, at in enumerate(calls)}
        base = _joined(builder, id_, (rows, base), keys, named_calls, present)
    top = builder.schemas[base]
    places = [*range(width), *(shown[at] for at in range(len(over.calls)))]
    names = builder.old.schemas[id_].names
    columns = (ex.Named(n, column_at(top, i)) for n, i in zip(names, places, strict=True))
    builder.put(id_, ops.Project(tuple(columns)), (base,))


def _joined(
    builder: Builder,
    id_: str,
    signals: tuple[str, str],
    keys: tuple[ex.Expr, ...],
    calls: tuple[ops.NamedCall, ...],
    present: dict[str, Schema],
) -> str:
    """Rows joined with the groups of their partition."""
    rows, base = signals
    schema, top = builder.old.schemas[rows], builder.schemas[base]
    by = tuple(ex.Named(f"_key{i}", key) for i, key in enumerate(keys))
    groups = ops.Aggregate(by, calls) if by else ops.GlobalAggregate(calls)
    under = builder.add(f"{id_} groups", groups, (rows,))
    both = top + builder.schemas[under]
    conditions = []
    for i, key in enumerate(keys):
        ours = by_place(key, schema, lambda at: column_at(top, at))
        can_be_null = is_nullable(key, refined_schema(builder.old, rows, present))
        op = "<=>" if can_be_null else "="
        conditions.append(ex.Compare(op, ours, column_at(both, len(top) + i)))
    join = (
        ops.Join(ops.JoinKind.INNER, conjunction(conditions))
        if keys
        else ops.Join(ops.JoinKind.CROSS, None)
    )
    return builder.add(f"{id_} with groups", join, (base, under))
