"""What feeds a plan: files, tables, rows given in the program; known by identity, never read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from veer.dataflow.functions.arithmetic import NAN
from veer.dataflow.ops import LOCAL, Operator, Source, Values
from veer.dataflow.types import (
    AtomicType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    IntegralType,
    StringType,
    TimestampNtzType,
    TimestampType,
)
from veer.errors import UnsupportedError
from veer.frontends.spark.operators import digest, fields_of
from veer.frontends.spark.tree import Node, each
from veer.frontends.spark.types import constant, jvm_constant

MOST_CELLS = 5_000  # of rows given in the program


def source_of(node: Node) -> Operator:
    """The table a leaf of a plan stands for."""
    reader = READERS.get(node.kind)
    if reader is None:
        raise UnsupportedError(f"the source {node.kind}")
    if node.fields.get("isStreaming"):
        raise UnsupportedError("a streaming source; verify the query on a batch of its data")
    return reader(node)


def _rdd(node: Node) -> Source:
    """Rows made in the program: the same RDD of the same application is the same table."""
    rdd = node.jvm.rdd()
    application = str(rdd.sparkContext().applicationId())
    return Source(f"rdd_{rdd.id()}", fields_of(node), format="rdd", location=application)


def _local(node: Node) -> Operator:
    """Rows held by the plan itself: known by what they are, where that can be told for certain."""
    fields = fields_of(node)
    rows = node.jvm.data()
    plain = all(isinstance(f.type, AtomicType) for f in fields)
    if not plain or rows.size() * len(fields) > MOST_CELLS:
        return Source(f"rows_{uuid4().hex}", fields, format=LOCAL)
    types = [node.jvm.output().apply(i).dataType() for i in range(len(fields))]
    cells = [
        [None if row.isNullAt(j) else row.get(j, type_) for j, type_ in enumerate(types)]
        for row in each(rows)
    ]
    try:
        found = [tuple(_cell(v, f.type) for v, f in zip(row, fields, strict=True)) for row in cells]
    except UnsupportedError:
        texts = [[None if v is None else str(v) for v in row] for row in cells]
        return Source(f"rows_{digest(texts)}", fields, format=LOCAL)
    return Values(fields, tuple(found))


def _cell(value: Any, type_: DataType) -> Any:
    """A value of a row held by a plan."""
    if value is None:
        return None
    match type_:
        case BooleanType() if isinstance(value, bool):
            return value
        case IntegralType() if isinstance(value, int):
            return value
        case DoubleType() if isinstance(value, float):
            return NAN if value != value else value
        case DecimalType():
            return constant(str(value), type_)
        case StringType() | DateType() | TimestampType() | TimestampNtzType():
            return jvm_constant(value, type_)
        case _:
            raise UnsupportedError(f"a row with a value of type {type_}")


def _relation(node: Node) -> Source:
    """Files, or a table of the catalog that stands for some."""
    relation = node.jvm.relation()
    kind = str(relation.getClass().getSimpleName())
    table = node.jvm.catalogTable()
    name = str(table.get().identifier().unquotedString()) if table.isDefined() else ""
    if kind == "HadoopFsRelation":
        paths = _strings(relation.location().rootPaths())
        options = _options(relation.options())
        format_ = str(relation.fileFormat().getClass().getSimpleName())
        where = " ".join(paths)
        return Source(
            name or where, fields_of(node), format=format_, location=where, options=options
        )
    if kind == "JDBCRelation":
        options = _options(relation.jdbcOptions().parameters())
        kept = tuple((k, v) for k, v in options if k.lower() not in ("password", "user"))
        return Source(name or "jdbc", fields_of(node), format="jdbc", options=kept)
    raise UnsupportedError(f"the relation {kind}")


def _version_two(node: Node) -> Source:
    """A table of a catalog or a format with a reader of its own."""
    table = node.jvm.table()
    options = _options(node.jvm.options().asCaseSensitiveMap(), java=True)
    format_ = str(table.getClass().getName())
    at = node.dropped.get("timeTravelSpec", node.fields.get("timeTravelSpec"))
    return Source(
        str(table.name()), fields_of(node), format=format_, location=str(at), options=options
    )


def _hive(node: Node) -> Source:
    name = str(node.jvm.tableMeta().identifier().unquotedString())
    return Source(name, fields_of(node), format="hive")


READERS: dict[str, Callable[[Node], Operator]] = {
    "LogicalRDD": _rdd,
    "LocalRelation": _local,
    "LogicalRelation": _relation,
    "DataSourceV2Relation": _version_two,
    "HiveTableRelation": _hive,
}


def _strings(sequence: Any) -> list[str]:
    return [str(item.toString()) for item in each(sequence)]


def _options(table: Any, *, java: bool = False) -> tuple[tuple[str, str], ...]:
    """Options of a reader, sorted; those that only say where the files are stand elsewhere."""
    found: list[tuple[str, str]] = []
    if java:
        found = [(str(k), str(v)) for k, v in dict(table).items()]
    else:
        found = [(str(pair._1()), str(pair._2())) for pair in each(table.toSeq())]
    return tuple(sorted(p for p in found if p[0].lower() not in ("path", "paths")))
