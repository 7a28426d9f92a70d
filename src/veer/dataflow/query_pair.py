"""Query pairs: two closed sub-dataflows with one sink each, cut out of two versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from veer.dataflow.dag import Dataflow, Link
from veer.dataflow.expr import Column, Named
from veer.dataflow.ops import Operator, Project, Sink, Source
from veer.verdict import TableSemantics

RESULT = "result"
LEAF_TABLE = "\0leaf"  # no table of a user has this name


@final
@dataclass(frozen=True)
class QueryPair:
    """Two closed sub-dataflows with one sink each, and what must be shown about their results.

    `semantics` and `columns` are the obligation: `columns` pairs positions of P's result with
    positions of Q's. Equal sources are the same table on both sides; what is known of its rows
    is what the source declares: keys, foreign keys, columns that are never null.
    """

    p: Dataflow
    q: Dataflow
    semantics: TableSemantics
    columns: tuple[tuple[int, int], ...]


def operators_between(side: Dataflow) -> tuple[str, ...]:
    """The operators of one side that stand between its leaves and its sink."""
    leaves = {i for i, s in side.sources.items() if s.table.startswith(LEAF_TABLE)}
    named = {i for i in side.order if leaves & set(side.inputs[i])}
    return tuple(
        i for i in side.order if i not in leaves | named and not isinstance(side.operators[i], Sink)
    )


def unfold(dataflow: Dataflow, goal: str, leaves: Mapping[str, Source]) -> Dataflow:
    """The operators between some leaves and one signal, closed by the leaves' sources and a sink.

    A leaf that is no source itself gets its column names back by a projection, so that what
    stands above it can stay as it is.
    """
    operators: dict[str, Operator] = {}
    links: list[Link] = []
    stack = [goal]
    while stack:
        id_ = stack.pop()
        if id_ in operators:
            continue
        source = leaves.get(id_)
        if source is None:
            operators[id_] = dataflow.operators[id_]
            for port, below in enumerate(dataflow.inputs[id_]):
                links.append(Link(below, id_, port))
                stack.append(below)
        elif source == dataflow.operators[id_]:
            operators[id_] = source
        else:
            schema = dataflow.schemas[id_]
            named = tuple(
                Named(f.name, Column(leaf.name, leaf.type))
                for f, leaf in zip(schema, source.fields, strict=True)
            )
            operators[id_] = Project(named)
            leaf_id = f"{id_} leaf"
            while leaf_id in dataflow.operators:
                leaf_id += "'"
            operators[leaf_id] = source
            links.append(Link(leaf_id, id_))
    name = RESULT
    while name in operators or name in dataflow.operators:
        name += "'"
    operators[name] = Sink(RESULT)
    links.append(Link(goal, name))
    return Dataflow(operators, links)
