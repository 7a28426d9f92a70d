"""The first row of each partition, in the order of a key, as a group.

    Filter(n = 1) <- Over(row_number() OVER (PARTITION BY a ORDER BY k DESC) AS n) <- t, k a key
        =>   Aggregate(a; max_by(b, k) AS b, max(k) AS k) <- t

Sound because each partition has one row that is first if no two rows tie, and one group: the columns of
that row are the values at the greatest key. The key is never null, or it might be skipped; floats are
left alone, of which a group shows 0.0 for -0.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from veer.model.conditions import conjunction, conjuncts
from veer.model.expr import AggregateCall, Column, Compare, Expr, Literal, Named, OverCall, SortKey
from veer.model.json import is_alike
from veer.model.nullability import is_nullable
from veer.model.ops import Aggregate, AnyOperator, Filter, NamedCall, Over
from veer.model.types import INT, has_floats
from veer.model.walk import columns_read, exprs_in, substitute_columns
from veer.normalize.expressions import is_random
from veer.normalize.rewriting import Rewriting, View

Places: TypeAlias = dict[int, int]


def first_rows(
    rewriting: Rewriting, id_: str, operator: AnyOperator, below: Sequence[View]
) -> View | None:
    """A filter that keeps the first row of each partition, perhaps if that meets a condition."""
    if not isinstance(operator, Filter):
        return None
    (view,) = below
    over = rewriting.operators[view.base]
    if not isinstance(over, Over) or len(over.calls) != 1:
        return None
    call = over.calls[0].call
    (rows,) = rewriting.inputs[view.base]
    predicate = rewriting.rewritten(operator.predicate, id_, below)
    number = rewriting.column(view.base, len(rewriting.schemas[rows]))
    parts = list(conjuncts(predicate))
    rest = [part for part in parts if not _is_first(part, number)]
    if len(rest) == len(parts) or not _goes_by_key(rewriting, id_, rows, call):
        return None
    wanted = {i: view.columns[i] for i in rewriting.wanted[id_]}
    return _placed(rewriting, id_, rows, call, wanted, rest)


def _is_first(part: Expr, number: Column) -> bool:
    match part:
        case Compare("=" | "<=>" | "<=", left, Literal(1)) | Compare("<", left, Literal(2)):
            return left == number
    return False


def _goes_by_key(rewriting: Rewriting, id_: str, rows: str, call: OverCall) -> bool:
    """Whether a call numbers the rows of partitions by one key that is never null."""
    if call.function != "row_number" or len(call.order) != 1 or not call.partition:
        return False
    if any(map(is_random, exprs_in(call))) or any(has_floats(e.type) for e in call.partition):
        return False
    key = call.order[0].expr
    if not isinstance(key, Column) or is_nullable(key, rewriting.schemas[rows]):
        return False
    return rewriting.are_unique(id_, rows, [*call.partition, key])


def _placed(
    rewriting: Rewriting,
    id_: str,
    rows: str,
    call: OverCall,
    wanted: dict[int, Expr],
    rest: Sequence[Expr],
) -> View:
    """The groups, and a filter of them by what else is asked."""
    schema = rewriting.schemas[rows]
    read = [c for e in (*wanted.values(), *rest) for c in columns_read(e)]
    places = sorted({p for c in read if (p := _place_below(rewriting, rows, c)) is not None})
    keys = tuple(Named(f"_key{i}", e) for i, e in enumerate(call.partition))
    calls: list[NamedCall] = []
    at: Places = {}
    for place in places:
        column = rewriting.column(rows, place)
        same = (i for i, key in enumerate(keys) if is_alike(key.expr, column))
        at[place] = next(same, -1)
        if at[place] < 0:
            at[place] = len(keys) + len(calls)
            calls.append(
                NamedCall(schema.fields[place].name, _value_of_first(column, call.order[0]))
            )
    groups = Aggregate(keys, tuple(calls))
    base = rewriting.add(f"{id_} groups", groups, (rows,))

    def moved(column: Column) -> Expr:
        place = _place_below(rewriting, rows, column)
        return Literal(1, INT) if place is None else rewriting.column(base, at[place])

    columns = {i: substitute_columns(e, moved) for i, e in wanted.items()}
    if not rest:
        return View(base, columns)
    predicate = rewriting.changed(conjunction(list(rest)), moved)
    rewriting.put(id_, Filter(predicate), (base,))
    return View(id_, columns)


def _place_below(rewriting: Rewriting, rows: str, column: Column) -> int | None:
    """Where a column stands below the call; None for the number itself, which is behind them."""
    return rewriting.schemas[rows].find(column.name, column.occurrence)


def _value_of_first(column: Column, order: SortKey) -> AggregateCall:
    end = "min" if order.ascending else "max"
    if column == order.expr:
        return AggregateCall(end, (column,), column.type)
    return AggregateCall(f"{end}_by", (column, order.expr), column.type)
