"""What must hold of a signal for the sinks to be equal: the weakest semantics that suffices.

Computed backwards from the sinks (DESIGN's transfer table); the stronger of what both versions
need.
"""

from __future__ import annotations

from veer.dataflow.dag import Dataflow
from veer.dataflow.determinism import operator_kind
from veer.dataflow.functions.registry import aggregate_function
from veer.dataflow.ops import (
    Aggregate,
    Filter,
    GlobalAggregate,
    Join,
    Limit,
    Operator,
    Project,
    RowUdf,
    Sink,
    Sort,
    Union,
    Unnest,
)
from veer.proof import needed_inputs
from veer.verdict import TableSemantics

SET, BAG, ORDERED = TableSemantics.SET, TableSemantics.BAG, TableSemantics.ORDERED_BAG


def weaker(a: TableSemantics, b: TableSemantics) -> TableSemantics:
    return b if a.implies(b) else a


def stronger(a: TableSemantics, b: TableSemantics) -> TableSemantics:
    return a if a.implies(b) else b


def obligations(dataflow: Dataflow, asked: TableSemantics) -> dict[str, TableSemantics]:
    """For each signal the semantics its consumers need."""
    needed: dict[str, TableSemantics] = {}
    for id_ in reversed(dataflow.order):
        operator = dataflow.operators[id_]
        own = asked if isinstance(operator, Sink) else needed.get(id_, SET)
        kind = operator_kind(dataflow, id_)
        for port, below in enumerate(dataflow.inputs[id_]):
            here = needed_below(operator, port, own)
            if needed_inputs(operator, kind, BAG) is ORDERED:
                here = ORDERED
            needed[below] = stronger(needed.get(below, SET), here)
    return needed


def needed_below(operator: Operator, port: int, needed: TableSemantics) -> TableSemantics:
    """What an operator needs of an input for its output to hold as `needed`."""
    match operator:
        case Sink() | Filter() | Project():
            return needed
        case Limit():
            return ORDERED
        case Sort() | Union() | Unnest() | RowUdf():
            return weaker(needed, BAG)
        case Join(kind="semi" | "anti"):
            return SET if port == 1 else weaker(needed, BAG)
        case Join():
            return weaker(needed, BAG)
        case Aggregate(calls=calls) | GlobalAggregate(calls):
            counts = [
                n
                for n in calls
                if not (n.call.distinct or aggregate_function(n.call.function).ignores_duplicates)
            ]
            return BAG if counts else SET
        case _:
            return BAG
