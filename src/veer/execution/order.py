"""The order of a result: files give rows back in any order, so a column keeps it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, assert_never, final

from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema
from veer.ir.types import quote_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@final
class OrderedBy(NamedTuple):
    """One key of the order of a result: the place of a column."""

    place: int
    ascending: bool
    nulls_first: bool


def order_of(dataflow: Dataflow, id_: str) -> list[OrderedBy] | None:
    """The order in which a signal comes, by its columns; empty if in none, None if others decide.

    Rows that are equal in all its keys come in any order, as they do in Spark.
    """
    # Where each column of the signal stood, on the way down to the sort that orders it.
    places: dict[int, int] = {i: i for i in range(len(dataflow.schemas[id_]))}  # inner: outer
    at = id_
    while True:
        operator = dataflow.operators[at]
        match operator:
            case ops.Sink() | ops.Project():
                (below,) = dataflow.inputs[at]
                places = _places_below(operator, dataflow.schemas[below], places)
            case ops.Filter() | ops.Limit():
                pass
            case ops.Sort(keys):
                return _keys_shown(keys, dataflow.schemas[at], places)
            case (
                ops.Source()
                | ops.Values()
                | ops.Join()
                | ops.Aggregate()
                | ops.GlobalAggregate()
                | ops.Union()
            ):
                return []
            case (
                ops.IntersectAll()
                | ops.ExceptAll()
                | ops.Deduplicate()
                | ops.Over()
                | ops.Unnest()
                | ops.Lateral()
            ):
                return []
            case ops.Sample() | ops.RowUdf() | ops.TableUdf():
                return []
            case _:
                assert_never(operator)
        (at,) = dataflow.inputs[at]


def _places_below(
    operator: ops.Sink | ops.Project, rows: Schema, places: dict[int, int]
) -> dict[int, int]:
    """Where columns stand in the input of an operator that passes them on; what it computes goes.

    Of two copies of a column the first counts: an order by one is an order by the other.
    """
    below: dict[int, int] = {}
    if isinstance(operator, ops.Sink):
        passed = dict(enumerate(operator.places(rows)))
    else:
        columns = ((i, named.expr) for i, named in enumerate(operator.columns))
        passed = {
            i: rows.place(e.name, e.occurrence) for i, e in columns if isinstance(e, ex.Column)
        }
    for i, place in passed.items():
        if i in places:
            below.setdefault(place, places[i])
    return below


def _keys_shown(
    keys: Sequence[ex.SortKey], rows: Schema, places: Mapping[int, int]
) -> list[OrderedBy] | None:
    """The keys of a sort as columns of the signal above; None if one of them is not shown there.

    Without that key nobody could put rows that were read back in their order.
    """
    order = []
    for key in keys:
        if not isinstance(key.expr, ex.Column):
            return None
        place = places.get(rows.place(key.expr.name, key.expr.occurrence))
        if place is None:
            return None
        order.append(OrderedBy(place, key.ascending, key.nulls_first))
    return order


def ordered(frame: DataFrame, order: Sequence[OrderedBy]) -> DataFrame:
    """A frame whose columns go by place, in an order."""
    if not order:
        return frame
    from pyspark.sql.functions import col

    keys = []
    for key in order:
        column = col(quote_name(frame.columns[key.place]))
        if key.ascending:
            keys.append(column.asc_nulls_first() if key.nulls_first else column.asc_nulls_last())
        else:
            keys.append(column.desc_nulls_first() if key.nulls_first else column.desc_nulls_last())
    return frame.orderBy(*keys)


__all__ = ["OrderedBy", "order_of", "ordered"]
