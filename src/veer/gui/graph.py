"""A workflow as its file tells it: nodes with settings, wired from port to port.

Each front end makes one of its documents: metanodes and containers are inlined, what is switched
off is left out, positions and comments are gone. What the nodes mean is a second step, `reading`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, final

from veer.errors import IllFormedError, ParseError
from veer.ir.types import DataType

MOST_NODES = 20_000
Columns: TypeAlias = tuple[tuple[str, DataType | None], ...]  # without a type if it is not known


@final
@dataclass(frozen=True)
class Wire:
    """Where an input comes from: a port of a node."""

    node: str
    port: str


@final
@dataclass(frozen=True)
class Node:
    """An operator of the other system.

    `settings` is all that it is known by, as values of JSON: layout, window sizes and what the last
    run left behind are not among them. `inputs` are in the order in which they count: the name of
    the port each arrives at, and where it comes from; several may arrive at one port.
    """

    id: str  # stable between versions of a file
    kind: str  # the type of operator, as the other system calls it
    title: str  # what people see
    settings: Mapping[str, Any] = field(default_factory=dict)
    inputs: tuple[tuple[str, Wire], ...] = ()
    outputs: tuple[str, ...] = ("out",)  # none of a node that only shows or writes
    shown: bool = False  # what it gives is a result, even if others take it
    # What the file tells of the columns at output ports; a node is not known by them, since they
    # follow from the rest and may be those of an earlier run.
    columns: Mapping[str, Columns] = field(default_factory=dict)


@final
@dataclass(frozen=True)
class Graph:
    """All nodes of a workflow, by id."""

    nodes: Mapping[str, Node]

    def __post_init__(self) -> None:
        for node in self.nodes.values():
            for port, wire in node.inputs:
                if wire.node not in self.nodes:
                    raise IllFormedError(
                        f"{node.title} ({node.id}): no node {wire.node!r} at {port!r}"
                    )


def graph_of(nodes: Iterable[Node]) -> Graph:
    """The graph of nodes, each with an id of its own."""
    by_id: dict[str, Node] = {}
    for node in nodes:
        if node.id in by_id:
            raise ParseError(f"two nodes have the id {node.id!r}")
        by_id[node.id] = node
        if len(by_id) > MOST_NODES:
            raise ParseError(f"more than {MOST_NODES:,} nodes")
    if not by_id:
        raise ParseError("a workflow without nodes")
    return Graph(by_id)
