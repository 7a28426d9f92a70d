"""Which job reads what another writes, and two jobs in a row as one dataflow.

Whether a job may be affected by another is told generously: names are compared part by part, paths by
prefix. That one may be put in place of what another reads is told strictly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

from veer.ir import ops, types as ty
from veer.ir.dag import Dataflow
from veer.ir.sources import distinct_sources, sources_of
from veer.ir.writes import Write

SESSION_CATALOG = "spark_catalog"
DEFAULT_SCHEMA = "default"
ADDRESS = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*:)?(//(?P<authority>[^/]*))?(?P<path>.*)", re.DOTALL
)
MOUNT = "dbfs"  # before paths that also have a scheme of this name
PATTERNS = "*?[{"
KEEPING_TYPES = frozenset(["table", "parquet", "delta", "orc", "view"])


@final
@dataclass(frozen=True)
class Place:
    """Where rows are: a table by the parts of its name, in lower case, or a path.

    `authority` is what stands before the path of an address: `s3a://bucket`.
    """

    parts: tuple[str, ...]
    is_path: bool
    authority: str = ""
    absolute: bool = False

    @classmethod
    def of(cls, text: str) -> Place:
        """The place that a reader or writer names."""
        plain = text.replace("`", "").strip()
        if "/" in plain:
            found = ADDRESS.match(plain)
            assert found is not None
            path = found["path"]
            parts = tuple(p for p in path.split("/") if p and p != ".")
            parts = parts[1:] if parts[:1] == (MOUNT,) else parts
            return cls(parts, True, found["authority"] or "", path.startswith("/"))
        parts = tuple(p.lower() for p in plain.split("."))
        if len(parts) == 3 and parts[0] == SESSION_CATALOG:
            parts = parts[1:]
        if len(parts) == 2 and parts[0] == DEFAULT_SCHEMA:
            parts = parts[1:]
        return cls(parts, False)

    def may_be_file(self, file: Place) -> bool:
        """Whether this names a file of the repository, or a folder above it."""
        if self.is_path:
            return self.may_hold(file)
        return ".".join(self.parts) == file.parts[-1].lower()

    def may_hold(self, other: Place) -> bool:
        """Whether rows written to one place may be read from the other.

        Schemes and hosts are not compared: one place has several. A table may be at any path that has
        its name in it.
        """
        if self.is_path != other.is_path:
            path, table = (self, other) if self.is_path else (other, self)
            return any(part.lower() == table.parts[-1] or _is_pattern(part) for part in path.parts)
        if not self.is_path:
            few, many = sorted((self.parts, other.parts), key=len)
            return many[len(many) - len(few) :] == few
        if self.absolute and other.absolute:
            return _one_in_other(self.parts, other.parts)
        # A path that is not absolute begins anywhere.
        return any(
            _one_in_other(one.parts[i:], two.parts)
            for one, two in ((self, other), (other, self))
            for i in range(max(1, len(one.parts)))
        )


def _one_in_other(one: tuple[str, ...], two: tuple[str, ...]) -> bool:
    """Whether one path is the other, or below it, as far as patterns tell."""
    for a, b in zip(one, two, strict=False):
        if _is_pattern(a) or _is_pattern(b):
            return True
        if a != b:
            return False
    return True


def _is_pattern(part: str) -> bool:
    return any(c in part for c in PATTERNS)


def read_places(source: ops.Source) -> list[Place] | None:
    """Where a source may read from; None if that may be anywhere."""
    if ops.ANYWHERE in (source.location, *source.elsewhere):
        return None
    return [Place.of(text) for text in source_texts(source)]


def source_texts(source: ops.Source) -> list[str]:
    """The names and paths that a source is read by."""
    texts = [source.table, source.location, *source.elsewhere]
    for key, value in source.options:
        if key.lower() in ("query", "dbtable"):  # of a database: tables that its text names
            texts += [value, *re.findall(r"[\w.]+", value)]
    return [part for text in texts if text.strip() for part in _paths(text) if part]


def _paths(text: str) -> list[str]:
    """A text, and if it may be several paths in a row, each of them."""
    return [text, *text.split(" ")] if "/" in text and " " in text else [text]


@final
@dataclass(frozen=True)
class Written:
    """What a sink of a job writes, and where."""

    job: str
    sink: str  # its id in the job's dataflow
    place: Place

    def may_feed(self, source: ops.Source) -> bool:
        """Whether a source may read what is written."""
        places = read_places(source)
        return places is None or any(self.place.may_hold(place) for place in places)


@final
@dataclass(frozen=True)
class Level:
    """Jobs that read from earlier levels alone; or, if `circular`, also from each other."""

    jobs: tuple[str, ...]
    circular: bool = False


@final
@dataclass(frozen=True)
class KnownTables:
    """What is known of a job that cannot be read: the tables it reads and writes."""

    reads: tuple[str, ...]
    writes: tuple[str, ...]


@final
class Lineage:
    """The jobs of one revision: what each writes and reads; of some only their tables are known."""

    def __init__(
        self,
        flows: Mapping[str, Dataflow],
        known: Mapping[str, KnownTables] | None = None,
        views: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self.flows = flows
        self.known = known or {}
        self.views = views or {}  # that jobs make beside their sinks

    @cached_property
    def written(self) -> tuple[Written, ...]:
        """All that is written to a place."""
        found = [w for job, flow in sorted(self.flows.items()) for w in written_by(job, flow)]
        found += [
            Written(job, target, Place.of(target))
            for job, tables in sorted(self.known.items())
            for target in tables.writes
        ]
        found += [
            Written(job, view, Place.of(view))
            for job, made in sorted(self.views.items())
            for view in made
        ]
        return tuple(found)

    def writers(self, source: ops.Source) -> list[Written]:
        """The sinks that may write what a source reads."""
        return [w for w in self._candidates(read_places(source)) if w.may_feed(source)]

    @cached_property
    def _by_name(self) -> Mapping[str, list[Written]]:
        """What is written to tables, by the last parts of their names."""
        found: dict[str, list[Written]] = {}
        for written in self.written:
            if not written.place.is_path:
                found.setdefault(written.place.parts[-1], []).append(written)
        return found

    @cached_property
    def _to_paths(self) -> list[Written]:
        return [written for written in self.written if written.place.is_path]

    def _candidates(self, places: Sequence[Place] | None) -> list[Written]:
        """What may be written to these places, and some more."""
        if places is None or any(_is_pattern(part) for place in places for part in place.parts):
            return list(self.written)
        names = {part.lower() for place in places for part in place.parts}
        found = [written for name in sorted(names) for written in self._by_name.get(name, ())]
        return [*found, *self._to_paths]

    @cached_property
    def feeding(self) -> Mapping[str, frozenset[str]]:
        """For each job those that may write what it reads."""
        read = {
            job: frozenset(w.job for s in distinct_sources(flow) for w in self.writers(s))
            for job, flow in self.flows.items()
        }
        for job, tables in self.known.items():
            places = [Place.of(table) for table in tables.reads]
            read[job] = frozenset(
                w.job for w in self._candidates(places) if any(map(w.place.may_hold, places))
            )
        return read

    def levels(self) -> list[Level]:
        """The jobs, each after those it reads from; those of circles, and after them, come at last."""
        waiting = {job: set(feeding) - {job} for job, feeding in self.feeding.items()}
        levels = []
        while waiting:
            ready = sorted(job for job, feeding in waiting.items() if not feeding & waiting.keys())
            levels.append(Level(tuple(ready or sorted(waiting)), circular=not ready))
            for job in levels[-1].jobs:
                del waiting[job]
        return levels


def written_by(job: str, flow: Dataflow) -> list[Written]:
    """What the sinks of a job write; those without a place are only returned."""
    return [Written(job, id_, place) for id_ in flow.sinks for place in sink_places(flow, id_)]


def sink_places(flow: Dataflow, id_: str) -> list[Place]:
    """Where a sink writes: its target, paths among its settings, the location of a declared table."""
    sink = flow.operators[id_]
    assert isinstance(sink, ops.Sink)
    if not sink.target:
        return []
    target = Place.of(sink.target)
    texts = []
    if isinstance(sink.write, Write):
        texts += [value for _, value in sink.write.settings if "/" in value]
        texts += [text.partition("=")[2] for text in sink.write.layout if "/" in text]
    for source in (*flow.declared, *sources_of(flow)):
        if source.location and Place.of(source.table).may_hold(target):
            texts.append(source.location)
    return list(dict.fromkeys([target, *(Place.of(text) for text in texts if text)]))


def replaces_all(sink: ops.Sink) -> bool:
    """Whether a sink leaves nothing of what its place held, and keeps its columns as they are."""
    match sink.write:
        case None:  # CREATE TABLE AS, a model
            return not sink.positional
        case Write(format=format, mode=mode, layout=layout, settings=settings):
            whole = mode == "overwrite" and not layout and not settings
            return whole and format in KEEPING_TYPES
        case _:
            return False


def fits(source: ops.Source, flow: Dataflow, sink: str) -> bool:
    """Whether a source reads the very rows of a sink, column by column."""
    operator = flow.operators[sink]
    assert isinstance(operator, ops.Sink)
    ours = [(f.name.lower(), f.type) for f in source.fields]
    theirs = [(f.name.lower(), f.type) for f in flow.schemas[sink]]
    same_format = source.format == "table" or (
        isinstance(operator.write, Write) and operator.write.format == source.format
    )
    places = read_places(source)
    return (
        replaces_all(operator)
        and not operator.columns
        and not source.options
        and not source.metadata
        and same_format
        and places is not None
        and all(place == Place.of(operator.target) for place in places)
        and [f.name for f in source.fields] == list(flow.schemas[sink].names)
        and ours == theirs
    )


def table_statement(name: str, flow: Dataflow, sink: str) -> str:
    """The CREATE TABLE statement of what a sink writes; empty if a type has no name."""
    schema = flow.schemas[sink]
    if any(isinstance(f.type, ty.OpaqueType) for f in schema) or len(set(schema.names)) < len(
        schema
    ):
        return ""
    columns = ", ".join(f"{ty.quote_name(f.name)} {f.type}" for f in schema)
    place = Place.of(name)
    parts = [name] if place.is_path else name.replace("`", "").split(".")
    return f"CREATE TABLE {'.'.join(map(ty.quote_name, parts))} ({columns})"
