"""Loops, switches and try blocks: what runs many times, or perhaps not at all, is one opaque node.

Nodes between the start of a loop and its end see one part of the data after another, and those
behind a switch may be inactive: read as if they ran once they would mean something else. All of
them together, known by their kinds, settings and wiring, are a function of what comes in.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from veer.gui.graph import Node, Wire
from veer.ir.dag import topological_order

STARTS = re.compile(
    r"Loop\w*(Start|Head)|(Start|Head)\w*Loop|XValidatePartitioner|ChunkStart"
    r"|(?i:ifswitch|emptytableswitch|casestart|caseswitch(?!\w*end))|Try\w*NodeFactory"
)
ENDS = re.compile(
    r"Loop\w*(End|Tail)|(End|Tail)\w*Loop|AggregateOutput|ChunkEnd"
    r"|(?i:endif|endcase|caseend|caseswitch\w*end)|Catch"
)
SCOPE = "scope"  # the kind of a node that stands for such a part


def collapsed(nodes: Iterable[Node]) -> list[Node]:
    """The nodes, those of each loop or switch in one."""
    by_id = {node.id: node for node in nodes}
    inside = _inside(by_id)
    if not inside:
        return list(by_id.values())
    parts = _parts(by_id, inside)
    while more := {id_ for part in parts for id_ in _between(by_id, part)} - inside:
        inside |= more
        parts = _parts(by_id, inside)
    moved: dict[Wire, Wire] = {}
    taken = {wire for node in by_id.values() for _, wire in node.inputs}
    merged = [_merged(part, by_id, taken, moved) for part in parts]
    outside = [node for id_, node in by_id.items() if id_ not in inside]
    return [_rewired(node, moved) for node in (*outside, *merged)]


def _name(kind: str) -> str:
    return kind.rpartition(".")[2]


def _inside(nodes: Mapping[str, Node]) -> set[str]:
    """The nodes that run in a loop or behind a switch, its start and end among them."""
    order = topological_order({id_: [w.node for _, w in n.inputs] for id_, n in nodes.items()})
    depth_after: dict[str, int] = {}
    inside: set[str] = set()
    for id_ in order:
        node = nodes[id_]
        depth = max((depth_after[wire.node] for _, wire in node.inputs), default=0)
        name = _name(node.kind)
        is_end = ENDS.search(name) is not None
        is_start = not is_end and STARTS.search(name) is not None
        if depth or is_start or is_end:
            inside.add(id_)
        depth_after[id_] = depth + 1 if is_start else max(depth - is_end, 0)
    return inside


def _parts(nodes: Mapping[str, Node], inside: set[str]) -> list[list[str]]:
    """The nodes that are connected within, sorted."""
    neighbours: defaultdict[str, set[str]] = defaultdict(set)
    for id_ in inside:
        for _, wire in nodes[id_].inputs:
            if wire.node in inside:
                neighbours[id_].add(wire.node)
                neighbours[wire.node].add(id_)
    parts, seen = [], set[str]()
    for id_ in sorted(inside):
        if id_ in seen:
            continue
        part, waiting = set[str](), [id_]
        while waiting:
            one = waiting.pop()
            if one not in part:
                part.add(one)
                waiting += neighbours[one]
        seen |= part
        parts.append(sorted(part))
    return parts


def _between(nodes: Mapping[str, Node], part: list[str]) -> set[str]:
    """The nodes that take from a part and give to it: with it in one, they would be a circle."""
    feeding = {id_: {w.node for _, w in n.inputs} for id_, n in nodes.items()}
    fed: defaultdict[str, set[str]] = defaultdict(set)
    for id_, sources in feeding.items():
        for source in sources:
            fed[source].add(id_)
    return _reached(part, feeding) & _reached(part, fed)


def _reached(start: list[str], next_: Mapping[str, set[str]]) -> set[str]:
    reached, waiting = set(start), list(start)
    while waiting:
        for id_ in next_.get(waiting.pop(), ()):
            if id_ not in reached:
                reached.add(id_)
                waiting.append(id_)
    return reached


def _merged(
    part: list[str], nodes: Mapping[str, Node], taken: set[Wire], moved: dict[Wire, Wire]
) -> Node:
    """One node for many; `moved` is told where their outputs are now."""
    members = set(part)
    first = next((id_ for id_ in part if STARTS.search(_name(nodes[id_].kind))), part[0])
    inputs = [
        (f"{id_}.{port}", wire)
        for id_ in part
        for port, wire in nodes[id_].inputs
        if wire.node not in members
    ]
    outside = {
        wire
        for id_, node in nodes.items()
        if id_ not in members
        for _, wire in node.inputs
        if wire.node in members
    }
    shown = [
        Wire(id_, port)
        for id_ in part
        for port in (nodes[id_].outputs or ("written",))
        if Wire(id_, port) not in taken
    ]
    ports = sorted({f"{w.node}.{w.port}" for w in (*outside, *shown)})
    moved.update({w: Wire(first, f"{w.node}.{w.port}") for w in outside})
    content = {
        id_: [
            nodes[id_].kind,
            nodes[id_].settings,
            [
                [port, wire.node if wire.node in members else "", wire.port]
                for port, wire in nodes[id_].inputs
            ],
        ]
        for id_ in part
    }
    settings = {"nodes": content, "shown": sorted(f"{w.node}.{w.port}" for w in shown)}
    return Node(first, SCOPE, nodes[first].title, settings, tuple(inputs), tuple(ports))


def _rewired(node: Node, moved: Mapping[Wire, Wire]) -> Node:
    inputs = tuple((port, moved.get(wire, wire)) for port, wire in node.inputs)
    return Node(node.id, node.kind, node.title, node.settings, inputs, node.outputs)
