"""Flow variables: values that travel along all connections, beside the tables, and override settings.

A node that may read them gets as further inputs what the nodes above it that may set them give at
port 0, so that it is never taken for the same where a variable may differ. Variables of the workflow
itself are constants: what they override is replaced where nothing else can have set them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

from veer.gui.knime.config import Config, table
from veer.gui.knime.workflow import VARIABLES, NativeNode, Port, Workflow
from veer.ir.dag import topological_order
from veer.ir.digests import json_digest

# Nodes of these packages neither set variables nor read them, unless their settings say so; but
# see `LOUD`.
QUIET = (
    "org.knime.base.node.preproc.",
    "org.knime.base.node.io.",
    "org.knime.base.node.mine.",
    "org.knime.base.node.rules.",
    "org.knime.base.node.stats.",
    "org.knime.base.node.viz.",
    "org.knime.base.node.meta.xvalidation.",
    "org.knime.base.views.",
    "org.knime.ext.jep.",
    "org.knime.ext.poi",
    "org.knime.testing.",
)
LOUD = (
    "variable",
    "script",
    "snippet",
    "scorer",
    "loop",
    "switch",
    "catch",
    "dimension",
    "listfiles",
    "listpaths",
    "tempdir",
    "createpaths",
    "path",
    "database",
    ".util.",
)
VIEW_VARIABLES = "view_variables"  # which override settings of a view
READ_IN_FORMULAS = "$${"  # before the name of a variable


@final
@dataclass(frozen=True)
class Override:
    """A setting, by its path, and the variable that gives its value."""

    path: tuple[str, ...]
    variable: str


def overrides(node: NativeNode) -> list[Override]:
    """The settings of a node that flow variables override."""
    tree = table(node.config, "variables", "tree")
    found = [Override(path, used) for path, used in _named(tree, (), "used_variable")]
    of_view = _named(table(node.config, VIEW_VARIABLES), (), "used_variable")
    return found + [Override((VIEW_VARIABLES, *path), used) for path, used in of_view]


def is_exposing(node: NativeNode) -> bool:
    """Whether a node makes flow variables of its settings."""
    tree = table(node.config, "variables", "tree")
    return any(True for _ in _named(tree, (), "exposed_variable"))


def _named(tree: Config, path: tuple[str, ...], key: str) -> Iterator[tuple[tuple[str, ...], str]]:
    for name, inner in tree.items():
        if isinstance(inner, dict):
            value = inner.get(key)
            if isinstance(value, str) and value:
                yield (*path, name), value
            yield from _named(inner, (*path, name), key)


def _is_quiet(node: NativeNode) -> bool:
    factory = node.factory
    return factory.startswith(QUIET) and not any(word in factory.lower() for word in LOUD)


def may_set(node: NativeNode) -> bool:
    """Whether nodes below may see flow variables that this one sets."""
    return is_exposing(node) or not _is_quiet(node)


def may_read(node: NativeNode) -> bool:
    """Whether what a node does may depend on flow variables."""
    if overrides(node) or not _is_quiet(node):
        return True
    return _mentions_variable(table(node.config, "model"))


def _mentions_variable(settings: Any) -> bool:
    if isinstance(settings, str):
        return READ_IN_FORMULAS in settings
    inner = settings.values() if isinstance(settings, dict) else settings
    return isinstance(settings, dict | list) and any(_mentions_variable(v) for v in inner)


def setters(workflow: Workflow, id_: str) -> list[Port]:
    """Where the flow variables that a node may see come from: port 0 of nodes above it.

    Those above a node that reads and sets variables itself are inputs of that node.
    """
    found: dict[str, None] = {}
    seen, waiting = {id_}, [id_]
    while waiting:
        node = workflow.nodes[waiting.pop()]
        for port in (*node.inputs.values(), *node.variables):
            if port.node in seen:
                continue
            seen.add(port.node)
            above = workflow.nodes[port.node]
            if may_set(above):
                found[above.id] = None
            if not (may_set(above) and may_read(above)):
                waiting.append(above.id)
    return [Port(setter, VARIABLES) for setter in sorted(found)]


def route(workflow: Workflow, id_: str, sources: list[Port]) -> str:
    """By which ways variables come to a node: of two of one name, the way decides which counts.

    Nodes on the way that set nothing, and where no ways meet, make no difference.
    """
    leaves = {port.node: str(place) for place, port in enumerate(sources)}
    above: dict[str, list[str]] = {}
    waiting = [id_]
    while waiting:
        node = workflow.nodes[waiting.pop()]
        ports = (*node.variables, *(node.inputs[number] for number in sorted(node.inputs)))
        is_leaf = node.id != id_ and may_set(node) and may_read(node)
        above[node.id] = [] if is_leaf else [port.node for port in ports]
        waiting += [other for other in above[node.id] if other not in above]
    ways: dict[str, str] = {}
    for here in topological_order(above):
        met = dict.fromkeys(ways[other] for other in above[here] if ways[other])
        if here in leaves:
            met = dict.fromkeys((leaves[here], *met))
        ways[here] = json_digest(list(met)) if len(met) > 1 else "".join(met)
    return ways[id_]


def resolved(workflow: Workflow, node: NativeNode, sources: list[Port]) -> tuple[Config, Config]:
    """The settings of a node with constants put in, and those that variables still override."""
    model, left = table(node.config, "model"), Config()
    for override in overrides(node):
        constant = workflow.constants.get(override.variable)
        if sources or not isinstance(constant, list) or override.path[0] == VIEW_VARIABLES:
            left[".".join(override.path)] = [override.variable, constant]
        else:
            model = _replaced(model, override.path, constant[1])
    return model, left


def _replaced(settings: Any, path: tuple[str, ...], value: Any) -> Any:
    if not path:
        return value
    if isinstance(settings, list):
        places = [str(place) for place in range(len(settings))]
        return [
            _replaced(s, path[1:], value) if place == path[0] else s
            for place, s in zip(places, settings, strict=True)
        ]
    inner = dict(settings) if isinstance(settings, dict) else {}
    inner[path[0]] = _replaced(inner.get(path[0]), path[1:], value)
    return inner
