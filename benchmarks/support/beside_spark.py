"""Queries run by Veer's interpreter beside Spark, on small random tables."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from veer.ir.ops import Source
from veer.ir.types import BOOLEAN, STRING, DataType, IntegralType
from veer.read.sql import read_sql

Rows = list[tuple[Any, ...]]


def register_all(catalog: dict[str, Source], rows: Mapping[str, Rows]) -> None:
    """The tables as temporary views of the session."""
    from tests.spark.session import spark_session

    for name, source in catalog.items():
        ddl = ", ".join(f"`{f.name}` {f.type}" for f in source.fields)
        spark_session().createDataFrame(
            rows[source.table], ddl, verifySchema=False
        ).createOrReplaceTempView(name)


def run_here(text: str, catalog: dict[str, Source], rows: Mapping[str, Rows]) -> Any:
    """The interpreter's result, or its failure."""
    from tests.spark.compare import Failed
    from veer.functions.registry import Failure
    from veer.interpreter import run_dataflow

    try:
        return run_dataflow(read_sql(text, catalog), rows)["result"]
    except Failure as error:
        return Failed(str(error))


def difference(ours: Any, theirs: Any) -> str | None:
    """How two outcomes of a query differ, None if they do not."""
    from tests.spark.compare import same_rows
    from veer.interpreter import Result

    if not isinstance(ours, Result) or not isinstance(theirs, Result):
        return f"{ours if not isinstance(ours, Result) else 'rows'} here, {theirs if not isinstance(theirs, Result) else 'rows'} in Spark"
    if [str(t) for t in ours.types] != [str(t) for t in theirs.types]:
        return f"types {list(map(str, ours.types))} here, {list(map(str, theirs.types))} in Spark"
    if ours.names != theirs.names:
        return f"names {ours.names} here, {theirs.names} in Spark"
    if not same_rows(ours.rows, theirs.rows, ours.types, ordered=False, tolerance=1e-9):
        return f"{len(ours.rows)} rows here, {len(theirs.rows)} in Spark, or other ones"
    return None


def random_tables(catalog: dict[str, Source], seed: int = 5, size: int = 12) -> dict[str, Rows]:
    """Small random rows that keep NOT NULL, keys and foreign keys."""
    rng = random.Random(seed)
    tables: dict[str, Rows] = {}
    for source in catalog.values():
        keys = {n for key in source.keys for n in key}
        rows = []
        for number in range(size):
            rows.append(
                tuple(
                    number + 1
                    if f.name in keys and isinstance(f.type, IntegralType)
                    else random_value(rng, f.type, f.nullable)
                    for f in source.fields
                )
            )
        tables[source.table] = rows
    return tables


def random_value(rng: random.Random, type_: DataType, nullable: bool) -> Any:
    """A value from a small domain."""
    if nullable and rng.random() < 0.25:
        return None
    if type_ == BOOLEAN:
        return rng.random() < 0.5
    if type_ == STRING:
        return rng.choice(("A", "B", "Clerk", "foo", "Charlie", "10", ""))
    return rng.choice((0, 1, 2, 3, 5, 6, 7, 10, 11, 20, 100, 1000))
