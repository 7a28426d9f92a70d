"""Versions of Alteryx workflows, for the registry of front ends."""

from __future__ import annotations

import json
from dataclasses import replace

from veer.gui.alteryx.graph import read_graph
from veer.gui.alteryx.meaning import may_choose
from veer.gui.alteryx.models import MODELS
from veer.gui.graph import Columns, Graph, Node
from veer.gui.reading import Importer, System


def agree(graphs: list[Graph]) -> list[Graph]:
    """Graphs in which tools of the same settings tell the same columns.

    What a file tells is a memory of its last run. Where two memories of the same tool differ, a type
    that is not the same is not known, and if the names differ nothing is.
    """
    told: dict[tuple[str, str], list[Columns]] = {}
    for graph in graphs:
        for node in graph.nodes.values():
            for port in node.outputs:
                told.setdefault(_key(node, port), []).append(node.columns.get(port, ()))
    return [
        Graph({id_: _agreed(node, told) for id_, node in graph.nodes.items()}) for graph in graphs
    ]


def _key(node: Node, port: str) -> tuple[str, str]:
    return json.dumps([node.kind, node.settings], sort_keys=True), port


def _agreed(node: Node, told: dict[tuple[str, str], list[Columns]]) -> Node:
    common = {port: _common(told[_key(node, port)]) for port in node.outputs}
    return replace(node, columns={port: columns for port, columns in common.items() if columns})


def _common(memories: list[Columns]) -> Columns:
    present = [m for m in memories if m]
    names = {tuple(name for name, _ in m) for m in present}
    if len(names) != 1:
        return ()
    return tuple(
        (name, type_ if all(m[i][1] == type_ for m in present) else None)
        for i, (name, type_) in enumerate(present[0])
    )


SYSTEM = System(
    "alteryx",
    MODELS,
    columns=lambda node, port: node.columns.get(port) if not node.inputs else None,
    # Tools that run programs or ask servers have no model: they are free.
    is_free=lambda node: may_choose(node.settings),
    remembers=True,
    tells_declared=True,
)
IMPORTER = Importer(SYSTEM, read_graph, agree)
read = IMPORTER.read
read_pair = IMPORTER.read_pair
