"""Where the columns of an operator come from: its inputs, an expression over them, or nowhere.

    Project(a, b + 1)   =>   a, b + 1            Join   =>   copies of the columns of both inputs

One derivation for all that follow columns down a dataflow: to the columns of tables (`origins`), to where the
sign of a zero is decided (`signed_zeros`), to what fails (`verification.failures`), to what conditions
ask of tables (`refute.fitting`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, assert_never, final

from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow

T = TypeVar("T")


@final
@dataclass(frozen=True, slots=True)
class Copied:
    """The value of a column of an input, by its place in the inputs side by side.

    Rows of a set operation show a column of one of several inputs; equal values of two are not the same
    in the sign of a zero.
    """

    places: tuple[int, ...]


# A copy, the value of an expression or call over the inputs side by side, or a value of the operator's own.
ColumnSource: TypeAlias = Copied | ex.Expr | ex.AggregateCall | ex.OverCall | None


def column_sources(dataflow: Dataflow, id_: str) -> list[ColumnSource]:
    """For each column of a signal what it is made of."""
    widths = [len(dataflow.schemas[i]) for i in dataflow.inputs[id_]]
    width = len(dataflow.schemas[id_])
    sources = _first_sources(dataflow.operators[id_], widths)[:width]
    return [*sources, *[None] * (width - len(sources))]


def followed(
    source: ColumnSource, below: Sequence[T], computed: Callable[[ex.Expr], T]
) -> T | None:
    """What is known of a column by what is known of those of the inputs, side by side.

    Of a set operation by those of the first input. Of calls and values of the operator's own: nothing.
    """
    match source:
        case Copied(places):
            return below[places[0]]
        case None | ex.AggregateCall() | ex.OverCall():
            return None
        case _:
            return computed(source)


def _first_sources(operator: ops.AnyOperator, widths: Sequence[int]) -> Sequence[ColumnSource]:
    """The sources of the first columns; the others are the operator's own."""
    match operator:
        case ops.Source() | ops.Values() | ops.TableUdf():
            return []
        case ops.Project(columns):
            return [named.expr for named in columns]
        case ops.Aggregate(keys, calls):
            return [*(key.expr for key in keys), *(named.call for named in calls)]
        case ops.GlobalAggregate(calls):
            return [named.call for named in calls]
        case ops.Over(calls):
            return [*_copies(widths[0]), *(named.call for named in calls)]
        case ops.Union() | ops.IntersectAll() | ops.ExceptAll():
            ends = [sum(widths[:i]) for i in range(len(widths))]
            return [Copied(tuple(end + i for end in ends)) for i in range(widths[0])]
        case ops.Sink(columns=columns) if columns:
            return columns
        case (
            ops.Join()
            | ops.Filter()
            | ops.Sort()
            | ops.Limit()
            | ops.Deduplicate()
            | ops.Sample()
            | ops.Sink()
        ):
            return _copies(sum(widths))
        case ops.Unnest() | ops.Lateral() | ops.RowUdf():
            return _copies(widths[0])
        case _:
            assert_never(operator)


def _copies(count: int) -> list[ColumnSource]:
    return [Copied((place,)) for place in range(count)]
