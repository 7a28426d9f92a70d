"""Ids of widgets: their titles; and of twins, which have title and kind in common, what tells them apart.

The order of widgets in a file says nothing, so twins go by all that decides what they give: settings,
and what feeds them. In two versions, twins of which nothing is the same belong together if they are
the only ones left, or the only ones left with these neighbours. All others stay apart: what they
show has no partner in the other version.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

from veer.gui.graph import Graph, Node, Wire
from veer.ir.dag import topological_order
from veer.ir.digests import json_digest

_SHOWN = 8  # characters of a digest


def with_ids(nodes: Sequence[Node]) -> list[Node]:
    """Nodes that are called by their titles; where others have it, by their kind; else by a digest."""
    titles = Counter(node.title for node in nodes)
    twins = Counter(map(_look, nodes))
    digests = _digests(nodes) if max(twins.values(), default=0) > 1 else {}
    taken = {title for title, count in titles.items() if count == 1}
    ids: dict[str, str] = {}
    for node in nodes:
        id_ = node.title
        if titles[node.title] > 1:
            told = f" {digests[node.id][:_SHOWN]}" if twins[_look(node)] > 1 else ""
            id_ = _free(f"{node.title} [{node.kind.rpartition('.')[2]}{told}]", taken)
            taken.add(id_)
        ids[node.id] = id_
    return _renamed(nodes, ids)


def _look(node: Node) -> tuple[str, str]:
    return node.title, node.kind


def _free(name: str, taken: set[str]) -> str:
    free, count = name, 1
    while free in taken:
        count += 1
        free = f"{name[:-1]} {count}]"
    return free


def _digests(nodes: Iterable[Node]) -> dict[str, str]:
    """What decides what nodes give: their kinds and settings, and those of all that feeds them."""
    by_id = {node.id: node for node in nodes}
    digests: dict[str, str] = {}
    for id_ in topological_order({i: [w.node for _, w in n.inputs] for i, n in by_id.items()}):
        node = by_id[id_]
        fed = [[port, digests[wire.node], wire.port] for port, wire in node.inputs]
        digests[id_] = json_digest([node.kind, dict(node.settings), fed])
    return digests


def _renamed(nodes: Iterable[Node], ids: Mapping[str, str]) -> list[Node]:
    return [
        replace(
            node,
            id=ids[node.id],
            inputs=tuple((port, Wire(ids[wire.node], wire.port)) for port, wire in node.inputs),
        )
        for node in nodes
    ]


# -- two versions ----------------------------------------------------------------------------------


def agree(graphs: list[Graph]) -> list[Graph]:
    """Graphs in which twins that belong together are called alike."""
    if len(graphs) != 2:
        return graphs
    p, q = graphs
    partners: dict[str, str] = {}  # ids in Q, and those that they get
    for key in (_neighbours(p), _neighbours(q)), (_looks(p), _looks(q)):
        left = _alone(p, key[0], {*q.nodes, *partners.values()})
        right = _alone(q, key[1], {*p.nodes, *partners})
        partners |= {right[k]: id_ for k, id_ in left.items() if k in right}
    ids = {id_: partners.get(id_, id_) for id_ in q.nodes}
    return [p, Graph({node.id: node for node in _renamed(q.nodes.values(), ids)})]


def _alone(graph: Graph, key: Callable[[Node], Hashable], gone: set[str]) -> dict[Hashable, str]:
    """The ids of twins that are left, by a key that none of the others has."""
    looks = Counter(map(_look, graph.nodes.values()))
    left = [n for n in graph.nodes.values() if looks[_look(n)] > 1 and n.id not in gone]
    often = Counter(map(key, left))
    return {key(node): node.id for node in left if often[key(node)] == 1}


def _looks(_: Graph) -> Callable[[Node], Hashable]:
    return _look


def _neighbours(graph: Graph) -> Callable[[Node], Hashable]:
    """Title and kind of a node, with those of the nodes around it."""
    fed: dict[str, list[tuple[str, str, str, str]]] = {}
    for node in graph.nodes.values():
        for port, wire in node.inputs:
            fed.setdefault(wire.node, []).append((wire.port, *_look(node), port))

    def key(node: Node) -> Hashable:
        feeding = ((port, *_look(graph.nodes[wire.node]), wire.port) for port, wire in node.inputs)
        return _look(node), tuple(sorted(feeding)), tuple(sorted(fed.get(node.id, ())))

    return key
