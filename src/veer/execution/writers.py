"""Writers of a job's frames: they write rows of the store, unless that would hide something.

Spark refuses to overwrite a table that a frame reads, and loses the files of a path. A frame that is
read from the store reads something else; so where a write goes to what the job's own frame reads,
that frame is written, and none that would be lost.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from veer.errors import InputError
from veer.execution.targets import relation
from veer.frontends.spark.plans.tree import scala_items

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
    """A writer of a frame that writes the rows of the `stored` one where that is the same."""
    from pyspark.sql.readwriter import DataFrameWriter

    class Recording(DataFrameWriter):
        """Takes everything down until it is told where to write."""

        def __init__(self) -> None:
            self._calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

        def _done(self, name: str, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
            place = args[0] if args else given.get("path", given.get("name"))
            if name == "save" and place is None:
                place = self._option("path")
            if name in TO_PATHS and place is not None:
                reads = reads_path(frame, str(place))
            else:
                reads = reads_table(frame, place if name in ("saveAsTable", "insertInto") else None)
            if reads is Reads.YES and self._overwrites(name, (*args[1:], *given.values())):
                raise InputError(f"the job overwrites {place}, which it reads; write it elsewhere")
            own = reads is not Reads.NO
            return getattr(self._told(as_it_is(frame) if own else stored(frame)), name)(
                *args, **given
            )

        def _overwrites(self, name: str, words: tuple[Any, ...]) -> bool:
            """Whether Spark deletes what is there before it reads."""
            modes = [w for call, given, _ in self._calls if call == "mode" for w in given]
            modes += [w for call, _, more in self._calls if call == "mode" for w in more.values()]
            last = [*modes[-1:], *words]
            asked = any(str(w).lower() == "overwrite" for w in last)
            asked = asked or (name == "insertInto" and True in words)
            dynamic = self._option("partitionoverwritemode") or frame.sparkSession.conf.get(
                "spark.sql.sources.partitionOverwriteMode"
            )
            return asked and str(dynamic).lower() == "static"

        def _told(self, rows: DataFrame) -> Any:
            """A writer of a frame that was told what this one was."""
            made = writer(rows)
            for call, words, more in self._calls:
                made = getattr(made, call)(*words, **more)
            return made

        def __getattr__(self, name: str) -> Any:
            return getattr(self._told(frame), name)  # what Spark keeps for itself

        def _option(self, asked: str) -> Any:
            found = None
            for call, words, more in self._calls:
                said = dict([words]) if call == "option" and len(words) == 2 else more
                found = {str(k).lower(): v for k, v in said.items()}.get(asked, found)
            return found

    def setting(name: str) -> Any:
        def call(self: Any, *args: Any, **given: Any) -> Any:
            self._calls.append((name, args, given))
            return self

        return call

    def done(name: str) -> Any:
        return lambda self, *args, **given: self._done(name, args, given)

    for name in SETTING:
        setattr(Recording, name, setting(name))
    for name in (*TO_PATHS, *TO_TABLES):
        setattr(Recording, name, done(name))
    return Recording()


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
    read, others = _leaves(frame)
    target = place()
    if any(_overlap(target, path) for path in read):
        return Reads.YES
    return Reads.MAY if others else Reads.NO


def _location(frame: DataFrame, table: str) -> str:
    """Where the files of a table of the catalog are."""
    state: Any = frame.sparkSession._jsparkSession.sessionState()
    found = state.catalog().getTableMetadata(state.sqlParser().parseTableIdentifier(table))
    return _qualified(frame, str(found.location().toString()))


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
    made = session._jvm.org.apache.hadoop.fs.Path(path)
    system = made.getFileSystem(session._jsc.hadoopConfiguration())
    return str(system.makeQualified(made).toUri().toString())


def _overlap(one: str, other: str) -> bool:
    paths = [p.removeprefix("file://").removeprefix("file:") for p in (one, other)]
    if all(p.startswith("/") for p in paths):
        return bool(relation(Path(os.path.realpath(paths[0])), Path(paths[1])))
    one, other = (p.rstrip("/") + "/" for p in (one, other))
    return one.startswith(other) or other.startswith(one)


__all__ = ["Reads", "reads_path", "reads_table", "recording_writer"]
