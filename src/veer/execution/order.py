"""The order of a result: rows read back from files come in any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, assert_never, final

from veer.model.dag import Dataflow
from veer.model.expr import Column
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
    """The order in which a signal comes, by its columns; empty if in none, None if others decide."""
    places: dict[int, int] = {i: i for i in range(len(dataflow.schemas[id_]))}  # inner: outer
    at = id_
    while True:
        operator = dataflow.operators[at]
        match operator:
            case Sink():
                (below,) = dataflow.inputs[at]
                shown = operator.places(dataflow.schemas[below])
                places = {p: places[i] for i, p in enumerate(shown) if i in places}
            case Project(columns):
                (below,) = dataflow.inputs[at]
                rows = dataflow.schemas[below]
                inner: dict[int, int] = {}
                for i, named in enumerate(columns):
                    if isinstance(named.expr, Column) and i in places:
                        inner.setdefault(
                            rows.place(named.expr.name, named.expr.occurrence), places[i]
                        )
                places = inner
            case Filter() | Limit():
                pass
            case Sort(keys):
                rows = dataflow.schemas[at]
                order = []
                for key in keys:
                    if not isinstance(key.expr, Column):
                        return None
                    place = places.get(rows.place(key.expr.name, key.expr.occurrence))
                    if place is None:
                        return None
                    order.append(OrderedBy(place, key.ascending, key.nulls_first))
                return order
            case Source() | Values() | Join() | Aggregate() | GlobalAggregate() | Union():
                return []
            case IntersectAll() | ExceptAll() | Deduplicate() | Over() | Unnest() | Lateral():
                return []
            case Sample() | RowUdf() | TableUdf():
                return []
            case _:
                assert_never(operator)
        (at,) = dataflow.inputs[at]


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
