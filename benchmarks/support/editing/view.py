"""A workflow with the dataflow it describes, to look for places; and operators put in and out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchmarks.support.editing.predicates import requalified
from benchmarks.workloads.flow import Flow, Spec
from veer.ir.dag import Dataflow
from veer.ir.expr import Column, Named
from veer.ir.ops import (
    Aggregate,
    AnyOperator,
    Filter,
    Join,
    JoinKind,
    Project,
    RowUdf,
    Sort,
    Union,
    Unnest,
)
from veer.ir.schema import Schema
from veer.ir.types import DataType
from veer.read.workflow.reader import build_workflow


@dataclass(frozen=True)
class Edit:
    """Something to do to a workflow, at one of its operators."""

    about: str
    place: str
    apply: Callable[[Flow], object]


@dataclass(frozen=True)
class View:
    """A workflow that loads; `number` marks the ids of operators the next edit adds."""

    flow: Flow
    number: int = 0

    @cached_property
    def dataflow(self) -> Dataflow:
        """What the workflow means."""
        return build_workflow(self.flow.data())

    def fresh(self, stem: str) -> str:
        """An id that no version has used: a GUI never gives one twice."""
        return f"{stem}_{self.number}"

    def of_type(self, *types: str) -> list[str]:
        """Operators of these types."""
        return [id_ for id_, spec in self.flow.operators.items() if spec["type"] in types]

    def spec(self, id_: str) -> Spec:
        """The properties of an operator."""
        return self.flow.operators[id_]

    def operator(self, id_: str) -> AnyOperator:
        """What an operator means."""
        return self.dataflow.operators[id_]

    def schema(self, id_: str) -> Schema:
        """The columns an operator gives."""
        return self.dataflow.schemas[id_]

    def inputs(self, id_: str) -> tuple[str, ...]:
        """What feeds an operator, in the order of ports."""
        return tuple(self.dataflow.inputs[id_])

    def input(self, id_: str) -> str:
        """What feeds an operator of one input."""
        (above,) = self.inputs(id_)
        return above

    def outputs(self, id_: str) -> list[str]:
        """What an operator feeds."""
        return [dst for src, dst, _ in self.flow.links if src == id_]

    def types(self, *ids: str) -> dict[str, DataType]:
        """Types of the columns of some operators, by name; names given twice are left out."""
        fields = [f for id_ in ids for f in self.schema(id_)]
        names = [f.name for f in fields]
        return {f.name: f.type for f in fields if names.count(f.name) == 1}

    def lateness(self, id_: str) -> float:
        """Where an operator stands between the first, 0, and the last, 1."""
        return self.dataflow.position[id_] / (len(self.dataflow.operators) - 1)

    def distances(self, places: Sequence[str]) -> dict[str, int]:
        """How many links away from some operators each operator is."""
        steps = dict.fromkeys((p for p in places if p in self.flow.operators), 0)
        waiting = list(steps)
        while waiting:
            id_ = waiting.pop(0)
            near = [s for s, d, _ in self.flow.links if d == id_] + self.outputs(id_)
            for other in near:
                if other not in steps:
                    steps[other] = steps[id_] + 1
                    waiting.append(other)
        return steps

    def passed(self, id_: str, port: int) -> list[tuple[str, str]]:
        """Columns of an input that come out unchanged, with their names before and after.

        A filter on these may stand on either side of the operator.
        """
        below, above = self.types(self.inputs(id_)[port]), self.types(id_)
        match self.operator(id_):
            case Filter() | Sort() | RowUdf() | Unnest() | Join(kind=JoinKind.INNER):
                pairs = [(name, name) for name in below]
            case Join(kind=JoinKind.LEFT | JoinKind.SEMI | JoinKind.ANTI) if port == 0:
                pairs = [(name, name) for name in below]
            case Project(columns):
                pairs = _plain(columns)
            case Aggregate(keys):
                pairs = _plain(keys)
            case _:
                pairs = []
        return [(b, a) for b, a in pairs if b in below and a in above]

    def shapes(self) -> dict[str, list[tuple[Any, ...]]]:
        """What goes by position: the columns of sinks, and of the inputs of unions."""
        read = {i: [i] for i in self.dataflow.sinks}
        read |= {
            i: list(self.inputs(i))
            for i, operator in self.dataflow.operators.items()
            if isinstance(operator, Union)
        }
        return {
            i: [(s.names, s.types) for s in map(self.schema, signals)]
            for i, signals in read.items()
        }


def _plain(columns: tuple[Named, ...]) -> list[tuple[str, str]]:
    return [(c.expr.name, c.name) for c in columns if isinstance(c.expr, Column)]


# -- operators in and out ----------------------------------------------------------------------


def take_out(flow: Flow, id_: str) -> Spec:
    """Remove an operator of one input; joins name what now feeds them."""
    (above,) = (src for src, dst, _ in flow.links if dst == id_)
    fed = [dst for src, dst, _ in flow.links if src == id_]
    spec = flow.remove(id_)
    for below in fed:
        _requalify(flow, below, id_, above)
    return spec


def put_before(flow: Flow, id_: str, spec: Spec, above: str, below: str) -> None:
    """An operator on the link from `above` to `below`."""
    properties = {name: value for name, value in spec.items() if name != "type"}
    flow.insert(id_, spec["type"], above, below, **properties)
    _requalify(flow, below, above, id_)


def put_after(flow: Flow, id_: str, spec: Spec, above: str) -> None:
    """An operator between `above` and all it feeds."""
    fed = [dst for src, dst, _ in flow.links if src == above]
    put_before(flow, id_, spec, above, fed[0])
    for below in fed[1:]:
        flow.links = [
            (id_, dst, port) if (src, dst) == (above, below) else (src, dst, port)
            for src, dst, port in flow.links
        ]
        _requalify(flow, below, above, id_)


def _requalify(flow: Flow, join: str, old: str, new: str) -> None:
    condition = flow.operators[join].get("on")
    if condition is not None:
        flow.change(join, on=requalified(condition, old, new))
