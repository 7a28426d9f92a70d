"""Workflow files of Orange: nodes and links, and the settings that each node was saved with.

Nodes are numbered anew at each save, so the titles people see are their ids, see `node_ids`. Settings are Python
literals, JSON or pickles; a pickle is never loaded, see `pickled`.
"""

from __future__ import annotations

import ast
import base64
import binascii
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import Element

from veer.errors import ParseError, UnsupportedError
from veer.gui import graph
from veer.gui.documents import read_xml
from veer.gui.orange.node_ids import with_ids
from veer.gui.orange.pickled import Copier, read_pickle
from veer.gui.orange.relevant_settings import worth_keeping
from veer.gui.orange.widgets import (
    channel_of,
    gives_nothing_without_input,
    is_learner,
    kind_of,
)
from veer.ir.dag import topological_order
from veer.read.inputs import Input, ReadOptions

MOST_BYTES = 64_000_000
MOST_LITERAL = 2_000_000  # characters of the settings of a node that are a literal of Python
MOST_PARTS = 200_000  # of such a literal: each takes a thousand times its length to parse
MOST_SETTINGS = 16_000_000  # characters of all settings together
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")


def read_graph_file(source: Input, _: ReadOptions) -> graph.Graph:
    """The graph in a `.ows` file."""
    return read_ows(source.read_bytes())


def read_ows(data: bytes) -> graph.Graph:
    """The graph of a workflow; links that are switched off are left out."""
    if len(data) > MOST_BYTES:
        raise ParseError(f"a workflow of {len(data):,} bytes; at most {MOST_BYTES:,} are read")
    root = read_xml(data)
    if root.tag == "schema":
        raise UnsupportedError("a workflow of Orange 2 (schema): save it with Orange 3")
    version = root.get("version", "")
    if root.tag != "scheme" or not version.startswith("2."):
        raise ParseError(f"no workflow of Orange: <{root.tag} version={version!r}>")
    elements = root.findall("nodes/node")
    if len(elements) > graph.MOST_NODES:
        raise ParseError(f"more than {graph.MOST_NODES:,} nodes")
    titles = _titles(elements)
    settings = _settings(root, titles)
    inputs, outputs = _links(root)
    nodes = []
    for element in elements:
        number = element.get("id", "")
        kind, title = _kind(element), _title(element)
        nodes.append(
            graph.Node(
                number,
                kind,
                title,
                _with_name(kind, title, worth_keeping(kind, settings.get(number, {}))),
                tuple(inputs.get(number, ())),
                tuple(sorted(outputs.get(number, ()))),
            )
        )
    return graph.graph_of(with_ids(_without_starved(nodes)))


def _kind(element: Element) -> str:
    name = element.get("qualified_name")
    if not name:
        raise ParseError(
            f"node {element.get('title') or element.get('id')!r} has no qualified_name"
        )
    return kind_of(name)


def _title(element: Element) -> str:
    return element.get("title") or element.get("name") or _kind(element)


def _with_name(kind: str, title: str, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of a learner, which may call its model like itself if it has no other name."""
    if not is_learner(kind) or settings.get("learner_name"):
        return settings
    return {**settings, "(title)": title}


def _titles(elements: Sequence[Element]) -> dict[str, str]:
    """The title of each node by its number."""
    titles: dict[str, str] = {}
    for element in elements:
        number = element.get("id")
        if number is None:
            raise ParseError(f"node {element.get('title')!r} has no id")
        if number in titles:
            raise ParseError(f"two nodes have the id {number!r}")
        titles[number] = _title(element)
    return titles


def _links(
    root: Element,
) -> tuple[dict[str, list[tuple[str, graph.Wire]]], dict[str, set[str]]]:
    """What arrives at each node, in the order of the links of a channel, and which outputs are taken."""
    kinds = {element.get("id", ""): _kind(element) for element in root.findall("nodes/node")}
    inputs: dict[str, list[tuple[str, graph.Wire]]] = {}
    outputs: dict[str, set[str]] = {}
    for link in root.findall("links/link"):
        ends = link.get("source_node_id", ""), link.get("sink_node_id", "")
        for end in ends:
            if end not in kinds:
                raise ParseError(f"link {link.get('id')!r}: no node {end!r}")
        if link.get("enabled", "true").lower() == "false":
            continue
        source, sink = ends
        given, taken = link.get("source_channel", ""), link.get("sink_channel", "")
        if not given or not taken:
            raise ParseError(f"link {link.get('id')!r} does not name its channels")
        given = channel_of(kinds[source], given)
        wire = graph.Wire(source, given)
        inputs.setdefault(sink, []).append((channel_of(kinds[sink], taken), wire))
        outputs.setdefault(source, set()).add(given)
    for arriving in inputs.values():
        arriving.sort(key=lambda item: item[0])
    return inputs, outputs


def _without_starved(nodes: Sequence[graph.Node]) -> list[graph.Node]:
    """All nodes but those that wait for data which never comes: they show and give nothing."""
    by_id = {node.id: node for node in nodes}
    feeding = {node.id: [wire.node for _, wire in node.inputs] for node in nodes}
    gone: set[str] = set()
    for id_ in topological_order(feeding):
        node = by_id[id_]
        fed = tuple((port, wire) for port, wire in node.inputs if wire.node not in gone)
        by_id[id_] = node if len(fed) == len(node.inputs) else replace(node, inputs=fed)
        if not fed and gives_nothing_without_input(node.kind):
            gone.add(id_)
    kept = [by_id[node.id] for node in nodes if node.id not in gone]
    return kept or list(nodes)


# -- settings --------------------------------------------------------------------------------------


def _settings(root: Element, titles: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    settings: dict[str, dict[str, Any]] = {}
    elements = root.findall("node_properties/properties")
    if sum(len(element.text or "") for element in elements) > MOST_SETTINGS:
        raise ParseError(f"settings of more than {MOST_SETTINGS:,} characters")
    copied = Copier()
    for element in elements:
        number = element.get("node_id", "")
        if number not in titles:
            raise ParseError(f"properties of a node {number!r} that does not exist")
        try:
            value = copied.of(_value(element.get("format", "pickle"), element.text or ""))
        except ParseError as error:
            raise ParseError(f"{titles[number]}: {error}") from None
        except RecursionError:
            raise ParseError(f"{titles[number]}: settings nested too deeply") from None
        if not isinstance(value, dict):
            raise ParseError(f"{titles[number]}: settings that are no dict")
        settings[number] = value
    return settings


def _value(format_: str, text: str) -> Any:
    """The value of a text in one of the formats that Orange writes."""
    if not text.strip():
        return {}
    match format_:
        case "literal":
            return _literal(text)
        case "json":
            try:
                return json.loads(text)
            except (ValueError, RecursionError) as error:
                raise ParseError(f"settings are no JSON: {error}") from None
        case "pickle":
            return read_pickle(_bytes(text))
        case _:
            raise ParseError(f"settings in an unknown format {format_!r}")


def _literal(text: str) -> Any:
    if len(text) > MOST_LITERAL:
        raise ParseError(f"settings of {len(text):,} characters; at most {MOST_LITERAL:,} are read")
    if sum(map(text.count, ",[({-+")) > MOST_PARTS:
        raise ParseError(f"settings of more than {MOST_PARTS:,} parts")
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ParseError(f"settings are no literal of Python: {type(error).__name__}") from None


def _bytes(text: str) -> bytes:
    """The bytes of a pickle: in base64, or as they are, which old versions did."""
    try:
        if _BASE64.fullmatch(text):
            return base64.b64decode("".join(text.split()), validate=True)
        return text.strip().encode("latin-1")
    except (binascii.Error, ValueError):
        raise ParseError("settings are no pickle: not in base64") from None
