"""Readers and writers that look like PySpark's and touch nothing.

Methods have the names and parameters of PySpark's (`spark.read`, `df.write`, `df.writeTo`); what is
not captured stops the job by name.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from veer.errors import InputError
from veer.ir import ops
from veer.ir.schema import Field
from veer.ir.secrets import (
    hidden_value,
    without_credentials,
    without_secret_values,
    without_secrets,
)
from veer.ir.sources import location_of
from veer.ir.types import STRING
from veer.ir.writes import Insert, Settings, Write
from veer.read.pyspark.local_paths import link_targets
from veer.read.pyspark.plans.types import field_type, metadata_of
from veer.read.pyspark.schemas import parquet_schema

if TYPE_CHECKING:
    from veer.read.pyspark.capture.capture import Capture

Columns: TypeAlias = tuple[tuple[Field, ...], tuple[tuple[str, str], ...]]  # with their metadata


class _Options:
    """What readers and writers have in common: a format and options."""

    _spoken = "reader"  # what messages call it

    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self._format = "parquet"
        self._format_was_set = False
        self._options: dict[str, str] = {}

    def format(self, source: str) -> Any:
        """Say the format of the data."""
        self._format, self._format_was_set = source, True
        return self

    def option(self, key: str, value: Any) -> Any:
        """Set one option."""
        self._set({key: value})
        return self

    def options(self, **options: Any) -> Any:
        """Set several options."""
        self._set(options)
        return self

    def _set(self, options: dict[str, Any]) -> None:
        for key, value in options.items():
            if value is not None:
                text = str(value).lower() if isinstance(value, bool) else str(value)
                self._options[key.lower()] = text

    def _shown_options(self, *left_out: str) -> Settings:
        """The options that decide what is written and how, without secrets."""
        options = sorted((k, v) for k, v in self._options.items() if k not in left_out)
        return tuple((k, str(v)) for k, v in without_credentials(options))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self._capture.stop(f"{self._spoken} has no {name}() that is captured")


class CapturedReader(_Options):
    """Stands for `spark.read`: every path and table becomes a source."""

    def __init__(self, capture: Capture) -> None:
        super().__init__(capture)
        self._schema: Any = None

    def schema(self, schema: Any) -> CapturedReader:
        """Take the columns as given, not from the files."""
        self._schema = schema
        return self

    def load(
        self, path: Any = None, format: str | None = None, schema: Any = None, **options: Any
    ) -> Any:
        """Read files or a table of some format."""
        self._format = format or self._format
        self._schema = schema or self._schema
        self._set(options)
        return self._source_frame([path] if isinstance(path, str | Path) else list(path or ()))

    def parquet(self, *paths: str, **options: Any) -> Any:
        """Read Parquet files."""
        return self._read_format("parquet", list(paths), options)

    def orc(self, path: Any, **options: Any) -> Any:
        """Read ORC files."""
        return self._read_format("orc", path, options)

    def json(self, path: Any, schema: Any = None, **options: Any) -> Any:
        """Read JSON files."""
        return self._read_format("json", path, {"schema": schema, **options})

    def csv(self, path: Any, schema: Any = None, sep: Any = None, **options: Any) -> Any:
        """Read CSV files."""
        return self._read_format("csv", path, {"schema": schema, "sep": sep, **options})

    def xml(self, path: Any, schema: Any = None, **options: Any) -> Any:
        """Read XML files."""
        return self._read_format("xml", path, {"schema": schema, **options})

    def text(self, paths: Any, **options: Any) -> Any:
        """Read text files: one column, a line a row."""
        return self._read_format("text", paths, options)

    def table(self, name: str) -> Any:
        """Read a table of the catalog, which must be declared if there are options."""
        if self._options:
            declared = self._capture.declared_table(name)
            if declared is None:
                self._capture.stop(f"the table {name} is read with options but not declared")
            shown = without_secret_values(
                sorted({**dict(declared.options), **self._options}.items())
            )
            return self._capture.stub(replace(declared, options=shown))
        return self._capture.table(name)

    def jdbc(self, url: str, table: str, properties: Any = None, **options: Any) -> Any:
        """Read a table of a database."""
        self._set({"url": url, "dbtable": table, **(properties or {}), **options})
        self._format = "jdbc"
        return self._source_frame([])

    def _read_format(self, format_: str, paths: Any, options: dict[str, Any]) -> Any:
        self._format = format_
        self._schema = options.pop("schema", None) or self._schema
        self._set(options)
        return self._source_frame([paths] if isinstance(paths, str | Path) else list(paths))

    def _source_frame(self, given: Sequence[Any]) -> Any:
        paths = [self._capture.path(str(p)) for p in given] or self._options_as_paths()
        where = location_of(paths)
        for written in self._capture.written:
            if written.sink.target in paths:
                if len(paths) > 1 or self._schema is not None or self._options:
                    self._capture.stop(f"{where} is read in another way than written")
                return self._capture.reread(written)
        given = sorted((k, v) for k, v in self._options.items() if k != "path")
        options = without_secret_values(given)
        declared = next(
            (s for n, s in self._capture.tables.items() if self._capture.path(n) == where), None
        )
        fields, metadata = self._fields(paths, declared)
        where = without_secrets(where, hidden_value)
        source = ops.Source(where, fields, location=where, elsewhere=self._links(paths))
        if declared is not None and _same_columns(declared.fields, fields):
            # Declared beside others, it is a table of its own, wherever its files are.
            source = replace(declared, table=where)
        return self._capture.stub(
            replace(source, format=self._format, options=options, metadata=metadata)
        )

    def _links(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Other places that links lead to, of paths that are there."""
        targets: set[str] = set()
        for path in paths:
            for root in (self._capture.root, self._capture.data):
                target, plain = os.path.realpath(root / path), os.path.realpath(root)
                if os.path.exists(target):
                    leads = {f"file:{target}", *link_targets([target])}
                    targets |= {
                        self._capture.path(p.replace(f"{plain}/", f"{root}/")) for p in leads
                    }
        return tuple(sorted(targets - set(paths)))

    def _options_as_paths(self) -> list[str]:
        for key in ("path", "dbtable", "query", "table", "url"):
            if key in self._options:
                return [self._capture.path(self._options[key])]
        return [self._format]

    def _fields(self, paths: Sequence[str], declared: ops.Source | None) -> Columns:
        if self._schema is not None:
            return _schema_columns(self._schema)
        if declared is not None:
            return declared.fields, declared.metadata
        if self._format == "text":
            return (Field("value", STRING),), ()
        columns = self._from_files(paths)
        if columns is not None:
            return columns
        where = " ".join(paths)
        self._capture.stop(
            f"the columns of {where} are not known; give the reader .schema(...), "
            f"or {self._capture.how_to_declare([where])}",
            says_what_to_do=True,
            undeclared_table=where,
        )

    def _from_files(self, paths: Sequence[str]) -> Columns | None:
        """The columns local files tell by themselves, without a query."""
        file = next((f for p in paths if (f := self._file(p)) is not None), None)
        if file is None:
            return None
        try:
            if self._format == "parquet":
                return _parquet_fields(file)
            if self._format == "csv" and self._options.get("inferschema", "false") == "false":
                return self._header(file), ()
        except (OSError, ValueError, InputError):
            return None
        return None

    def _file(self, path: str) -> Path | None:
        existing = next(
            (p for p in (self._capture.root / path, self._capture.data / path) if p.exists()), None
        )
        if existing is None or existing.is_file():
            return existing
        inside = (p for p in sorted(existing.rglob("*")) if p.is_file())
        return next((p for p in inside if not p.name.startswith(("_", "."))), None)

    def _header(self, file: Path) -> tuple[Field, ...]:
        separator = self._options.get("sep") or self._options.get("delimiter") or ","
        with file.open(encoding="utf-8", newline="") as opened:
            first = next(csv.reader(opened, delimiter=separator))
        if self._options.get("header", "false") != "true":
            first = [f"_c{i}" for i in range(len(first))]
        elif len({n.lower() for n in first}) < len(first) or "" in first:
            raise InputError("a CSV header with names that Spark changes")
        return tuple(Field(name, STRING) for name in first)


def _schema_columns(schema: Any) -> Columns:
    """The columns of a schema a reader was given: files may hold nulls anywhere."""
    from pyspark.sql.types import StructType

    parsed: Any = schema if isinstance(schema, StructType) else StructType.fromDDL(str(schema))
    return _columns(parsed.jsonValue())


def _columns(schema: Mapping[str, Any]) -> Columns:
    """The columns of a schema, and what they carry besides their types."""
    fields = tuple(Field(f["name"], field_type(f)) for f in schema["fields"])
    return fields, metadata_of(schema)


def _parquet_fields(file: Path) -> Columns:
    """The columns a Parquet file says it has."""
    return _columns(parquet_schema(file))


def _same_columns(one: Sequence[Field], two: Sequence[Field]) -> bool:
    return [(f.name, f.type) for f in one] == [(f.name, f.type) for f in two]


class CapturedWriter(_Options):
    """Stands for `df.write`: whatever is written becomes a sink."""

    _spoken = "writer"

    def __init__(self, capture: Capture, frame: Any) -> None:
        super().__init__(capture)
        self._frame = frame
        self._mode = "error"
        self._layout: list[str] = []

    def mode(self, mode: str | None) -> CapturedWriter:
        """Say what becomes of what is there; Spark's default is to fail."""
        self._mode = "error" if mode in (None, "default", "errorifexists") else str(mode).lower()
        return self

    def partitionBy(self, *columns: Any) -> CapturedWriter:
        """Write a folder for each value of columns."""
        return self._add_layout("partitioned by", columns)

    def bucketBy(self, count: int, *columns: Any) -> CapturedWriter:
        """Spread rows over buckets by columns."""
        return self._add_layout(f"in {count} buckets by", columns)

    def sortBy(self, *columns: Any) -> CapturedWriter:
        """Sort the rows of each bucket."""
        return self._add_layout("sorted by", columns)

    def clusterBy(self, *columns: Any) -> CapturedWriter:
        """Cluster the data by columns."""
        return self._add_layout("clustered by", columns)

    def _add_layout(self, how: str, columns: Sequence[Any]) -> CapturedWriter:
        names = [n for c in columns for n in (c if isinstance(c, list | tuple) else [c])]
        self._layout.append(f"{how} {', '.join(map(self._capture.column_text, names))}")
        return self

    def save(self, path: Any = None, format: Any = None, mode: Any = None, partitionBy: Any = None,
             **options: Any) -> None:  # fmt: skip
        """Write: the DataFrame becomes a sink of that path."""
        self._format = format or self._format
        if mode is not None:
            self.mode(mode)
        if partitionBy is not None:
            self.partitionBy(partitionBy)
        self._set(options)
        target = str(path or self._options.get("path") or self._options.get("dbtable") or "output")
        target = self._capture.path(target)
        # Of a table that is named, the path is where else its rows are.
        settings = self._shown_options(*(() if path else ("path",)))
        write = Write(self._format, self._mode, tuple(self._layout), settings)
        positional = self._format in ("csv", "text")
        sink = ops.Sink(target, target=target, positional=positional, write=write)
        self._capture.write(sink, self._frame)

    def parquet(self, path: str, mode: Any = None, partitionBy: Any = None, **options: Any) -> None:
        """Write Parquet files."""
        self.save(path, "parquet", mode, partitionBy, **options)

    def orc(self, path: str, mode: Any = None, partitionBy: Any = None, **options: Any) -> None:
        """Write ORC files."""
        self.save(path, "orc", mode, partitionBy, **options)

    def json(self, path: str, mode: Any = None, **options: Any) -> None:
        """Write JSON files."""
        self.save(path, "json", mode, **options)

    def csv(self, path: str, mode: Any = None, **options: Any) -> None:
        """Write CSV files, which have columns by place."""
        self.save(path, "csv", mode, **options)

    def text(self, path: str, **options: Any) -> None:
        """Write text files."""
        self.save(path, "text", **options)

    def xml(self, path: str, **options: Any) -> None:
        """Write XML files."""
        self.save(path, "xml", **options)

    def jdbc(self, url: str, table: str, mode: Any = None, properties: Any = None) -> None:
        """Write a table of a database."""
        self._set(properties or {})
        self.save(table, "jdbc", mode, url=url)

    def saveAsTable(self, name: str, format: Any = None, mode: Any = None, partitionBy: Any = None,
                    **options: Any) -> None:  # fmt: skip
        """Write a table of the catalog, by the names of its columns."""
        named = format or (self._format if self._format_was_set else "table")
        self.save(name.replace("`", ""), named, mode, partitionBy, **options)

    def insertInto(self, tableName: str, overwrite: bool | None = None) -> None:
        """Add rows to a table, by the places of its columns."""
        over = overwrite if overwrite is not None else self._mode == "overwrite"
        name = tableName.replace("`", "")
        write = Insert(over, settings=self._shown_options())
        self._capture.write(ops.Sink(name, target=name, positional=True, write=write), self._frame)


class CapturedTableWriter(_Options):
    """Stands for `df.writeTo(table)`."""

    _spoken = "tablewriter"

    def __init__(self, capture: Capture, frame: Any, table: str) -> None:
        super().__init__(capture)
        self._frame = frame
        self._table = table.replace("`", "")
        self._format = "table"
        self._layout: list[str] = []

    def using(self, provider: str) -> CapturedTableWriter:
        """Say the format of the table."""
        self._format = provider
        return self

    def tableProperty(self, property: str, value: str) -> CapturedTableWriter:
        """Set a property of the table."""
        self._set({property: value})
        return self

    def partitionedBy(self, *columns: Any) -> CapturedTableWriter:
        """Partition the table by columns or expressions of them."""
        shown = ", ".join(map(self._capture.column_text, columns))
        self._layout.append(f"partitioned by {shown}")
        return self

    clusterBy = partitionedBy

    def create(self) -> None:
        """Write a table that must not exist."""
        self._write("created")

    def createOrReplace(self) -> None:
        """Write a table, whether or not it exists."""
        self._write("created or replaced")

    def replace(self) -> None:
        """Write a table that must exist."""
        self._write("replaced")

    def append(self) -> None:
        """Add rows to the table."""
        self._write("append")

    def overwrite(self, condition: Any) -> None:
        """Replace the rows for which a condition holds."""
        self._write(f"overwrite where {self._capture.column_text(condition)}")

    def overwritePartitions(self) -> None:
        """Replace the partitions for which there are rows."""
        self._write("overwrite partitions")

    def _write(self, how: str) -> None:
        write = Write(self._format, how, tuple(self._layout), self._shown_options())
        self._capture.write(ops.Sink(self._table, target=self._table, write=write), self._frame)
