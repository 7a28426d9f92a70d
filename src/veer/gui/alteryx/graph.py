"""The graph of an Alteryx document: tools wired from anchor to anchor.

Containers are opened, what stands in a disabled one is left out and so is what gets no records
then. Comments, positions, annotations and what the last run left behind are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Any, final
from xml.etree.ElementTree import Element

from veer.errors import InputError, ParseError, UnsupportedError
from veer.gui.alteryx.config import as_json
from veer.gui.alteryx.macros import inlined
from veer.gui.alteryx.types import spark_type
from veer.gui.documents import read_xml
from veer.gui.graph import Columns, Graph, Node, Wire, graph_of
from veer.ir.digests import json_digest
from veer.read.inputs import Input, ReadOptions

OWN_PLUGINS = ("AlteryxBasePluginsGui.", "AlteryxSpatialPluginsGui.", "AlteryxGuiToolkit.")
QUESTIONS = "AlteryxGuiToolkit.Questions."
COMMENTS = frozenset({"TextBox", "ExplorerBox"})
INTERFACE = frozenset({"Action", "Question", "Question Input", "Condition"})  # anchors
DEEPEST_MACRO = 5  # macros inside of macros
MOST_MACROS = 200  # that one workflow opens
OUTPUTS = {
    "Filter": ("True", "False"),
    "Join": ("Left", "Join", "Right"),
    "Unique": ("Unique", "Duplicates"),
    "BrowseV2": (),
    "Browse": (),
    "DbFileOutput": (),
    "Test": (),
    "MacroOutput": (),
}
# Tools with one input, or one at each anchor: there the name of a connection says nothing.
NAMELESS = frozenset(
    {
        "AlteryxSelect",
        "AppendFields",
        "AutoField",
        "Browse",
        "BrowseV2",
        "CrossTab",
        "DateTime",
        "DbFileOutput",
        "Filter",
        "Formula",
        "Join",
        "MacroOutput",
        "MultiFieldFormula",
        "MultiRowFormula",
        "RecordID",
        "RegEx",
        "Sample",
        "Sort",
        "Summarize",
        "TextToColumns",
        "Transpose",
        "Unique",
    }
)


def read_graph(source: Input, options: ReadOptions) -> Graph:
    """The graph of the document in a file."""
    return graph_of_document(source.read_bytes(), source)


def graph_of_document(data: bytes, source: Input | None = None) -> Graph:
    """The graph of a document; macros are looked for beside the file it came from."""
    return _Document(read_xml(data), source).graph()


@final
@dataclass(frozen=True)
class _Tool:
    """A tool as the document has it."""

    id: str
    kind: str
    element: Element
    macro: str = ""

    @property
    def shown(self) -> str:
        return f"{self.kind} ({self.id})"


@final
@dataclass(frozen=True)
class _Connection:
    origin: str
    output: str
    destination: str
    input: str
    name: str


@final
@dataclass
class _Document:
    """One document while its graph is made."""

    root: Element
    source: Input | None
    tools: dict[str, _Tool] = field(default_factory=dict)
    disabled: set[str] = field(default_factory=set)
    containers: set[str] = field(default_factory=set)
    interface: dict[str, _Tool] = field(default_factory=dict)  # questions and actions
    depth: int = 0  # of macros inside of macros
    macros: list[str] = field(default_factory=list)  # that were opened, also by those around

    def graph(self) -> Graph:
        """All tools that run."""
        if self.root.tag != "AlteryxDocument":
            raise ParseError(f"no Alteryx document but {self.root.tag[:40]!r}")
        self._tools(self.root.find("Nodes"), runs=True)
        connections = list(self._connections())
        changed = self._changed(connections)
        wires = [c for c in connections if c.input not in INTERFACE and c.output not in INTERFACE]
        nodes = list(self._without_input(wires, changed))
        return graph_of(inlined(nodes, self._macro))

    # -- tools ---------------------------------------------------------------------------------

    def _tools(self, nodes: Element | None, *, runs: bool) -> None:
        for element in nodes if nodes is not None else ():
            if element.tag != "Node":
                continue
            tool = _tool(element)
            if tool.id in self.tools or tool.id in self.disabled:
                raise ParseError(f"two tools have the id {tool.id!r}")
            inside = element.find("ChildNodes")
            if tool.kind in ("ToolContainer", "ControlContainer") or inside is not None:
                self.containers.add(tool.id)
                off = element.find("Properties/Configuration/Disabled")
                is_off = off is not None and off.get("value") == "True"
                self._tools(inside, runs=runs and not is_off)
            elif tool.kind == "Action" or _plugin(element).startswith(QUESTIONS):
                self.interface[tool.id] = tool
            elif tool.kind in COMMENTS:
                continue
            elif runs and not (tool.kind == "DbFileOutput" and self._writes_nothing):
                self.tools[tool.id] = tool
            else:
                self.disabled.add(tool.id)

    @property
    def _writes_nothing(self) -> bool:
        return self._property("DisableAllOutput") == "True"

    def _property(self, name: str) -> str:
        found = self.root.find(f"Properties/{name}")
        return found.get("value", "") if found is not None else ""

    def _constants(self) -> dict[str, tuple[str, bool]]:
        """The constants of the user by name, and whether they are numbers."""
        constants = {}
        for element in self.root.iterfind("Properties/Constants/Constant"):
            name = f"{element.findtext('Namespace')}.{element.findtext('Name')}"
            numeric = element.find("IsNumeric")
            is_number = numeric is not None and numeric.get("value") == "True"
            if name.startswith("User."):
                constants[name.lower()] = (element.findtext("Value") or "", is_number)
        return constants

    # -- connections ---------------------------------------------------------------------------

    def _connections(self) -> Iterator[_Connection]:
        for element in self.root.iterfind("Connections/Connection"):
            origin, destination = element.find("Origin"), element.find("Destination")
            if origin is None or destination is None:
                raise ParseError("a connection without origin or destination")
            connection = _Connection(
                origin.get("ToolID", ""),
                origin.get("Connection", "Output"),
                destination.get("ToolID", ""),
                destination.get("Connection", "Input"),
                element.get("name", ""),
            )
            for id_ in (connection.origin, connection.destination):
                self._require_tool(id_)
            yield connection

    def _require_tool(self, id_: str) -> None:
        known = (self.tools, self.disabled, self.containers, self.interface)
        if not any(id_ in ids for ids in known):
            raise ParseError(f"a connection with a tool {id_!r} that is not there")

    def _changed(self, connections: list[_Connection]) -> dict[str, list[Any]]:
        """By tool, the actions that change it when an app or a macro is run, and their questions."""
        asked: dict[str, list[str]] = {}
        for connection in connections:
            if connection.origin in self.interface and connection.destination in self.interface:
                asked.setdefault(connection.destination, []).append(connection.origin)
        changed: dict[str, list[Any]] = {}
        for connection in connections:
            action, target = self.interface.get(connection.origin), connection.destination
            if action is None or target in self.interface:
                continue
            if target in self.containers:
                raise UnsupportedError(f"{action.shown} switches a container on or off")
            told = [self._configuration(action)]
            told += [self._configuration(self.interface[q]) for q in asked.get(action.id, [])]
            changed.setdefault(target, []).append(told)
        return changed

    def _configuration(self, tool: _Tool) -> Any:
        element = tool.element.find("Properties/Configuration")
        constants = {name: value for name, (value, _) in self._constants().items()}
        return as_json(element, constants) if element is not None else None

    # -- nodes ---------------------------------------------------------------------------------

    def _without_input(
        self, wires: list[_Connection], changed: Mapping[str, list[Any]]
    ) -> Iterator[Node]:
        """The nodes, without those that get no records since all they are fed by is disabled."""
        for wire in wires:
            if {wire.origin, wire.destination} & self.containers:
                raise UnsupportedError(
                    f"container {wire.origin} is connected: it decides what runs"
                )
        gone, before = set(self.disabled), -1
        while before < len(gone):
            before = len(gone)
            for id_ in self.tools:
                feeding = [w.origin for w in wires if w.destination == id_]
                if feeding and all(origin in gone for origin in feeding):
                    gone.add(id_)
        live = [w for w in wires if w.origin not in gone and w.destination not in gone]
        for tool in self.tools.values():
            if tool.id not in gone:
                yield self._node(tool, live, changed.get(tool.id, []))

    def _node(self, tool: _Tool, wires: list[_Connection], changed: list[Any]) -> Node:
        arriving = [w for w in wires if w.destination == tool.id]
        arriving.sort(key=lambda w: (*_place(w.name), w.input))
        inputs = tuple((_port(tool, w), Wire(w.origin, w.output)) for w in arriving)
        columns = _columns(tool.element)
        used = [w.output for w in wires if w.origin == tool.id]
        known = OUTPUTS.get(tool.kind, columns)
        outputs = dict.fromkeys([*known, *used])
        if not outputs and tool.kind not in OUTPUTS:
            outputs["Output"] = None
        return Node(
            tool.id,
            tool.kind,
            tool.kind,
            self._settings(tool, changed),
            inputs,
            tuple(outputs),
            columns=columns,
        )

    def _settings(self, tool: _Tool, changed: list[Any]) -> dict[str, Any]:
        settings: dict[str, Any] = {}
        if tool.kind not in ("BrowseV2", "Browse"):
            settings["configuration"] = _without_warnings(tool, self._configuration(tool))
        if changed:
            settings["changed by"] = changed
        if tool.macro:
            settings["macro"] = tool.macro
            settings["content"] = self._macro_digest(tool.macro)
        mentioned = str(settings).lower()
        constants = {n: v for n, v in self._constants().items() if f"[{n}]" in mentioned}
        if constants:
            settings["constants"] = {name: list(value) for name, value in constants.items()}
        limit = self._property("GlobalRecordLimit")
        if limit not in ("", "0") and tool.kind in ("DbFileInput", "TextInput"):
            settings["record limit"] = limit
        return settings

    def _macro_digest(self, macro: str) -> str:
        """What a macro says, and those that it calls; empty if it is not there."""
        if _macro_file(self.source, macro) is None:
            return ""
        said: list[list[str]] = []
        seen: set[tuple[str, str]] = set()
        waiting = [(self.source, macro)]
        while waiting:
            user, name = waiting.pop()
            file = _macro_file(user, name)
            if file is None:
                said.append([name, "missing"])
                continue
            place = normpath(file.path), name
            if place in seen:
                continue
            seen.add(place)
            if len(seen) > MOST_MACROS:
                raise UnsupportedError(f"the macro {macro!r} calls more than {MOST_MACROS} others")
            said.append([name, *_said(file)])
            waiting += [(file, called) for called in said[-1][2:]]
        return json_digest(said)

    def _macro(self, node: Node) -> Mapping[str, Node] | None:
        """What is inside of a macro that does the same wherever it is used."""
        file = _macro_file(self.source, node.settings.get("macro", ""))
        if file is None or self.depth >= DEEPEST_MACRO or len(self.macros) >= MOST_MACROS:
            return None
        self.macros.append(file.path)
        try:
            inner = _Document(
                read_xml(file.read_bytes()), file, depth=self.depth + 1, macros=self.macros
            )
            graph = inner.graph()
        except InputError:
            return None
        kind = inner.root.findtext("Properties/RuntimeProperties/ModuleType")
        asks = any(tool.kind != "Tab" for tool in inner.interface.values())
        limited = inner._property("GlobalRecordLimit") not in ("", "0")
        return None if kind != "Macro" or asks or limited else graph.nodes


def _without_warnings(tool: _Tool, configuration: Any) -> Any:
    """A configuration without what only decides whether people are warned."""
    if tool.kind != "Union" or configuration is None:
        return configuration
    tag, attributes, text, children = configuration
    kept = [c for c in children if c[0] != "ByName_ErrorMode" or c[2] == "Error"]
    return [tag, attributes, text, kept]


def _macro_file(user: Input | None, macro: str) -> Input | None:
    """A macro that lies beside the file that uses it, or below its folder."""
    inner = _relative(macro)
    if inner is None or user is None:
        return None
    file = replace(user, path=str(PurePosixPath(user.path).parent / inner))
    return file if file.exists and not file.is_folder else None


def _said(file: Input) -> list[str]:
    """The digest of a macro, and the macros it calls."""
    try:
        data = file.read_bytes()
    except InputError:
        return ["unread"]
    try:
        engines = read_xml(data).iter("EngineSettings")
        called = {engine.get("Macro") or "" for engine in engines} - {""}
    except InputError:
        called = set()
    return [sha256(data).hexdigest(), *sorted(called)]


def _relative(path: str) -> PurePosixPath | None:
    """A path below the folder of the workflow or beside it."""
    inner = PurePosixPath(path.replace("\\", "/"))
    if inner.is_absolute() or ":" in path or inner.suffix.lower() != ".yxmc":
        return None
    return inner if inner.parts.count("..") <= 2 else None


def _place(name: str) -> tuple[int, str]:
    """Where a connection stands among others: `#10` after `#9`."""
    number = name.removeprefix("#")
    return (int(number), "") if number.isascii() and number.isdigit() else (0, name)


def _port(tool: _Tool, wire: _Connection) -> str:
    if not wire.name or tool.kind in NAMELESS:
        return wire.input
    return f"{wire.input} {wire.name}"


def _plugin(element: Element) -> str:
    settings = element.find("GuiSettings")
    return (settings.get("Plugin") or "") if settings is not None else ""


def _tool(element: Element) -> _Tool:
    id_ = element.get("ToolID") or ""
    if not id_:
        raise ParseError("a tool without an id")
    plugin, engine = _plugin(element), element.find("EngineSettings")
    macro = (engine.get("Macro") or "") if engine is not None else ""
    if macro:
        return _Tool(id_, PurePosixPath(macro.replace("\\", "/")).name, element, macro)
    if not plugin:
        raise ParseError(f"tool {id_}: neither a plugin nor a macro is named")
    own = plugin.startswith(OWN_PLUGINS)
    return _Tool(id_, plugin.rpartition(".")[2] if own else plugin, element)


def _columns(element: Element) -> dict[str, Columns]:
    """The columns at each output anchor when the workflow was last run or looked at."""
    told: dict[str, Columns] = {}
    for info in element.iterfind("Properties/MetaInfo"):
        fields = [
            (f.get("name") or "", spark_type(f.get("type") or "", f.get("size") or ""))
            for f in info.iterfind("RecordInfo/Field")
        ]
        names = [name for name, _ in fields]
        if fields and all(names) and len({n.lower() for n in names}) == len(names):
            told[info.get("connection") or "Output"] = tuple(fields)
    return told
