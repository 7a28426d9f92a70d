"""Texera's JSON as a graph: what is exported, what its database keeps, and the plan it runs.

{"operators": [{"operatorID", "operatorType", "operatorProperties", ...}], "links": [...]}
{"name": ..., "content": "<the above as text>"}
{"operators": [{"operatorID", "operatorType", <properties>}], "links": [{"fromOpId", ...}]}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from veer.errors import ParseError
from veer.gui.graph import Graph, Node, Wire, graph_of
from veer.read.json_text import read_json

DEEPEST = 60  # of nested properties
# What an operator of the plan has beside its properties.
OF_OPERATOR = frozenset(
    {"operatorID", "operatorType", "operatorVersion", "inputPorts", "outputPorts", "isDisabled"}
    | {"viewResult", "markedForReuse", "customDisplayName", "showAdvanced", "operatorProperties"}
    | {"dynamicInputPorts", "dynamicOutputPorts"}
)


def read_graph(text: str) -> Graph:
    """The graph of a workflow in any of its forms."""
    data = read_json(text)
    content = data.get("content") if isinstance(data, dict) else None
    if content is not None:
        data = read_json(content) if isinstance(content, str) else content
    if not isinstance(data, dict) or not isinstance(data.get("operators"), list):
        raise ParseError("no workflow of Texera: 'operators' is not a list")
    links = data.get("links", [])
    if not isinstance(links, list):
        raise ParseError("'links' is not a list")
    operators = _without_disabled([_operator(o) for o in data["operators"]], links)
    arriving: dict[str, list[tuple[str, Wire]]] = {id_: [] for id_ in operators}
    for link in links:
        source, target = _ends(link)
        for end in (source, target):
            if end.node not in operators and not _is_known(end.node, data["operators"]):
                raise ParseError(f"a link to {end.node!r}, which is not an operator")
        if source.node in operators and target.node in operators:
            arriving[target.node].append((target.port, source))
    for inputs in arriving.values():
        inputs.sort(key=lambda arrival: _number(arrival[0]))
    return graph_of(
        _node(operator, tuple(arriving[id_]), _taken(id_, arriving))
        for id_, operator in operators.items()
    )


def _operator(data: Any) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise ParseError("an operator is not an object")
    for name in ("operatorID", "operatorType"):
        if not isinstance(data.get(name), str) or not data[name]:
            raise ParseError(f"an operator has no {name}")
    properties = data.get("operatorProperties", {})
    if not isinstance(properties, dict):
        raise ParseError(f"operator {data['operatorID']!r}: its properties are no object")
    _check_depth(properties, data["operatorID"])
    return data


def _check_depth(value: Any, id_: str, depth: int = 0) -> None:
    if depth > DEEPEST:
        raise ParseError(f"operator {id_!r}: properties nested too deeply")
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in inside:
        _check_depth(item, id_, depth + 1)


def _is_known(id_: str, operators: Sequence[Any]) -> bool:
    return any(isinstance(o, dict) and o.get("operatorID") == id_ for o in operators)


def _ends(link: Any) -> tuple[Wire, Wire]:
    """Where a link leaves and arrives, in each of its forms."""
    if not isinstance(link, dict):
        raise ParseError("a link is not an object")
    if "source" in link or "target" in link:
        ends: list[Any] = [link.get(name) for name in ("source", "target")]
        if all(isinstance(e, dict) and isinstance(e.get("operatorID"), str) for e in ends):
            source, target = (Wire(e["operatorID"], str(e.get("portID", "0"))) for e in ends)
            return _numbered(source), _numbered(target)
    elif isinstance(link.get("fromOpId"), str) and isinstance(link.get("toOpId"), str):
        source = Wire(link["fromOpId"], _port(link.get("fromPortId")))
        return _numbered(source), _numbered(Wire(link["toOpId"], _port(link.get("toPortId"))))
    elif isinstance(link.get("origin"), dict) and isinstance(link.get("destination"), dict):
        ends = [link["origin"], link["destination"]]
        if all(isinstance(e.get("operatorID"), str) for e in ends):
            source, target = (Wire(e["operatorID"], str(e.get("portOrdinal", 0))) for e in ends)
            return _numbered(source), _numbered(target)
    raise ParseError("a link does not name two operators")


def _port(data: Any) -> str:
    return str(data.get("id", 0)) if isinstance(data, dict) else str(data or 0)


def _numbered(wire: Wire) -> Wire:
    """`output-1` is port 1."""
    return Wire(wire.node, str(_number(wire.port)))


def _number(port: str) -> int:
    digits = port.rpartition("-")[2]
    if not digits.isdecimal() or len(digits) > 4:
        raise ParseError(f"{port!r} is not a port")
    return int(digits)


def _without_disabled(
    operators: Sequence[Mapping[str, Any]], links: Sequence[Any]
) -> dict[str, Mapping[str, Any]]:
    """All operators but those switched off, and those left without what fed one of their ports."""
    kept = {}
    for operator in operators:
        if operator["operatorID"] in kept:
            raise ParseError(f"two operators have the id {operator['operatorID']!r}")
        kept[operator["operatorID"]] = operator
    ends = [_ends(link) for link in links]
    gone = [id_ for id_, operator in kept.items() if operator.get("isDisabled") is True]
    while gone:
        for id_ in gone:
            kept.pop(id_, None)
        ports: dict[Wire, bool] = {}
        for source, target in ends:
            if target.node in kept:
                ports[target] = ports.get(target, False) or source.node in kept
        gone = sorted({target.node for target, is_fed in ports.items() if not is_fed})
    return kept


def _taken(id_: str, arriving: Mapping[str, Sequence[tuple[str, Wire]]]) -> set[str]:
    """The ports of an operator that others take from."""
    return {wire.port for inputs in arriving.values() for _, wire in inputs if wire.node == id_}


def _node(
    operator: Mapping[str, Any], inputs: tuple[tuple[str, Wire], ...], taken: set[str]
) -> Node:
    kind = operator["operatorType"]
    if "operatorProperties" in operator:
        settings = dict(operator["operatorProperties"])
    else:
        settings = {name: value for name, value in operator.items() if name not in OF_OPERATOR}
    declared = operator.get("outputPorts")
    count = len(declared) if isinstance(declared, list) else 1
    ports = {str(number) for number in range(count)} | taken
    title = operator.get("customDisplayName")
    return Node(
        operator["operatorID"],
        kind,
        title if isinstance(title, str) and title else kind,
        settings,
        inputs,
        tuple(sorted(ports, key=int)),
        operator.get("viewResult") is True,
    )
