"""What feeds a plan: files, tables, rows given in the program; known by identity, never read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from veer.errors import UnsupportedError
from veer.ir import ops
from veer.ir.digests import json_digest
from veer.ir.secrets import without_secret_values
from veer.ir.sources import location_of
from veer.ir.types import (
    AtomicType,
)
from veer.read.pyspark.local_paths import canonical_path, link_targets
from veer.read.pyspark.plans.pickled_rows import rows_of_rdd
from veer.read.pyspark.plans.signals import fields_of
from veer.read.pyspark.plans.tree import Node, scala_items
from veer.read.pyspark.plans.types import metadata_of, row_value

MOST_CELLS = 5_000  # of rows given in the program
FILE_COLUMN = "_metadata"  # names and times of the files rows come from
MOST_PARTITIONS = 10_000  # whose places are looked up


def source_of(node: Node) -> ops.AnyOperator:
    """The table a leaf of a plan stands for."""
    reader = READERS.get(node.kind)
    if reader is None:
        raise UnsupportedError(f"the source {node.kind}")
    if node.fields.get("isStreaming"):
        raise UnsupportedError("a streaming source; verify the query on a batch of its data")
    return reader(node)


def _rdd(node: Node) -> ops.AnyOperator:
    """Rows made in the program."""
    return rows_of_rdd(node.jvm.rdd(), fields_of(node))


def _local(node: Node) -> ops.AnyOperator:
    """Rows held by the plan itself: known by what they are, where that can be told for certain."""
    fields = fields_of(node)
    rows = node.jvm.data()
    plain = all(isinstance(f.type, AtomicType) for f in fields)
    if not plain or rows.size() * len(fields) > MOST_CELLS:
        return ops.Source(f"rows_{uuid4().hex}", fields, format=ops.LOCAL)
    types = [node.jvm.output().apply(i).dataType() for i in range(len(fields))]
    cells = [
        [None if row.isNullAt(j) else row.get(j, type_) for j, type_ in enumerate(types)]
        for row in scala_items(rows)
    ]
    try:
        values = [
            tuple(row_value(v, f.type) for v, f in zip(row, fields, strict=True)) for row in cells
        ]
    except UnsupportedError:
        # Equal texts of a type are equal values; which value they are is not told.
        texts = [[None if v is None else str(v) for v in row] for row in cells]
        return ops.Source(f"rows_{json_digest(texts, 16)}", fields, format=ops.LOCAL)
    return ops.Values(fields, tuple(values))


def _relation(node: Node) -> ops.Source:
    """Files, or a table of the catalog that stands for some."""
    relation = node.jvm.relation()
    kind = str(relation.getClass().getSimpleName())
    table = node.jvm.catalogTable()
    name = str(table.get().identifier().unquotedString()) if table.isDefined() else ""
    metadata = metadata_of(json.loads(relation.schema().json()))
    if kind == "HadoopFsRelation":
        roots = sorted(_strings(relation.location().rootPaths()))
        elsewhere = {*link_targets(roots), *(_partitions(table.get()) if name else ())}
        if any(f.name == FILE_COLUMN for f in fields_of(node)):
            # The column tells the name of the link: links to one place are not one source.
            elsewhere |= set(map(canonical_path, roots)) - set(roots)
        else:
            roots = sorted(map(canonical_path, roots))
        where = location_of(roots)
        return ops.Source(
            name or where,
            fields_of(node),
            format=str(relation.fileFormat().getClass().getSimpleName()),
            location=where,
            options=_options(relation.options()),
            metadata=metadata,
            elsewhere=tuple(sorted(elsewhere)),
        )
    if kind == "JDBCRelation":
        options = _options(relation.jdbcOptions().parameters())
        kept = without_secret_values((*options, *_predicates(relation)))
        return ops.Source(
            name or f"jdbc {json_digest(kept, 16)}",
            fields_of(node),
            format="jdbc",
            options=kept,
            metadata=metadata,
        )
    raise UnsupportedError(f"the relation {kind}")


def _predicates(relation: Any) -> list[tuple[str, str]]:
    """The conditions by which a database's rows are divided; they may leave out or repeat some."""
    clauses = [part.whereClause() for part in relation.parts()]
    return [(f"predicate {i}", str(c)) for i, c in enumerate(clauses) if c is not None]


def _partitions(table: Any) -> list[str]:
    """Where partitions of a catalog's table are, if they are kept apart from it."""
    if table.partitionColumnNames().isEmpty():
        return []
    from pyspark.sql import SparkSession

    session: Any = SparkSession.getActiveSession()
    try:
        catalog = session._jsparkSession.sessionState().catalog()
        none = getattr(catalog, "listPartitions$default$2")()
        partitions = scala_items(catalog.listPartitions(table.identifier(), none))
        if len(partitions) > MOST_PARTITIONS:
            return [ops.ANYWHERE]
        uris = (p.storage().locationUri() for p in partitions)
        return sorted({canonical_path(str(u.get().toString())) for u in uris if u.isDefined()})
    except Exception:  # a catalog of another make
        return [ops.ANYWHERE]


def _version_two(node: Node) -> ops.Source:
    """A table of a catalog or a format with a reader of its own."""
    table = node.jvm.table()
    options = _options(node.jvm.options().asCaseSensitiveMap(), java=True)
    at = node.dropped.get("timeTravelSpec", node.fields.get("timeTravelSpec"))
    owner = node.jvm.catalog()
    catalog = f"{owner.get().name()}." if owner.isDefined() else ""
    return ops.Source(
        f"{catalog}{table.name()}",
        fields_of(node),
        format=str(table.getClass().getName()),
        location=str(at),
        options=options,
        metadata=metadata_of(json.loads(node.jvm.schema().json())),
        elsewhere=(ops.ANYWHERE,),
    )


def _hive(node: Node) -> ops.Source:
    meta = node.jvm.tableMeta()
    return ops.Source(
        str(meta.identifier().unquotedString()),
        fields_of(node),
        format="hive",
        metadata=metadata_of(json.loads(meta.schema().json())),
        elsewhere=(ops.ANYWHERE,),
    )


READERS: dict[str, Callable[[Node], ops.AnyOperator]] = {
    "LogicalRDD": _rdd,
    "LocalRelation": _local,
    "LogicalRelation": _relation,
    "DataSourceV2Relation": _version_two,
    "HiveTableRelation": _hive,
}


def _strings(sequence: Any) -> list[str]:
    return [str(item.toString()) for item in scala_items(sequence)]


def _options(table: Any, *, java: bool = False) -> tuple[tuple[str, str], ...]:
    """Options of a reader, sorted; those that only say where the files are stand elsewhere."""
    options: list[tuple[str, str]] = []
    if java:
        options = [(str(k), str(v)) for k, v in dict(table).items()]
    else:
        options = [(str(pair._1()), str(pair._2())) for pair in scala_items(table.toSeq())]
    return tuple(sorted(p for p in options if p[0].lower() not in ("path", "paths")))
