"""Query pairs: two closed sub-dataflows with one sink each, cut out of two versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from veer.ir import expr as ex, ops
from veer.ir.conditions import conjunction
from veer.ir.dag import Dataflow, Link
from veer.verdict import TableSemantics

RESULT = "result"
LEAF_TABLE = "\0leaf"  # begins the names of leaves: no table of a user has such a name


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


@final
@dataclass(frozen=True)
class Leaf:
    """What a signal is cut down to: columns of a shared source, None where nobody may look.

    `facts` are conditions over the source that hold of all its rows.
    """

    source: ops.Source
    columns: tuple[int | None, ...]
    facts: tuple[ex.Expr, ...] = ()


def operators_between(side: Dataflow) -> tuple[str, ...]:
    """The operators of one side that stand between its leaves and its sink."""
    ends = {i for i, s in side.sources.items() if s.leaf}
    for id_ in side.order:
        # Above a leaf: perhaps the facts about it, then its columns by name.
        if not isinstance(side.operators[id_], ops.Source) and ends & set(side.inputs[id_]):
            if not any(isinstance(side.operators[i], ops.Project) for i in side.inputs[id_]):
                ends.add(id_)
    return tuple(
        i for i in side.order if i not in ends and not isinstance(side.operators[i], ops.Sink)
    )


def unfold(dataflow: Dataflow, goal: str, leaves: Mapping[str, Leaf]) -> Dataflow:
    """The operators between some leaves and one signal, closed by the leaves' sources and a sink.

    A leaf gets its column names back by a projection, so that what stands above it can stay as
    it is; a source stands for itself.
    """
    operators: dict[str, ops.AnyOperator] = {}
    links: list[Link] = []
    stack = [goal]
    while stack:
        id_ = stack.pop()
        if id_ in operators:
            continue
        leaf = leaves.get(id_)
        if leaf is not None:
            _put_leaf(dataflow, id_, leaf, operators, links)
            continue
        operators[id_] = dataflow.operators[id_]
        for port, below in enumerate(dataflow.inputs[id_]):
            links.append(Link(below, id_, port))
            stack.append(below)
    name = _unused(RESULT, dataflow, operators)
    operators[name] = ops.Sink(RESULT)
    links.append(Link(goal, name))
    return Dataflow(operators, links)


def _put_leaf(
    dataflow: Dataflow,
    id_: str,
    leaf: Leaf,
    operators: dict[str, ops.AnyOperator],
    links: list[Link],
) -> None:
    """The source of a leaf, what is known of it, and the columns of the signal it stands for."""
    below = _unused(f"{id_} leaf", dataflow, operators)
    operators[below] = leaf.source
    if leaf.facts:
        # A filter that every row passes, since the facts hold of all of them.
        facts = _unused(f"{id_} facts", dataflow, operators)
        operators[facts] = ops.Filter(conjunction(leaf.facts))
        links.append(Link(below, facts))
        below = facts
    fields = leaf.source.fields
    columns = (
        ex.Literal(None, f.type) if place is None else ex.Column(fields[place].name, f.type)
        for f, place in zip(dataflow.schemas[id_], leaf.columns, strict=True)
    )
    names = dataflow.schemas[id_].names
    operators[id_] = ops.Project(tuple(map(ex.Named, names, columns)))
    links.append(Link(below, id_))


def _unused(name: str, dataflow: Dataflow, operators: Mapping[str, ops.AnyOperator]) -> str:
    """An id that no operator has."""
    while name in operators or name in dataflow.operators:
        name += "'"
    return name
