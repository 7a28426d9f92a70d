"""The paper's quick check (section 7.4): the columns a sink shows, and the order of its rows.

A difference of either makes the paper say *inequivalent*; Veer itself asks the refuter instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from veer.ir.dag import Dataflow
from veer.ir.ops import Filter, Limit, Project, Sort
from veer.ir.pprint import show_sort_key


@final
@dataclass(frozen=True)
class Shape:
    """The (S, O) representation of a result."""

    columns: tuple[str, ...]
    order: tuple[str, ...]


def shape(dataflow: Dataflow, sink: str) -> Shape:
    """What a sink shows, without looking at rows."""
    (id_,) = dataflow.inputs[sink]
    while isinstance(dataflow.operators[id_], Filter | Project | Limit):
        (id_,) = dataflow.inputs[id_]
    operator = dataflow.operators[id_]
    order = tuple(map(show_sort_key, operator.keys)) if isinstance(operator, Sort) else ()
    return Shape(dataflow.schemas[sink].names, order)
