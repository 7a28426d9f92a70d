"""From the graph of a workflow to a dataflow: each node by its model, or opaque.

A model is a function from a `Step`, a node with the tables that arrive, to the tables at its output
ports. Where a model does not know what a node means (`NotModelled`), or there is none, the node is
opaque: known by its kind and settings, and equal to itself alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias, TypeVar, final

from veer.errors import InputError, ParseError
from veer.gui.files import DataFiles
from veer.gui.graph import Graph, Node, Wire
from veer.gui.rows import ColumnWanted, Flow, NotModelled, Rows
from veer.ir import ops
from veer.ir.dag import Dataflow, topological_order
from veer.ir.digests import json_digest
from veer.ir.types import DataType
from veer.ir.writes import AnyWrite
from veer.read.inputs import Input, ReadOptions, place_of
from veer.read.session_settings import session_settings, spark_asked_for
from veer.read.sql.front_end import declared_tables
from veer.settings import current, under
from veer.verification.versions.version import Version

LONGEST = 60  # characters of a setting that is shown as it is
SHORT = 6  # characters that tell ids apart for people
MOST_COLUMNS = 20_000  # that a workflow may mention
Fields: TypeAlias = Sequence[tuple[str, DataType | None]]
Outputs: TypeAlias = Mapping[str, Rows]
Model: TypeAlias = "Callable[[Step], Outputs]"
Wanted: TypeAlias = dict[str, dict[str, DataType | None]]
NO_FILES = DataFiles()
T = TypeVar("T")


@final
@dataclass(frozen=True)
class System:
    """What a front end knows of the operators of its system."""

    name: str
    models: Mapping[str, Model]  # by kind of node
    # What a file tells of the columns at a port of an opaque node, if it does.
    columns: Callable[[Node, str], Fields | None] = lambda _node, _port: None
    # The name of a node for people, which no other node of the graph has.
    shown: Callable[[Node], str] = lambda node: f"{node.title} ({node.id})"
    # Whether an opaque node of a kind that has a model may give something else each time: code,
    # random numbers. Of kinds without a model nobody knows, so they may.
    is_free: Callable[[Node], bool] = lambda _node: False
    # Whether an opaque node shows something to people even if others take what it gives.
    is_shown: Callable[[Node], bool] = lambda _node: False
    # Whether tables carry more than their rows, such as names of rows or the values a column may
    # have: an opaque node is then the same only if all nodes above it are.
    tables_carry_more: bool = False
    # Of those, the nodes that leave out rows by what is in them, and change nothing else.
    only_filters: Callable[[Node], bool] = lambda _node: False
    ignores_case: bool = False  # of names of columns
    tells_declared: bool = False  # whether models tell what columns are declared as
    remembers: bool = False  # whether `columns` tells what an earlier run left behind


@final
@dataclass
class Reading:
    """What came of a graph: the dataflow, and why nodes stayed opaque, by their names."""

    dataflow: Dataflow
    files: Mapping[str, str] = field(default_factory=dict)  # declared tables stand for
    opaque: dict[str, str] = field(default_factory=dict)
    modelled: list[str] = field(default_factory=list)


class Step:
    """A node that is read, with the tables that arrive."""

    def __init__(
        self, flow: Flow, node: Node, name: str, inputs: Sequence[tuple[str, Rows]]
    ) -> None:
        self.flow, self.node, self.name, self.inputs = flow, node, name, inputs
        self.sinks: list[tuple[ops.Sink, str]] = []

    def arriving(self, port: str) -> list[Rows]:
        """The tables that arrive at a port, in their order."""
        return [rows for name, rows in self.inputs if name == port]

    def input(self, port: str | None = None) -> Rows:
        """The only table that arrives, at a port if one is named."""
        given = [rows for name, rows in self.inputs if port is None or name == port]
        if len(given) != 1:
            at = f" at {port!r}" if port else ""
            raise NotModelled(f"{len(given)} inputs{at}, not one")
        return given[0]

    def port(self, name: str) -> None:
        """What is added from here on belongs to an output port: `12.True`."""
        self.flow.name = f"{self.name}.{name}"

    def sink(
        self,
        rows: Rows,
        *,
        target: str = "",
        kind: str = ops.TABLE,
        name: str = "",
        write: AnyWrite | None = None,
    ) -> None:
        """Rows that are a result: shown to people, or written to `target`."""
        untold = tuple(sorted(rows.unknown))
        sink = ops.Sink(name or self.name, kind, target, write=write, named=True, untold=untold)
        self.sinks.append((sink, rows.id))

    def identity(self, port: str) -> str:
        """What an opaque node is known by at a port: kind, settings, and where its inputs arrive."""
        node = self.node
        ports = [name for name, _ in self.inputs]
        told = {name: _told(value) for name, value in sorted(node.settings.items())}
        known = json.dumps({**told, "(inputs)": ports, "(output)": port}, ensure_ascii=False)
        return f"{self.flow.system} {node.kind} {known}"

    def opaque(
        self,
        port: str,
        fields: Fields | None = None,
        *,
        free: bool = False,
        remembered: bool = False,
    ) -> Rows:
        """What the node gives at a port, known by all its settings and inputs alone.

        One that is `free` may give something else each time it runs.
        """
        tables = [rows for _, rows in self.inputs]
        identity, kind = self.identity(port), self.node.kind
        return self.flow.opaque(identity, kind, tables, fields, free=free, remembered=remembered)


def _told(value: Any) -> Any:
    """A setting as an identity shows it: a long one by its digest."""
    written = json.dumps(value, sort_keys=True)
    return value if len(written) <= LONGEST else f"#{json_digest(value)}"


def read_graph(
    system: System,
    graph: Graph,
    wanted: Wanted,
    catalog: Mapping[str, ops.Source],
    names: Mapping[str, str] | None = None,
    files: DataFiles = NO_FILES,
    files_of: dict[str, str] | None = None,
) -> Reading:
    """The dataflow of a graph; `wanted` is what is known of open tables, and grows.

    So does `files_of`, which tells the file each declared table stands for.
    """
    stands_for = {} if files_of is None else files_of
    names = node_names(system, graph) if names is None else names
    count = 0
    while True:
        try:
            flow = Flow(system.name, wanted, catalog, files, stands_for)
            return _Reader(system, graph, flow, names).read()
        except ColumnWanted as want:
            wanted.setdefault(want.origin, {}).update(want.columns)
            count += len(want.columns)
            if count > MOST_COLUMNS:
                raise ParseError(f"more than {MOST_COLUMNS:,} columns") from None


def node_names(system: System, *graphs: Graph) -> dict[str, str]:
    """The names of nodes for people, by id: those of the last graph; where two are alike, with ids."""
    nodes = {id_: node for graph in graphs for id_, node in graph.nodes.items()}
    shown = {id_: system.shown(node) for id_, node in nodes.items()}
    often = Counter(shown.values())
    return {
        id_: name if often[name] == 1 else f"{name} ({_short(id_, nodes)})"
        for id_, name in shown.items()
    }


def _short(id_: str, ids: Iterable[str]) -> str:
    """The end of a long id, if no other ends so."""
    end = id_[-SHORT:]
    return end if sum(other.endswith(end) for other in ids) == 1 else id_


@final
class _Reader:
    """One attempt to read a graph with what is known of its open tables."""

    def __init__(self, system: System, graph: Graph, flow: Flow, names: Mapping[str, str]) -> None:
        self.system, self.graph, self.flow = system, graph, flow
        flow.ignores_case = system.ignores_case
        flow.tells_declared = system.tells_declared
        self.tables: dict[Wire, Rows] = {}
        self.digests: dict[str, str] = {}  # of nodes with all above them
        self.opaque: dict[str, str] = {}
        self.modelled: list[str] = []
        # The name of the node, the sink, what feeds it.
        self.sinks: list[tuple[str, ops.Sink, str]] = []
        self.names = names

    def read(self) -> Reading:
        """Node after node."""
        nodes = self.graph.nodes
        for id_ in topological_order({i: _feeding(n) for i, n in nodes.items()}):
            self.node(nodes[id_])
        self.show_ends()
        builder, taken = self.flow.builder, set[str]()
        for name, sink, source in self.sinks:
            if (sink.target or sink.name) in taken:  # two nodes write one file
                sink = replace(sink, name=f"{sink.name} of {name}", target="")
            taken.add(sink.target or sink.name)
            builder.add(sink, source, id_=_free(f"{sink.name}: result", builder.operators))
        if not self.sinks:
            raise ParseError("a workflow that shows and writes nothing")
        return Reading(builder.finish(), self.flow.files_read, self.opaque, self.modelled)

    def node(self, node: Node) -> None:
        """The tables at the ports of a node."""
        name, flow = self.names[node.id], self.flow
        arriving = [(port, self.tables[wire]) for port, wire in node.inputs if wire in self.tables]
        before = dict(flow.builder.operators), dict(flow.builder.schemas), list(flow.builder.links)
        flow.name, flow.above = name, self.above(node)
        step = Step(flow, node, name, arriving)
        try:
            if len(arriving) < len(node.inputs):
                raise NotModelled("an input comes from a node that does not give it")
            model = self.system.models.get(node.kind)
            if model is None:
                raise NotModelled(f"no operator that Veer knows: {node.kind}")
            outputs = dict(model(step))
            self.modelled.append(name)
        except (NotModelled, InputError) as reason:
            flow.builder.operators, flow.builder.schemas, flow.builder.links = before
            flow.name = name
            self.opaque[name] = str(reason)
            step = Step(flow, node, name, arriving)
            columns = reason.columns if isinstance(reason, NotModelled) else {}
            outputs = self.opaque_outputs(step, columns)
        self.sinks += [(name, sink, source) for sink, source in step.sinks]
        for port, rows in outputs.items():
            self.tables[Wire(node.id, port)] = rows

    def above(self, node: Node) -> str:
        """A digest of all nodes above one, where an opaque node may see what they are."""
        if not self.system.tables_carry_more:
            return ""
        feeding = [[port, self.digests[wire.node], wire.port] for port, wire in node.inputs]
        self.digests[node.id] = json_digest([node.kind, node.settings, feeding])
        # Filters of one table that leave the same rows leave the same of everything.
        kept = [[port, *self.unfiltered(wire)] for port, wire in node.inputs]
        return json_digest(kept) if kept else ""

    def unfiltered(self, wire: Wire) -> tuple[str, str]:
        """What a wire carries but for filters right above: the digest of a node, and its port."""
        while self.system.only_filters(self.graph.nodes[wire.node]) and wire in self.tables:
            data = [w for _, w in self.graph.nodes[wire.node].inputs if w in self.tables]
            if len(data) != 1 or not self.is_filtered(
                self.tables[wire].id, self.tables[data[0]].id
            ):
                break
            (wire,) = data
        return self.digests[wire.node], wire.port

    def is_filtered(self, signal: str, base: str) -> bool:
        """Whether a signal is another but for rows left out by what is in them."""
        while signal != base and isinstance(self.flow.builder.operators[signal], ops.Filter):
            (signal,) = self.flow.inputs_of(signal)
        return signal == base

    def opaque_outputs(self, step: Step, columns: Mapping[str, Fields]) -> dict[str, Rows]:
        """The outputs of an opaque node; what it shows is a result."""
        node, outputs = step.node, dict[str, Rows]()
        free = node.kind not in self.system.models or self.system.is_free(node)
        for port in node.outputs:
            if len(node.outputs) > 1:
                step.port(port)
            fields = columns.get(port) or self.told_columns(node, port)
            remembered = self.system.remembers and port not in columns and fields is not None
            outputs[port] = step.opaque(port, fields, free=free, remembered=remembered)
        if self.system.is_shown(node) or not node.outputs:
            step.port("shown")
            step.sink(step.opaque("shown", free=free), kind=node.kind)
        return outputs

    def told_columns(self, node: Node, port: str) -> Fields | None:
        """What the file tells of the columns of an opaque node; nothing if it cannot be read."""
        try:
            fields = self.system.columns(node, port)
        except (NotModelled, InputError):
            return None
        names = [name for name, _ in fields or ()]
        return fields if names and len(set(names)) == len(names) else None

    def show_ends(self) -> None:
        """Outputs without a link are results."""
        taken = {wire.node for node in self.graph.nodes.values() for _, wire in node.inputs}
        showing = {name for name, _, _ in self.sinks}
        for node in self.graph.nodes.values():
            name = self.names[node.id]
            ports = [port for port in node.outputs if Wire(node.id, port) in self.tables]
            if (node.id in taken and not node.shown) or name in showing:
                continue
            for port in ports:
                shown = f"{name}.{port}" if len(ports) > 1 else name
                rows = self.tables[Wire(node.id, port)]
                sink = ops.Sink(shown, named=True, untold=tuple(sorted(rows.unknown)))
                self.sinks.append((name, sink, rows.id))


def _feeding(node: Node) -> list[str]:
    return [wire.node for _, wire in node.inputs]


def _free(name: str, taken: Iterable[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return free


# -- versions --------------------------------------------------------------------------------------

GraphReader: TypeAlias = Callable[[Input, ReadOptions], Graph]


@final
@dataclass(frozen=True)
class Importer:
    """A front end of another system: how files become graphs, and what nodes mean."""

    system: System
    graph: GraphReader
    # What graphs that are compared tell of columns, made to agree where they tell different things.
    agree: Callable[[list[Graph]], list[Graph]] = lambda graphs: graphs

    def read(self, source: Input, options: ReadOptions) -> Version:
        """The version in a file."""
        (graph,) = self.agree([self.graph(source, options)])
        files = DataFiles.beside(source)
        reading = read_graph(self.system, graph, {}, declared_tables(options), files=files)
        return _version(source, reading)

    def read_pair(self, p: Input, q: Input, options: ReadOptions) -> tuple[Version, Version]:
        """Two versions: what one mentions of a table, the other has too."""
        wanted: Wanted = {}
        files_of: dict[str, str] = {}
        with under(session_settings(dict(options.conf), spark_asked_for(options.spark))):
            catalog = declared_tables(options)
            graphs = [_naming(source, partial(self.graph, source, options)) for source in (p, q)]
            graphs = self.agree(graphs)
            readings: list[Reading] = []
            names, known = node_names(self.system, *graphs), -1
            while known < sum(map(len, wanted.values())):
                known = sum(map(len, wanted.values()))
                readings = [
                    _naming(
                        source,
                        partial(
                            read_graph,
                            self.system,
                            graph,
                            wanted,
                            catalog,
                            names,
                            DataFiles.beside(source),
                            files_of,
                        ),
                    )
                    for source, graph in zip((p, q), graphs, strict=True)
                ]
            return _version(p, readings[0]), _version(q, readings[1])


def _naming(source: Input, read: Callable[[], T]) -> T:
    """What reading gives; its errors name the file."""
    try:
        return read()
    except InputError as error:
        raise error.of(source.name) from None


def _version(source: Input, reading: Reading) -> Version:
    return Version(
        source.name,
        reading.dataflow,
        stable_ids=True,
        place=place_of(source.path),
        settings=current(),
        files=reading.files,
    )
