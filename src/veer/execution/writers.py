"""Writers of a job's frames: they write rows of the store, unless that would hide something.

Spark refuses to overwrite a table that a frame reads, and loses the files of a path. A frame that is
read from the store reads something else; so where a write goes to what the job's own frame reads,
that frame is written, and none that would be lost.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, final

from veer.errors import InputError
from veer.execution.targets import path_relation
from veer.read.pyspark.plans.tree import scala_items

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SETTING = ("mode", "format", "option", "options", "partitionBy", "bucketBy", "sortBy", "clusterBy")
TO_PATHS = ("save", "parquet", "csv", "json", "orc", "text", "xml")
TO_TABLES = ("saveAsTable", "insertInto", "jdbc")
# Leaves of plans that read nothing a write could go to.
HARMLESS = ("LocalRelation", "OneRowRelation", "Range", "LogicalRDD", "ExternalRDD")


def recording_writer(
    frame: DataFrame,
    writer: Callable[[DataFrame], Any],
    stored: Callable[[DataFrame], DataFrame],
    as_it_is: Callable[[DataFrame], DataFrame],
) -> Any:
    """A writer of a frame that writes the rows of the `stored` one where that is the same.

    `writer` gives Spark's own writer of a frame. It is a `DataFrameWriter` for those who look.
    """
    from pyspark.sql.readwriter import DataFrameWriter

    recorded = _RecordedWriter(frame, writer, stored, as_it_is)

    class Recording(DataFrameWriter):
        def __init__(self) -> None:
            """Spark's own state is not needed: what it holds is asked of a writer of its own."""

        def __getattr__(self, name: str) -> Any:
            return getattr(recorded.repeated_on(frame), name)

    for name in SETTING:
        setattr(Recording, name, _setting(recorded, name))
    for name in (*TO_PATHS, *TO_TABLES):
        setattr(Recording, name, _writing(recorded, name))
    return Recording()


def _setting(recorded: _RecordedWriter, name: str) -> Any:
    """A method that only notes how to write."""

    def method(self: Any, *args: Any, **named: Any) -> Any:
        recorded.calls.append(_Call(name, args, named))
        return self

    return method


def _writing(recorded: _RecordedWriter, name: str) -> Any:
    """A method that writes."""
    return lambda self, *args, **named: recorded.write(_Call(name, args, named))


@final
class _Call(NamedTuple):
    """A call of a method of a writer."""

    method: str
    args: tuple[Any, ...]
    named: dict[str, Any]


@final
@dataclass
class _RecordedWriter:
    """What a job calls on the writer of a frame, until it says where to write."""

    frame: DataFrame
    writer: Callable[[DataFrame], Any]
    stored: Callable[[DataFrame], DataFrame]
    as_it_is: Callable[[DataFrame], DataFrame]
    calls: list[_Call] = field(default_factory=list)

    def write(self, call: _Call) -> Any:
        """Write the stored rows, or the job's own where it may read what is written to."""
        place = call.args[0] if call.args else call.named.get("path", call.named.get("name"))
        if call.method == "save" and place is None:
            place = self._option("path")
        if call.method in TO_PATHS and place is not None:
            reads = reads_path(self.frame, str(place))
        else:
            is_named = call.method in ("saveAsTable", "insertInto")
            reads = reads_table(self.frame, place if is_named else None)
        if reads is Reads.YES and self._overwrites(call):
            raise InputError(f"the job overwrites {place}, which it reads; write it elsewhere")
        rows = self.stored if reads is Reads.NO else self.as_it_is
        writer = self.repeated_on(rows(self.frame))
        return getattr(writer, call.method)(*call.args, **call.named)

    def repeated_on(self, rows: DataFrame) -> Any:
        """Spark's writer of a frame, after the same calls."""
        writer = self.writer(rows)
        for call in self.calls:
            writer = getattr(writer, call.method)(*call.args, **call.named)
        return writer

    def _overwrites(self, call: _Call) -> bool:
        """Whether Spark deletes what is there before it reads."""
        words = (*call.args[1:], *call.named.values())
        set_before = [c for c in self.calls if c.method == "mode"]
        modes = [word for c in set_before for word in c.args]
        modes += [word for c in set_before for word in c.named.values()]
        overwrites = any(str(word).lower() == "overwrite" for word in (*modes[-1:], *words))
        overwrites = overwrites or (call.method == "insertInto" and True in words)
        dynamic = self._option("partitionoverwritemode") or self.frame.sparkSession.conf.get(
            "spark.sql.sources.partitionOverwriteMode"
        )
        return overwrites and str(dynamic).lower() == "static"

    def _option(self, name: str) -> Any:
        """The value an option has by now; Spark does not care for capital letters in its name."""
        value = None
        for call in self.calls:
            is_pair = call.method == "option" and len(call.args) == 2
            options = dict([call.args]) if is_pair else call.named
            value = {str(k).lower(): v for k, v in options.items()}.get(name, value)
        return value


@final
class Reads(Enum):
    """Whether a frame reads what a write goes to."""

    NO = "no"
    MAY = "perhaps"
    YES = "yes"


def reads_path(frame: DataFrame, path: str) -> Reads:
    """Whether a frame reads what is at, in or above a path."""
    try:
        return _reads(frame, lambda: _qualified(frame, path))
    except Exception:
        return Reads.MAY


def reads_table(frame: DataFrame, name: Any) -> Reads:
    """Whether a frame reads a table; one in another system has no name here."""
    try:
        if name is None or not frame.sparkSession.catalog.tableExists(str(name)):
            return Reads.MAY if _leaves(frame)[1] else Reads.NO
        return _reads(frame, lambda: _location(frame, str(name)))
    except Exception:
        return Reads.MAY


def _reads(frame: DataFrame, place: Callable[[], str]) -> Reads:
    """Whether a frame reads a place; perhaps, if some of its leaves do not say what they read."""
    read, others = _leaves(frame)
    target = place()
    if any(_overlap(target, path) for path in read):
        return Reads.YES
    return Reads.MAY if others else Reads.NO


def _location(frame: DataFrame, table: str) -> str:
    """Where the files of a table of the catalog are."""
    state: Any = frame.sparkSession._jsparkSession.sessionState()
    metadata = state.catalog().getTableMetadata(state.sqlParser().parseTableIdentifier(table))
    return _qualified(frame, str(metadata.location().toString()))


def _leaves(frame: DataFrame) -> tuple[list[str], list[str]]:
    """The paths a frame reads, and kinds of leaves that are none."""
    plan: Any = frame._jdf.queryExecution().analyzed()
    places: list[str] = []
    others: list[str] = []
    for part in (plan, *scala_items(plan.subqueriesAll())):
        for leaf in scala_items(part.collectLeaves()):
            kind = str(leaf.getClass().getSimpleName())
            if kind in HARMLESS:
                continue
            try:
                roots = scala_items(leaf.relation().location().rootPaths())
                places += [_qualified(frame, str(p.toString())) for p in roots]
            except Exception:
                others.append(kind)
    return places, others


def _qualified(frame: DataFrame, path: str) -> str:
    """A path as Hadoop knows it, with its file system."""
    session: Any = frame.sparkSession
    hadoop_path = session._jvm.org.apache.hadoop.fs.Path(path)
    system = hadoop_path.getFileSystem(session._jsc.hadoopConfiguration())
    return str(system.makeQualified(hadoop_path).toUri().toString())


def _overlap(one: str, other: str) -> bool:
    """Whether a path is, contains or lies in another one; local ones wherever links lead."""
    paths = [p.removeprefix("file://").removeprefix("file:") for p in (one, other)]
    if all(p.startswith("/") for p in paths):
        return path_relation(Path(os.path.realpath(paths[0])), Path(paths[1])) is not None
    one, other = (p.rstrip("/") + "/" for p in (one, other))
    return one.startswith(other) or other.startswith(one)


__all__ = ["Reads", "reads_path", "reads_table", "recording_writer"]
