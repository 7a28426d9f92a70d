"""How many rows a signal has at most, on any data that keeps what is declared of it.

An upper bound: one too large is weak, never wrong, so infinity stands wherever nothing is shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import assert_never

from veer.facts.keys import constants_where, uniqueness
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.expr import AggregateCall
from veer.ir.types import LONG


def most_rows(dataflow: Dataflow, id_: str) -> float:
    """How many rows an operator gives at most; infinity if nothing says. Kept with the dataflow."""
    return dataflow.cached("most rows", lambda: _most_rows(dataflow))[id_]


def _most_rows(dataflow: Dataflow) -> dict[str, float]:
    most: dict[str, float] = {}
    for id_ in dataflow.order:
        most[id_] = _most_rows_above(dataflow, id_, [most[i] for i in dataflow.inputs[id_]])
    return most


def _most_rows_above(dataflow: Dataflow, id_: str, below: Sequence[float]) -> float:
    operator = dataflow.operators[id_]
    match operator:
        case ops.Values(_, rows):
            return len(rows)
        case ops.GlobalAggregate():
            return 1
        case ops.Filter(predicate):
            (source,) = dataflow.inputs[id_]
            constants = constants_where(predicate, dataflow.schemas[id_])
            # No two rows agree on a key all of whose columns the condition fixes.
            is_one = uniqueness(dataflow, source).tells_apart(constants)
            return min(1, below[0]) if is_one else below[0]
        case ops.Limit(int() as count):
            return min(count, below[0])
        case ops.Limit() | ops.Project() | ops.Sort() | ops.Over() | ops.RowUdf():
            return below[0]
        case (
            ops.Aggregate()
            | ops.Deduplicate()
            | ops.Sink()
            | ops.Join(kind=ops.JoinKind.SEMI | ops.JoinKind.ANTI)
        ):
            return below[0]  # no group without a row
        case ops.Union():
            return sum(below)
        case ops.Join(kind=ops.JoinKind.INNER | ops.JoinKind.CROSS):
            return 0 if 0 in below else below[0] * below[1]  # 0 * inf would be NaN
        case (
            ops.Source()
            | ops.IntersectAll()
            | ops.ExceptAll()
            | ops.Unnest()
            | ops.Lateral()
            | ops.Sample()
            | ops.TableUdf()
            | ops.Join()
        ):
            return math.inf
        case _:
            assert_never(operator)


def counts_of_rows(aggregate: ops.Aggregate) -> set[int]:
    """The columns that are the number of rows of a group, of which each has one at least."""
    return {
        len(aggregate.keys) + i
        for i, named in enumerate(aggregate.calls)
        if named.call == AggregateCall("count", (), LONG)
    }
