"""From the files of a KNIME workflow to its graph."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from veer.gui.graph import Graph, Node, Wire, graph_of
from veer.gui.knime import variables
from veer.gui.knime.config import Config, table
from veer.gui.knime.files import files_of
from veer.gui.knime.scopes import collapsed
from veer.gui.knime.settings import canonical
from veer.gui.knime.workflow import NativeNode, Port, Workflow, read_workflow
from veer.read.inputs import Input, ReadOptions

VARIABLES = "variables"  # in the settings of a node: those that flow variables override
ANY_ORDER = "any order"  # in the settings of a node: its rows may come in another order each time
JOINER = "org.knime.base.node.preproc.joiner3.Joiner3NodeFactory"
# Nodes that say how a workflow is tested, and compute nothing.
LEFT_OUT = frozenset({"org.knime.testing.node.config.TestConfigNodeFactory"})


def read_graph(source: Input, options: ReadOptions) -> Graph:
    """The graph of the workflow in an archive or folder."""
    workflow = read_workflow(files_of(source))
    readers = {
        id_: variables.setters(workflow, id_) if variables.may_read(node) else []
        for id_, node in workflow.nodes.items()
    }
    for sources in readers.values():
        for port in sources:
            workflow.nodes[port.node].used.add(port.number)
    kept = [n for n in workflow.nodes.values() if n.factory not in LEFT_OUT or n.used]
    nodes = collapsed(_node(workflow, node, readers[node.id]) for node in kept)
    return graph_of(_told_of_order(nodes))


def _told_of_order(nodes: list[Node]) -> list[Node]:
    """The nodes; those below a join that gives its rows in any order know that.

    What such a node does with the order may be something else each time it runs.
    """
    fed: defaultdict[str, list[str]] = defaultdict(list)
    for node in nodes:
        for _, wire in node.inputs:
            fed[wire.node].append(node.id)
    waiting = [below for node in nodes if _gives_any_order(node) for below in fed[node.id]]
    told = set[str]()
    while waiting:
        id_ = waiting.pop()
        if id_ not in told:
            told.add(id_)
            waiting += fed[id_]
    return [
        replace(node, settings={**node.settings, ANY_ORDER: True}) if node.id in told else node
        for node in nodes
    ]


def _gives_any_order(node: Node) -> bool:
    order = table(node.settings, "model").get("outputRowOrder")
    return node.kind == JOINER and order not in ("LEFT_RIGHT", "DETERMINISTIC")


def _node(workflow: Workflow, node: NativeNode, sources: list[Port]) -> Node:
    model, left = variables.resolved(workflow, node, sources)
    settings: Config = {"model": canonical(model)}
    for key in ("factory_settings", "nodeCreationConfig", "node_creation_config", "view"):
        if table(node.config, key):
            settings[key] = canonical(node.config[key])
    if left or (sources and variables.may_read(node)):
        settings[VARIABLES] = left
        settings["constants"] = workflow.constants
    if len(sources) > 1:
        settings["ways"] = variables.route(workflow, node.id, sources)
    if components := _components(workflow, node, sees_variables=VARIABLES in settings):
        settings["components"] = components
    if variables.is_exposing(node):
        settings["exposed"] = table(node.config, "variables", "tree")
    given = node.inputs.items()
    inputs = [(str(number), _wire(port)) for number, port in sorted(given, key=lambda g: g[0])]
    wired = {wire for _, wire in inputs}
    inputs += [("0", _wire(port)) for port in sources if _wire(port) not in wired]
    return Node(node.id, node.factory, node.title, settings, tuple(inputs), _outputs(node))


def _components(workflow: Workflow, node: NativeNode, *, sees_variables: bool) -> list[str]:
    """The settings of components that a node may see: of those it is in.

    One that sees flow variables may see those of any other, since they come along.
    """
    if not workflow.components or sees_variables:
        return sorted(workflow.components.values())
    ids = node.id.split(":")
    paths = ("".join(f"{id_}:" for id_ in ids[:level]) for level in range(1, len(ids)))
    return [workflow.components[path] for path in paths if path in workflow.components]


def _wire(port: Port) -> Wire:
    return Wire(port.node, str(port.number))


def _outputs(node: NativeNode) -> tuple[str, ...]:
    """The ports of a node: those its settings list, and those that are connected."""
    listed = {
        port["index"]
        for port in table(node.config, "ports").values()
        if isinstance(port, dict) and isinstance(port.get("index"), int)
    }
    return tuple(str(number) for number in sorted({n for n in listed if n > 0} | node.used))
