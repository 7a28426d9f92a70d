"""What Veer knows of KNIME's nodes."""

from __future__ import annotations

from collections.abc import Mapping

from veer.frontends.gui.graph import Node
from veer.frontends.gui.reading import Model, Outputs, Step, System
from veer.frontends.knime.scopes import SCOPE


def read_scope(step: Step) -> Outputs:
    """A loop or switch with all that is in it; what its nodes leave at their ends is a result."""
    outputs = {}
    for port in step.node.outputs:
        step.port(port)
        outputs[port] = step.opaque(port)
    for port in step.node.settings["shown"]:
        step.sink(outputs[port], name=f"{step.name}.{port}")
    return outputs


MODELS: Mapping[str, Model] = {SCOPE: read_scope}


def shown(node: Node) -> str:
    """The name of a node for people."""
    return f"{node.title} (#{node.id})"


SYSTEM = System("knime", MODELS, shown=shown, opaque_sees_order=True)
