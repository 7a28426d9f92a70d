"""Macros opened in the workflows that use them.

Only those that do the same everywhere are: without questions, batches and iterations, with all
inputs connected and without mapped columns. Others stay opaque.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from veer.gui.alteryx.config import config_of
from veer.gui.graph import Node, Wire

INPUT, OUTPUT = "MacroInput", "MacroOutput"
VIEWERS = ("Browse", "BrowseV2")  # inside of a macro they show nothing


def inlined(nodes: list[Node], macro: Callable[[Node], Mapping[str, Node] | None]) -> list[Node]:
    """The nodes with those of macros in their places, called `12/3`."""
    result: list[Node] = []
    outputs: dict[Wire, Wire] = {}  # of macros: what is fed into them inside
    taken = {wire for node in nodes for _, wire in node.inputs}
    for node in nodes:
        inside = macro(node) if "macro" in node.settings else None
        opened = _opened(node, inside, taken) if inside is not None else None
        if opened is None:
            result.append(node)
            continue
        added, given = opened
        result += added
        outputs |= given
    if not outputs:
        return result
    return [replace(node, inputs=_rewired(node, outputs)) for node in result]


def _rewired(node: Node, outputs: Mapping[Wire, Wire]) -> tuple[tuple[str, Wire], ...]:
    return tuple((port, _final(wire, outputs)) for port, wire in node.inputs)


def _final(wire: Wire, outputs: Mapping[Wire, Wire]) -> Wire:
    """Where a wire comes from, through macros that only pass on."""
    for _ in range(len(outputs)):
        if wire not in outputs:
            break
        wire = outputs[wire]
    return wire


def _name(node: Node) -> str:
    return config_of(node.settings).text_of("Name")


def _opened(
    node: Node, inside: Mapping[str, Node], taken: Iterable[Wire]
) -> tuple[list[Node], dict[Wire, Wire]] | None:
    """The nodes of a macro for one use of it, and what its outputs are; none if it stays closed."""
    arriving = {port.partition(" ")[0]: wire for port, wire in node.inputs}
    entries = {inner.id: _name(inner) for inner in inside.values() if inner.kind == INPUT}
    exits = {_name(inner): inner for inner in inside.values() if inner.kind == OUTPUT}
    mapped = any(config_of(inside[id_].settings).is_true("ShowFieldMap") for id_ in entries)
    used = {wire.port for wire in taken if wire.node == node.id}
    fits = (
        set(entries.values()) == set(arriving)
        and len(arriving) == len(node.inputs) == len(entries)
        and bool(used)
        and used <= set(exits)
        and not mapped
        and not any("changed by" in inner.settings for inner in inside.values())
        and all(len(inner.inputs) == 1 for inner in exits.values())
    )
    if not fits:
        return None

    def placed(wire: Wire) -> Wire:
        if wire.node in entries:
            return arriving[entries[wire.node]]
        return Wire(f"{node.id}/{wire.node}", wire.port)

    given = {Wire(node.id, name): placed(exits[name].inputs[0][1]) for name in used}
    kept = _needed(inside, [exits[name] for name in used])
    added = [
        replace(
            inner,
            id=f"{node.id}/{inner.id}",
            inputs=tuple((port, placed(wire)) for port, wire in inner.inputs),
        )
        for inner in kept
    ]
    return added, given


def _needed(inside: Mapping[str, Node], exits: Iterable[Node]) -> list[Node]:
    """The nodes of a macro that its outputs are made of, and those that write."""
    ends = [n for n in inside.values() if not n.outputs and n.kind not in (*VIEWERS, OUTPUT)]
    waiting = [wire.node for end in exits for _, wire in end.inputs]
    waiting += [end.id for end in ends]
    needed: set[str] = set()
    while waiting:
        id_ = waiting.pop()
        if id_ not in needed:
            needed.add(id_)
            waiting += [wire.node for _, wire in inside[id_].inputs]
    return [n for n in inside.values() if n.id in needed and n.kind != INPUT]
