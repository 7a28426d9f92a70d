"""From the files of a workflow to its native nodes, wired directly: metanodes and components gone.

Ports of a native node and of a component count from 1, port 0 is that of flow variables. Ports of a
metanode count from 0. Inside of a metanode its own ports are those of the node -1; inside of a
component two nodes stand for them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import final

from veer.errors import ParseError, UnsupportedError
from veer.gui.graph import MOST_NODES
from veer.gui.knime import config as knime_config
from veer.gui.knime.files import ENCRYPTED, WORKFLOW, Files
from veer.gui.knime.settings import canonical
from veer.ir.digests import json_digest

OLDEST = (2, 1)  # in earlier versions ports are counted in another way
MOST_LEVELS = 40
SETTINGS = "settings.xml"
OUTSIDE = -1
VARIABLES = 0  # the port of flow variables


@final
@dataclass(frozen=True)
class Port:
    """A port of a native node, by the path of ids to it: `15:3`."""

    node: str
    number: int


@final
@dataclass
class NativeNode:
    """A node that computes something, as its settings.xml describes it."""

    id: str
    config: knime_config.Config
    inputs: dict[int, Port] = field(default_factory=dict)  # tables, models and the like
    variables: list[Port] = field(
        default_factory=list
    )  # nodes whose flow variables it can see, in order
    used: set[int] = field(default_factory=set)  # its output ports that are connected

    @property
    def factory(self) -> str:
        """The Java class that makes such nodes: the type of the node."""
        return knime_config.text(self.config, "factory")

    @property
    def title(self) -> str:
        """What people call it."""
        return (
            knime_config.text(self.config, "node-name")
            or knime_config.text(self.config, "name")
            or self.factory
        )


@final
@dataclass
class Workflow:
    """All native nodes by id, and the constants that are flow variables everywhere.

    A component has settings too: values that its dialog gives to nodes inside, and which variables go
    in and out. Their digests are told by the path to what is inside: `15:`.
    """

    nodes: dict[str, NativeNode]
    constants: dict[str, object]
    components: dict[str, str]


@final
@dataclass(frozen=True)
class _Connection:
    source: int
    source_port: int
    dest: int
    dest_port: int


@final
class _Level:
    """A workflow, or the inside of a metanode or component."""

    def __init__(self, parent: _Level | None, id_: int, path: str) -> None:
        self.parent, self.id, self.path = parent, id_, path  # its place among the ids
        self.virtual_in = self.virtual_out = OUTSIDE
        self.is_component = False
        self.config: knime_config.Config = {}  # of a component
        self.inner: dict[int, _Level] = {}
        self.native: dict[int, NativeNode] = {}
        self.connections: list[_Connection] = []
        self.arriving: dict[tuple[int, int], _Connection] = {}

    def connect(self, connections: list[_Connection]) -> None:
        self.connections = connections
        for connection in connections:
            self.arriving[connection.dest, connection.dest_port] = connection

    def computing(self) -> list[NativeNode]:
        """The native nodes but those that stand for the ports of a component."""
        ports = (self.virtual_in, self.virtual_out)
        return [node for id_, node in self.native.items() if id_ not in ports]

    def into(self, dest: int) -> list[_Connection]:
        """All connections to a node, in the order of its ports."""
        return sorted(
            (c for c in self.connections if c.dest == dest), key=lambda c: (c.dest_port, c.source)
        )


def read_workflow(files: Files) -> Workflow:
    """The native nodes of a workflow."""
    reader = _Reader(files)
    top = reader.level(None, 0, "", "")
    nodes = {node.id: node for level in reader.levels for node in level.computing()}
    for level in reader.levels:
        _wire(level, nodes)
        _show_variables(level)
    constants = reader.constants(top)
    told = {level.path: _component(level, constants) for level in reader.levels}
    components = {path: json_digest(settings) for path, settings in told.items() if settings}
    return Workflow(nodes, constants, components)


def _component(level: _Level, constants: dict[str, object]) -> knime_config.Config:
    """The settings of a component; none of one that has just its ports."""
    parts: knime_config.Config = {key: level.config.get(key) for key in ("model", "variables")}
    if names_variable(level.config.get("variables"), "used_variable"):
        parts["constants"] = constants
    for key, id_ in (("in", level.virtual_in), ("out", level.virtual_out)):
        node = level.native.get(id_)
        for part in ("model", "variables"):
            parts[f"{key} {part}"] = node.config.get(part) if node else None
    return {key: canonical(value) for key, value in parts.items() if value}


def names_variable(variables: object, key: str) -> bool:
    """Whether settings tell of a flow variable that is used, or made."""
    if not isinstance(variables, dict):
        return False
    return bool(variables.get(key)) or any(names_variable(v, key) for v in variables.values())


def _show_variables(level: _Level) -> None:
    """Nodes inside of a component see the variables that override its settings."""
    if level.parent is None or not names_variable(level.config.get("variables"), "used_variable"):
        return
    ports = list(_feeding(level.parent, level.id, VARIABLES, True, 0))
    for node in level.computing():
        node.variables += [port for port in ports if port not in node.variables]


@final
class _Reader:
    def __init__(self, files: Files) -> None:
        self.files, self.levels, self.count = files, list[_Level](), 0
        self.variables: knime_config.Config = {}

    def constants(self, top: _Level) -> dict[str, object]:
        """The variables of the workflow itself."""
        return {
            knime_config.text(variable, "name"): [
                knime_config.text(variable, "class"),
                variable.get("value"),
            ]
            for variable in self.variables.values()
            if isinstance(variable, dict) and knime_config.text(variable, "name")
        }

    def level(self, parent: _Level | None, id_: int, path: str, folder: str) -> _Level:
        where = f"{folder}/{WORKFLOW}" if folder else WORKFLOW
        data = self.files.read(where)
        if data is None:
            inside = folder or "the workflow"
            if self.files.read(f"{folder}/{ENCRYPTED}" if folder else ENCRYPTED) is not None:
                raise UnsupportedError(f"{inside} is encrypted")
            raise ParseError(f"{inside} has no {WORKFLOW}")
        if path.count(":") > MOST_LEVELS:
            raise ParseError(f"metanodes nested deeper than {MOST_LEVELS}")
        config = knime_config.read_config(data, where)
        level = _Level(parent, id_, path)
        self.levels.append(level)
        if parent is None:
            _check_version(config, where)
            self.variables = knime_config.table(config, "workflow_variables")
        for entry in knime_config.table(config, "nodes").values():
            self.count += 1
            if self.count > MOST_NODES:
                raise ParseError(f"more than {MOST_NODES:,} nodes")
            self.node(level, entry, where, folder)
        level.connect(
            [_connection(c, where) for c in knime_config.table(config, "connections").values()]
        )
        return level

    def node(self, level: _Level, entry: knime_config.Config, where: str, folder: str) -> None:
        """A node of a level: read at once, or what is inside of it."""
        if not isinstance(entry, dict):
            raise ParseError(f"{where}: a node that is none")
        id_, file = (
            knime_config.whole(entry, "id", where),
            knime_config.text(entry, "node_settings_file"),
        )
        if id_ in level.native or id_ in level.inner or id_ < 0:
            raise ParseError(f"{where}: two nodes have the id {id_}")
        path = f"{level.path}{id_}"
        inside = str(PurePosixPath(folder) / PurePosixPath(file.replace("\\", "/")).parent)
        kind = knime_config.text(entry, "node_type")
        if kind == "MetaNode" or (not kind and entry.get("node_is_meta") is True):
            level.inner[id_] = self.level(level, id_, f"{path}:", inside)
            return
        config = self.settings(f"{inside}/{PurePosixPath(file).name}", id_)
        if kind == "SubNode":
            inner = self.level(level, id_, f"{path}:", inside)
            inner.is_component, inner.config = True, config
            if names_variable(config.get("variables"), "exposed_variable"):
                raise UnsupportedError(f"{inside}: variables are made of a component's settings")
            inner.virtual_in = knime_config.whole(config, "virtual-in-ID", inside)
            inner.virtual_out = knime_config.whole(config, "virtual-out-ID", inside)
            level.inner[id_] = inner
            return
        if kind not in ("NativeNode", ""):
            raise UnsupportedError(f"{inside}: a node of the type {kind!r}")
        node = NativeNode(path, config)
        if not node.factory:
            raise ParseError(f"{inside}: a node that says no type")
        level.native[id_] = node

    def settings(self, path: str, id_: int) -> knime_config.Config:
        data = self.files.read(path)
        if data is None:
            raise UnsupportedError(f"node #{id_}: its settings are missing ({path})")
        return knime_config.read_config(data, path)


def _check_version(config: knime_config.Config, where: str) -> None:
    version = knime_config.text(config, "version")
    parts = tuple(int(p) for p in version.split(".")[:2] if p.isdecimal() and len(p) < 6)
    if len(parts) < 2:
        raise ParseError(f"{where}: no version of KNIME: {version[:40]!r}")
    if parts < OLDEST:
        raise UnsupportedError(f"a workflow of KNIME {version}; the oldest that is read is 2.1")


def _connection(entry: knime_config.Config, where: str) -> _Connection:
    if not isinstance(entry, dict):
        raise ParseError(f"{where}: a connection that is none")
    keys = ("sourceID", "sourcePort", "destID", "destPort")
    source, source_port, dest, dest_port = (knime_config.whole(entry, key, where) for key in keys)
    return _Connection(source, source_port, dest, dest_port)


# -- wires ---------------------------------------------------------------------------------------


def _wire(level: _Level, nodes: dict[str, NativeNode]) -> None:
    """Connect the native nodes of a level with the native nodes they get something from."""
    seen_variables: defaultdict[str, dict[Port, None]] = defaultdict(dict)
    for connection in sorted(level.connections, key=lambda c: (c.dest, c.dest_port, c.source)):
        node = level.native.get(connection.dest)
        if node is None or node.id not in nodes:
            continue
        ports = list(_sources(level, connection, 0))
        for port in ports:
            nodes[port.node].used.add(port.number)
        if connection.dest_port == VARIABLES or len(ports) != 1:
            seen_variables[node.id].update(dict.fromkeys(ports))
        else:
            node.inputs[connection.dest_port] = ports[0]
    for id_, seen in seen_variables.items():
        nodes[id_].variables = list(seen)


def _sources(level: _Level, connection: _Connection, depth: int) -> Iterator[Port]:
    """The native nodes a connection comes from: several where only flow variables do."""
    if depth > 2 * MOST_LEVELS:
        raise ParseError("metanodes that are connected in a circle")
    source, number = connection.source, connection.source_port
    inner = level.inner.get(source)
    if inner is not None:
        end = inner.virtual_out if inner.is_component else OUTSIDE
        yield from _feeding(inner, end, number, inner.is_component, depth)
    elif source in level.native and source not in (level.virtual_in, level.virtual_out):
        yield Port(level.native[source].id, number)
    elif level.parent is not None and source in (OUTSIDE, level.virtual_in):
        yield from _feeding(level.parent, level.id, number, level.is_component, depth)
    elif source == OUTSIDE or source not in level.native:
        raise ParseError(f"a connection from node {level.path}{source}, which is not there")


def _feeding(
    level: _Level, dest: int, number: int, is_component: bool, depth: int
) -> Iterator[Port]:
    """What arrives at a port of a metanode or component."""
    if is_component and number == VARIABLES:
        # Flow variables come along all connections.
        for connection in level.into(dest):
            for port in _sources(level, connection, depth + 1):
                yield Port(port.node, VARIABLES)
        return
    arriving = level.arriving.get((dest, number))
    if arriving is not None:
        yield from _sources(level, arriving, depth + 1)
