"""The first row of each partition in an order without ties, as a group.

    Filter(n = 1) <- Over(row_number() OVER (PARTITION BY a ORDER BY k DESC) AS n) <- t, k a key
        =>   Aggregate(a; max_by(b, k) AS b, max(k) AS k) <- t

Sound because each partition has one row that is first, and one group. What is computed over the whole
partition too is computed over the group. Where rows tie, nothing may be read of them but what they
agree on (`argmax`). Floats are left alone: a group shows 0.0 for -0.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import final

from veer.ir import expr as ex, ops
from veer.ir.conditions import conjunction, conjuncts
from veer.ir.json import is_alike
from veer.ir.types import INT
from veer.ir.walk import columns_read, replace_down
from veer.rewrite.dataflows.partition_totals_to_joins import group_call
from veer.rewrite.operators.argmax import FirstRow, first_row
from veer.rewrite.operators.merge_aggregate_calls import place_of_call
from veer.rewrite.plain_calls import Spelling
from veer.rewrite.rewriting import Rewriting, View


def first_row_to_group(
    rewriting: Rewriting, id_: str, operator: ops.AnyOperator, below: Sequence[View]
) -> View | None:
    """A filter that keeps the first row of each partition, perhaps if that meets a condition."""
    if not isinstance(operator, ops.Filter):
        return None
    (view,) = below
    over = rewriting.operators[view.base]
    if not isinstance(over, ops.Over):
        return None
    predicate = list(conjuncts(rewriting.rewritten(operator.predicate, id_, below)))
    (rows,) = rewriting.inputs[view.base]
    width = len(rewriting.schemas[rows])
    for at, named in enumerate(over.calls):
        number = rewriting.column(view.base, width + at)
        rest = [part for part in predicate if not _is_first(part, number)]
        if len(rest) < len(predicate) and _numbers(named.call):
            wanted = {i: view.columns[i] for i in rewriting.needed[id_]}
            return _placed(rewriting, id_, (view.base, rows), at, wanted, rest)
    return None


def _is_first(part: ex.Expr, number: ex.Column) -> bool:
    match part:
        case ex.Compare("=" | "<=>" | "<=", left, ex.Literal(1)) | ex.Compare(
            "<", left, ex.Literal(2)
        ):
            return left == number
    return False


def _numbers(call: ex.OverCall) -> bool:
    """Whether a call numbers the rows of partitions."""
    return call.function == "row_number" and bool(call.partition) and bool(call.order)


def _placed(
    rewriting: Rewriting,
    id_: str,
    signals: tuple[str, str],
    number: int,
    wanted: dict[int, ex.Expr],
    rest: Sequence[ex.Expr],
) -> View | None:
    """The groups, and a filter of them by what else is asked."""
    base, rows = signals
    over = rewriting.operators[base]
    assert isinstance(over, ops.Over)
    call = over.calls[number].call
    first = first_row(rewriting, id_, rows, call.partition, call.order)
    if first is None:
        return None
    numbered = _Numbered(rewriting, signals, over, number)
    first = replace(first, others=tuple(numbered.of_partition()))
    values = [numbered.value(first, e) for e in (*wanted.values(), *rest)]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    keys = tuple(ex.Named(f"_key{i}", e) for i, e in enumerate(call.partition))
    calls: list[ops.NamedCall] = []
    at = [
        [place_of_call(ops.NamedCall(f"_first{len(calls)}", c), keys, calls) for c in v.calls]
        for v in known
    ]
    groups = rewriting.add(f"{id_} groups", ops.Aggregate(keys, tuple(calls)), (rows,))
    computed = [
        rewriting.changed(v.compute([rewriting.column(groups, p) for p in places]), lambda c: c)
        for v, places in zip(known, at, strict=True)
    ]
    columns = dict(zip(wanted, computed, strict=False))
    if not rest:
        return View(groups, columns)
    rewriting.put(id_, ops.Filter(conjunction(computed[len(wanted) :])), (groups,))
    return View(id_, columns)


@final
@dataclass(frozen=True)
class _Numbered:
    """Rows with window functions, one of which numbers them."""

    rewriting: Rewriting
    signals: tuple[str, str]  # the window functions, and what they are over
    over: ops.Over
    number: int  # which of them it is

    def value(self, first: FirstRow, expr: ex.Expr) -> Spelling | None:
        """An expression on the first row of each partition; None if it reads another function."""
        width = len(self.rewriting.schemas[self.signals[1]])
        schema = self.rewriting.schemas[self.signals[0]]
        own = self._column(self.number)
        known = [own, *(column for column, _ in first.others)]
        for column in columns_read(expr):
            if schema.place(column.name, column.occurrence) >= width and column not in known:
                return None
        return first.value(replace_down(expr, lambda e: ex.Literal(1, INT) if e == own else None))

    def of_partition(self) -> Iterator[tuple[ex.Expr, ex.AggregateCall]]:
        """The window functions over whole partitions of the same rows, as calls over groups."""
        keys = self.over.calls[self.number].call.partition
        for at, named in enumerate(self.over.calls):
            call = group_call(named.call)
            if call is not None and is_alike(named.call.partition, keys):
                yield self._column(at), call

    def _column(self, at: int) -> ex.Column:
        base, rows = self.signals
        return self.rewriting.column(base, len(self.rewriting.schemas[rows]) + at)
