"""Writers of a job's frames: they write rows of the store, unless that would hide something.

Spark refuses to overwrite what a frame reads. A frame that is read from the store reads something
else; so where a write may go to what the job's own frame reads, it is given that frame.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veer.execution.targets import relation
from veer.frontends.spark.tree import each

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
            named = dict(given)
            place = args[0] if args else named.get("path", named.get("name"))
            if name == "save" and place is None:
                place = self._option("path")
            is_path = name in TO_PATHS and place is not None
            if is_path:
                own = may_read_path(frame, str(place))
            else:
                own = may_read_table(frame, place if name in TO_TABLES[:2] else None)
            return getattr(self._told(as_it_is(frame) if own else stored(frame)), name)(
                *args, **given
            )

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


def may_read_path(frame: DataFrame, path: str) -> bool:
    """Whether a frame reads what is at, in or above a path; also if nobody can tell."""
    try:
        target = _qualified(frame, path)
        places, others = _leaves(frame)
    except Exception:
        return True
    return bool(others) or any(_overlap(target, place) for place in places)


def may_read_table(frame: DataFrame, name: Any) -> bool:
    """Whether a frame reads a table; also if nobody can tell, as of one in another system."""
    try:
        places, others = _leaves(frame)
        if others or name is None:
            return bool(others)
        if not frame.sparkSession.catalog.tableExists(str(name)):
            return False
        state: Any = frame.sparkSession._jsparkSession.sessionState()
        identifier = state.sqlParser().parseTableIdentifier(str(name))
        table = state.catalog().getTableMetadata(identifier)
        target = _qualified(frame, str(table.location().toString()))
    except Exception:
        return True
    return any(_overlap(target, place) for place in places)


def _leaves(frame: DataFrame) -> tuple[list[str], list[str]]:
    """The paths a frame reads, and kinds of leaves that are none."""
    plan: Any = frame._jdf.queryExecution().analyzed()
    places: list[str] = []
    others: list[str] = []
    for part in (plan, *each(plan.subqueriesAll())):
        for leaf in each(part.collectLeaves()):
            kind = str(leaf.getClass().getSimpleName())
            if kind in HARMLESS:
                continue
            try:
                roots = each(leaf.relation().location().rootPaths())
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


__all__ = ["may_read_path", "may_read_table", "recording_writer"]
