"""Dataflows of operators that were written one by one, and whether rows are in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from veer.model.dag import Dataflow, Link
from veer.model.ops import AnyOperator, Over, Source
from veer.model.traits import RowOrder


def dataflow_of(
    operators: Mapping[str, AnyOperator],
    inputs: Mapping[str, Sequence[str]],
    sinks: Sequence[str],
) -> Dataflow:
    """Those of some operators that the sinks need."""
    needed = dict.fromkeys(sinks)
    waiting = list(needed)
    for id_ in waiting:  # grows meanwhile
        new = dict.fromkeys(i for i in inputs[id_] if i not in needed)
        needed |= new
        waiting += new
    return Dataflow(
        {i: o for i, o in operators.items() if i in needed},
        [Link(b, i, port) for i in needed for port, b in enumerate(inputs[i])],
    )


def may_be_ordered(dataflow: Dataflow, id_: str) -> bool:
    """Whether a signal may have an order, which a join would take away."""
    while dataflow.operators[id_].traits.order is RowOrder.KEPT:
        (id_,) = dataflow.inputs[id_]
    operator = dataflow.operators[id_]
    if isinstance(operator, Source | Over):
        return False  # nobody relies on the order of a table
    return operator.traits.order is not RowOrder.NONE
