"""The order of a result: rows read back from files come in any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, assert_never, final

from veer.model.dag import Dataflow
from veer.model.expr import Column, SortKey
from veer.model.ops import (
    Aggregate,
    Deduplicate,
    ExceptAll,
    Filter,
    GlobalAggregate,
    IntersectAll,
    Join,
    Lateral,
    Limit,
    Over,
    Project,
    RowUdf,
    Sample,
    Sink,
    Sort,
    Source,
    TableUdf,
    Union,
    Unnest,
    Values,
)
from veer.model.schema import Schema
from veer.model.types import quote_name

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
            case Sink() | Project():
                (below,) = dataflow.inputs[at]
                places = _places_below(operator, dataflow.schemas[below], places)
            case Filter() | Limit():
                pass
            case Sort(keys):
                return _keys_shown(keys, dataflow.schemas[at], places)
            case Source() | Values() | Join() | Aggregate() | GlobalAggregate() | Union():
                return []
            case IntersectAll() | ExceptAll() | Deduplicate() | Over() | Unnest() | Lateral():
                return []
            case Sample() | RowUdf() | TableUdf():
                return []
            case _:
                assert_never(operator)
        (at,) = dataflow.inputs[at]


def _places_below(operator: Sink | Project, rows: Schema, places: dict[int, int]) -> dict[int, int]:
    """Where columns stand in the input of an operator that passes them on; what it computes goes.

    Of two copies of a column the first counts: an order by one is an order by the other.
    """
    below: dict[int, int] = {}
    if isinstance(operator, Sink):
        passed = dict(enumerate(operator.places(rows)))
    else:
        columns = ((i, named.expr) for i, named in enumerate(operator.columns))
        passed = {i: rows.place(e.name, e.occurrence) for i, e in columns if isinstance(e, Column)}
    for i, place in passed.items():
        if i in places:
            below.setdefault(place, places[i])
    return below


def _keys_shown(
    keys: Sequence[SortKey], rows: Schema, places: Mapping[int, int]
) -> list[OrderedBy] | None:
    """The keys of a sort as columns of the signal above; None if one of them is not shown there.

    Without that key nobody could put rows that were read back in their order.
    """
    order = []
    for key in keys:
        if not isinstance(key.expr, Column):
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
