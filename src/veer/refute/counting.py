"""How many rows it takes: the numbers that limits, frames, ranks and counts are held against.

A limit of seven shows with eight rows only. Which columns count rows is followed upwards from the
calls that count; every number such a column is computed or compared with is a telling one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from veer.functions.registry import OVER, over_function
from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema
from veer.ir.walk import operator_exprs, parts, subqueries

FEWEST = 3  # where all numbers are smaller, they show on any small instance
MOST = 128


def telling_counts(dataflows: Iterable[Dataflow]) -> dict[str, list[int]]:
    """For each table, the numbers its rows are counted against somewhere above it."""
    counts: dict[str, set[int]] = {}
    for dataflow in dataflows:
        for table, numbers in _counts_of(dataflow).items():
            counts.setdefault(table, set()).update(numbers)
    return {t: sorted(numbers) for t, numbers in sorted(counts.items()) if max(numbers) >= FEWEST}


def _counts_of(dataflow: Dataflow) -> dict[str, set[int]]:
    """The numbers of one dataflow, kept with it."""

    def make() -> dict[str, set[int]]:
        by_table: dict[str, set[int]] = {}
        _Counted(by_table).columns(dataflow)
        return by_table

    return dataflow.cached("telling counts", make)


class _Counted:
    """Notes for each table the numbers that matter."""

    def __init__(self, counts: dict[str, set[int]]) -> None:
        self.counts = counts
        self.read: dict[int, Set[int]] = {}  # results by identity: subqueries outlive this

    def columns(self, dataflow: Dataflow) -> Set[int]:
        """The places of the result that hold numbers of rows."""
        if id(dataflow) in self.read:
            return self.read[id(dataflow)]
        counting: dict[str, Set[int]] = {}
        tables: dict[str, set[str]] = {}
        for id_ in dataflow.order:
            operator, below = dataflow.operators[id_], dataflow.inputs[id_]
            schemas = [dataflow.schemas[i] for i in below]
            rows = Schema(tuple(f for s in schemas for f in s))
            seen = _side_by_side([counting[i] for i in below], schemas)
            tables[id_] = {*_tables(operator), *(t for i in below for t in tables[i])}
            for query in subqueries(operator):
                self.columns(query)
            self._note(operator, rows, seen, tables[id_])
            counting[id_] = self._counting(operator, rows, seen, len(dataflow.schemas[id_]))
        self.read[id(dataflow)] = counting[dataflow.sinks[0]]
        return self.read[id(dataflow)]

    def _note(
        self, operator: ops.AnyOperator, rows: Schema, seen: Set[int], tables: set[str]
    ) -> None:
        """Note the numbers of one operator for all tables below it."""
        numbers = set(_own_numbers(operator))
        for part in (p for expr in operator_exprs(operator) for p in parts(expr)):
            if isinstance(part, ex.Compare | ex.InList | ex.Call) and self._counts(
                part, rows, seen
            ):
                numbers.update(_numbers(part))
        telling = {n for n in numbers if 1 < n <= MOST}
        for table in tables if telling else ():
            self.counts.setdefault(table, set()).update(telling)

    def _counting(
        self, operator: ops.AnyOperator, rows: Schema, seen: Set[int], width: int
    ) -> Set[int]:
        """Which columns of an operator hold numbers of rows."""
        match operator:
            case ops.Project(columns):
                return {i for i, n in enumerate(columns) if self._counts(n.expr, rows, seen)}
            case ops.Aggregate(keys, calls):
                kept = {i for i, k in enumerate(keys) if self._counts(k.expr, rows, seen)}
                return kept | self._calls([n.call for n in calls], len(keys), rows, seen)
            case ops.GlobalAggregate(calls):
                return self._calls([n.call for n in calls], 0, rows, seen)
            case ops.Over(over):
                return seen | self._calls([n.call for n in over], len(rows), rows, seen)
            case ops.Lateral(query):
                return seen | {len(rows) + place for place in self.columns(query)}
            case ops.Union():
                return {place % width for place in seen}
            case (
                ops.Source()
                | ops.Values()
                | ops.Filter()
                | ops.Join()
                | ops.IntersectAll()
                | ops.ExceptAll()
            ):
                return _first(seen, width)
            case (
                ops.Deduplicate()
                | ops.Sort()
                | ops.Limit()
                | ops.Unnest()
                | ops.Sample()
                | ops.RowUdf()
            ):
                return _first(seen, width)
            case ops.TableUdf() | ops.Sink():
                return _first(seen, width)  # perhaps in other places: a guess, for row counts only
            case _:
                assert_never(operator)

    def _calls(
        self,
        calls: Sequence[ex.AggregateCall | ex.OverCall],
        start: int,
        rows: Schema,
        seen: Set[int],
    ) -> Set[int]:
        return {
            place
            for place, call in enumerate(calls, start)
            if over_function(call.function).counts_rows
            or any(self._counts(a, rows, seen) for a in call.args)
        }

    def _counts(self, expr: ex.Expr, rows: Schema, seen: Set[int]) -> bool:
        """Whether an expression is made of a number of rows."""
        for part in parts(expr):
            if (
                isinstance(part, ex.Column)
                and seen
                and rows.place(part.name, part.occurrence) in seen
            ):
                return True
            if isinstance(part, ex.ScalarQuery) and 0 in self.columns(part.query):
                return True
        return False


def _side_by_side(counting: Sequence[Set[int]], schemas: Sequence[Schema]) -> Set[int]:
    """Places of several inputs as places of all their columns one after the other."""
    combined: set[int] = set()
    start = 0
    for places, schema in zip(counting, schemas, strict=True):
        combined |= {start + place for place in places}
        start += len(schema)
    return combined


def _first(places: Set[int], width: int) -> Set[int]:
    """The places among the first columns."""
    return {place for place in places if place < width}


def _tables(operator: ops.AnyOperator) -> Iterator[str]:
    """The tables an operator reads itself: it is one, or its subqueries do."""
    if isinstance(operator, ops.Source):
        yield operator.table
    for query in subqueries(operator):
        for inner in query.operators.values():
            yield from _tables(inner)


def _own_numbers(operator: ops.AnyOperator) -> Iterator[int]:
    """The numbers of rows an operator states: of a limit, a frame, a shift, some buckets."""
    match operator:
        case ops.Limit(count, offset):
            yield offset
            if count is not None:
                yield offset + count
        case ops.Over(calls):
            for call in (named.call for named in calls):
                if call.frame.unit == "rows":
                    yield from (abs(b) for b in (call.frame.start, call.frame.end) if b is not None)
                if call.function in OVER:  # whose arguments are values or numbers of rows
                    yield from (n for a in call.args for n in _numbers(a))
        case (
            ops.Source()
            | ops.Values()
            | ops.Filter()
            | ops.Project()
            | ops.Join()
            | ops.Union()
            | ops.Sort()
            | ops.Sink()
        ):
            return
        case (
            ops.Aggregate()
            | ops.GlobalAggregate()
            | ops.Deduplicate()
            | ops.IntersectAll()
            | ops.ExceptAll()
        ):
            return
        case ops.Unnest() | ops.Lateral() | ops.Sample() | ops.RowUdf() | ops.TableUdf():
            return
        case _:
            assert_never(operator)


def _numbers(expr: ex.Expr) -> Iterator[int]:
    """The whole numbers in an expression; of a share, the number of rows it is one of."""
    for part in parts(expr):
        if not isinstance(part, ex.Literal) or isinstance(part.value, bool):
            continue
        if isinstance(part.value, int):
            yield abs(part.value)
        elif isinstance(part.value, float | Decimal) and 0 < part.value < 1:
            yield Fraction(part.value).limit_denominator(MOST).denominator
