"""Dataflows that are made of others, operator by operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from veer.facts.keys import Signals
from veer.ir import ops
from veer.ir.dag import Dataflow, Link
from veer.ir.schema import Schema
from veer.ir.traits import RowOrder


@final
class Builder:
    """The operators of a dataflow while some are replaced and others added."""

    def __init__(self, old: Dataflow) -> None:
        self.old = old
        self.operators: dict[str, ops.AnyOperator] = dict(old.operators)
        self.inputs: dict[str, tuple[str, ...]] = dict(old.inputs)
        self.schemas: dict[str, Schema] = dict(old.schemas)

    def put(self, id_: str, operator: ops.AnyOperator, below: Sequence[str]) -> None:
        """Replace or add an operator under this id."""
        self.operators[id_], self.inputs[id_] = operator, tuple(below)
        self.schemas[id_] = operator.output([self.schemas[i] for i in below])

    def add(self, id_: str, operator: ops.AnyOperator, below: Sequence[str]) -> str:
        """Add an operator; the id that it gets, which no other has."""
        while id_ in self.operators:
            id_ += "'"
        self.put(id_, operator, below)
        return id_

    def dataflow(self) -> Dataflow:
        """What the sinks need; the old dataflow if no operator is another."""
        return with_operators(self.old, self.operators, self.inputs)


def with_operators(
    old: Dataflow,
    operators: Mapping[str, ops.AnyOperator],
    inputs: Mapping[str, Sequence[str]] | None = None,
) -> Dataflow:
    """A dataflow with other operators; the same object if none of them is another."""
    same = operators.keys() == old.operators.keys() and all(
        operators[i] is operator for i, operator in old.operators.items()
    )
    return old if same else dataflow_of(operators, inputs or old.inputs, old.sinks)


def or_alike(old: Dataflow, new: Dataflow) -> Dataflow:
    """A new dataflow; the old one if they differ in the ids of operators alone."""
    ids = {sink: sink for sink in old.sinks}  # of the new operators, by those of the old
    for id_ in reversed(old.order):
        other = ids.get(id_)
        if other is None or old.operators[id_] != new.operators[other]:
            return new
        below = old.inputs[id_], new.inputs[other]
        if len(below[0]) != len(below[1]):
            return new
        if any(ids.setdefault(mine, theirs) != theirs for mine, theirs in zip(*below, strict=True)):
            return new
    return old


def dataflow_of(
    operators: Mapping[str, ops.AnyOperator],
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


def may_be_ordered(signals: Signals, id_: str) -> bool:
    """Whether a signal may have an order, which joins and window functions take away."""
    while signals.operators[id_].traits.order is RowOrder.KEPT:
        (id_,) = signals.inputs[id_]
    operator = signals.operators[id_]
    if isinstance(operator, ops.Source | ops.Over):
        return False  # nothing relies on the order of a table
    return operator.traits.order is not RowOrder.NONE
