"""Tables and files of a Connect server as sources, identified by what the server reports about them."""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from veer.errors import InputError, UnsupportedError
from veer.ir import ops
from veer.ir.digests import json_digest
from veer.ir.schema import Field
from veer.ir.secrets import without_secret_values
from veer.ir.sources import location_of
from veer.ir.types import quote_name
from veer.read.pyspark.local_paths import canonical_path, link_targets
from veer.read.pyspark.plans.types import field_type, metadata_of

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.relations_pb2 import Read, Relation

# Formats of files, by the names of the classes that read them, as analyzed plans have them.
FILE_FORMATS = {
    "avro": "AvroFileFormat",
    "binaryfile": "BinaryFileFormat",
    "csv": "CSVFileFormat",
    "json": "JsonFileFormat",
    "orc": "OrcFileFormat",
    "parquet": "ParquetFileFormat",
    "text": "TextFileFormat",
    "xml": "XmlFileFormat",
}
CATALOG = "spark_catalog"  # of tables that are files
PATTERN = re.compile(r"[*?\[{\\]")
SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):(//[^/]*)?(?=/|$)")
REMOTE = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]*://[^/]+/")  # a path that says all
THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})
Schema = Mapping[str, Any]  # as JSON


class Server:
    """What is asked of a server about the leaves of plans; nothing is run on data."""

    def __init__(self, session: Any) -> None:
        self.session = session

    def schema(self, relation: Relation) -> Schema:
        """The columns of a leaf, as JSON."""
        return dict(json.loads(self._analyze("schema", relation).schema.json()))

    def files(self, relation: Relation) -> list[str]:
        """The files that a leaf reads, as URLs."""
        return list(self._analyze("input_files", relation).input_files)

    def _analyze(self, question: str, relation: Relation) -> Any:
        from pyspark.errors import PySparkException
        from pyspark.sql.connect.proto import Plan

        plan = Plan(root=relation)
        # Without its number the server answers anew, and keeps no plan with the files of today.
        plan.root.ClearField("common")
        try:
            return self.session.client._analyze(method=question, plan=plan)
        except PySparkException as error:
            raise InputError(server_says(error)) from None

    def table(self, name: str) -> Any:
        """What the catalog says of a table or view."""
        from pyspark.errors import PySparkException

        try:
            return self.session.catalog.getTable(name)
        except PySparkException as error:
            raise InputError(server_says(error)) from None

    def details(self, name: str) -> Mapping[str, Any]:
        """Where a table of files is and how it is read; empty if the server does not tell."""
        from pyspark.errors import PySparkException

        try:
            row = self.session.sql(f"DESCRIBE TABLE EXTENDED {name} AS JSON").collect()[0]
            return dict(json.loads(row[0]))
        except (PySparkException, ValueError):
            return {}

    def partitions(self, name: str) -> int:
        """How many partitions a table has."""
        return int(self.session.sql(f"SHOW PARTITIONS {name}").count())

    @property
    def is_here(self) -> bool:
        """Whether the server runs on this machine, so that its local files are seen from here."""
        return str(self.session.client.host) in THIS_MACHINE


def server_says(error: BaseException) -> str:
    """The first line of an error of the server's."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


def columns_of(schema: Schema) -> tuple[Field, ...]:
    """The columns of a source."""
    return tuple(Field(f["name"], field_type(f), bool(f["nullable"])) for f in schema["fields"])


# -- tables ----------------------------------------------------------------------------------------


def table_source(server: Server, name: str, relation: Relation) -> ops.Source:
    """A table of the catalog, or a view, which is opaque."""
    schema = server.schema(relation)
    entry = server.table(name)
    parts = [*([entry.catalog] if entry.catalog else []), *(entry.namespace or ()), entry.name]
    full_name = ".".join(parts)
    options = _options(relation.read.named_table.options)
    if entry.isTemporary or "VIEW" in str(entry.tableType).upper():
        return ops.Source(
            f"view {full_name}", columns_of(schema), format=ops.COMPUTED, options=options
        )
    quoted = ".".join(map(quote_name, parts))
    details = server.details(quoted) if entry.catalog == CATALOG else {}
    provider = str(details.get("provider", "table"))
    location = file_path(str(details.get("location", "")))
    stored = details.get("storage_properties") or {}
    return ops.Source(
        full_name,
        columns_of(schema),
        format=FILE_FORMATS.get(provider.lower(), provider),
        location=location,
        options=tuple(sorted((*_options(stored), *options))),
        metadata=metadata_of(schema),
        elsewhere=_elsewhere_of_table(server, details, location, relation),
    )


def _elsewhere_of_table(
    server: Server, details: Mapping[str, Any], location: str, relation: Relation
) -> tuple[str, ...]:
    """Where rows of a table may be beside its location."""
    if not location or str(details.get("provider", "")).lower() not in FILE_FORMATS:
        return (ops.ANYWHERE,)
    if not details.get("partition_columns"):
        return _links(server, [location], [])
    files = server.files(relation)
    folders = {posixpath.dirname(f) for f in map(file_path, files)}
    if len(folders) < server.partitions(relation.read.named_table.unparsed_identifier):
        return (ops.ANYWHERE,)  # some have no files that would show where they are
    apart = sorted(f for f in folders if not f.startswith(f"{location}/"))
    return tuple(sorted({*apart, *_links(server, [location, *apart], files)}))


# -- files and others ------------------------------------------------------------------------------


def data_source(server: Server, relation: Relation) -> ops.Source:
    """What `spark.read` reads: files, a database, a format of its own."""
    read = relation.read.data_source
    options = _options(read.options)
    schema = server.schema(relation)
    format_ = (read.format or "parquet").lower()
    if format_ not in FILE_FORMATS:
        return _foreign(read, format_, options, schema)
    if read.predicates:
        raise UnsupportedError(f"predicates for the format {read.format}")
    given = [*read.paths, *(v for k, v in read.options.items() if k.lower() == "path")]
    is_elsewhere = all(map(REMOTE.match, given))
    paths, elsewhere = _places(server, given, [] if is_elsewhere else server.files(relation))
    where = location_of(paths)
    return ops.Source(
        where,
        columns_of(schema),
        format=FILE_FORMATS[format_],
        location=where,
        options=options,
        metadata=metadata_of(schema),
        elsewhere=elsewhere,
    )


def _foreign(
    read: Read.DataSource, format_: str, options: Sequence[tuple[str, str]], schema: Schema
) -> ops.Source:
    """A database, or a format that is none of files: known by all it is asked with."""
    # Predicates of a database divide its rows among readers; they may leave out or repeat some.
    asked = [*options, *((f"predicate {i}", p) for i, p in enumerate(read.predicates))]
    asked += [(f"path {i}", path) for i, path in enumerate(read.paths)]
    kept = without_secret_values(asked)
    return ops.Source(
        f"{format_} {json_digest(kept, 16)}",
        columns_of(schema),
        format=format_,
        options=kept,
        metadata=metadata_of(schema),
        elsewhere=(ops.ANYWHERE,),
    )


def _places(
    server: Server, given: Sequence[str], files: Sequence[str]
) -> tuple[list[str], tuple[str, ...]]:
    """The paths of a source as URLs, and other places its rows may be in."""
    store = _file_system(given, files)
    paths = [normal_path(path if SCHEME.match(path) else f"{store}{path}") for path in given]
    absolute = all(SCHEME.match(path) for path in paths)
    if not paths or not absolute:
        return paths, (ops.ANYWHERE,)
    return paths, _links(server, paths, files)


def _file_system(given: Sequence[str], files: Sequence[str]) -> str:
    """Where the server looks for paths that do not say it; empty if its files do not show it."""
    named = {match[0] for path in given if (match := SCHEME.match(path))}
    if any(not path.startswith("/") for path in given if not SCHEME.match(path)):
        return ""  # below a folder that only the server knows
    seen = {match[0] for path in files if (match := SCHEME.match(path))}
    others = {_without_host(s) for s in seen} - {_without_host(s) for s in named} or {
        _without_host(s) for s in seen
    }
    return others.pop() if len(others) == 1 else ""


def _without_host(store: str) -> str:
    return store.removesuffix("//")


def _links(server: Server, paths: Sequence[str], files: Sequence[str]) -> tuple[str, ...]:
    """Where links among local files lead; ANYWHERE if that cannot be seen from here."""
    local = [path.removeprefix("file:") for path in paths if path.startswith("file:")]
    if not local:
        return ()
    fixed = [_fixed(path) for path in local]
    seen = [*fixed, *(file_path(f).removeprefix("file:") for f in files)]
    if not server.is_here or not all(map(os.path.exists, seen)):
        return (ops.ANYWHERE,)
    real = {canonical_path(f"file:{path}") for path in fixed} - {f"file:{path}" for path in fixed}
    return tuple(sorted(real | set(link_targets(f"file:{path}" for path in fixed))))


def _fixed(path: str) -> str:
    """A path up to its first pattern."""
    parts = path.split("/")
    end = next((i for i, part in enumerate(parts) if PATTERN.search(part)), len(parts))
    return "/".join(parts[:end]) or "/"


def file_path(url: str) -> str:
    """A file as the server names it, spelled as paths are here."""
    return normal_path(unquote(url))


def normal_path(path: str) -> str:
    """A path in one spelling: `file:///a//b/` is `file:/a/b`."""
    match = SCHEME.match(path)
    if match is None:
        return path
    store = _without_host(match[0])
    return f"{store}{posixpath.normpath('/' + path[match.end() :].lstrip('/'))}"


def _options(options: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Options of a reader, sorted; where the files are stands elsewhere."""
    lowered = {name.lower(): str(value) for name, value in options.items()}
    named = lowered if len(lowered) == len(options) else options  # twice, in other letters
    return tuple(sorted((k, v) for k, v in named.items() if k.lower() not in ("path", "paths")))
