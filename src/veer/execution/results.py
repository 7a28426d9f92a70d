"""Results as Parquet: written aside by Spark, read back under the names of the signal."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, final

from veer.errors import InputError
from veer.execution.order import OrderedBy, ordered
from veer.execution.signals import Signals
from veer.execution.sources import as_named
from veer.execution.store import Store, StoredResult
from veer.execution.store.files import LocalFiles, StoredFile
from veer.ir.json import to_json
from veer.ir.schema import Schema
from veer.ir.types import quote_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@final
class Results:
    """Writes and reads the results of one run."""

    def __init__(self, store: Store, spark: SparkSession) -> None:
        self.store, self.spark = store, spark

    def write(self, frame: DataFrame, signals: Signals, id_: str, signature: str) -> StoredResult:
        """Compute the rows of a signal into a new result that is not registered yet."""
        schema = signals.dataflow.schemas[id_]
        result = self.store.new_result()
        started = time.perf_counter()
        try:
            write_rows(self.spark, frame.toDF(*file_names(schema)), place_of(self.store, result))
            seconds = time.perf_counter() - started
            files = self.store.files.listed(result)
            rows = self._rows(result, files)
        except BaseException as error:
            self.discard(result)
            if isinstance(error, Exception):  # not an interrupt, which goes on as it is
                problem = self.store.seal.hide(spark_says(error))
                raise InputError(f"{id_!r} could not be computed: {problem}") from error
            raise
        # Without keys a result is that of its version alone: no other computation looks it up.
        keyed = signals.unrepeatable(id_) is None
        return StoredResult(
            id=result,
            exact=signals.exact(id_) if keyed else "",
            signature=signature if keyed else "",
            environment=signals.environment(id_) if keyed else "",
            sources=signals.sources(id_) if keyed else {},
            text=json.dumps(to_json(signals.cone(id_))),
            names=schema.names,
            files=tuple(files),
            rows=rows,
            bytes=sum(f.size for f in files),
            seconds=seconds,
        )

    def _rows(self, id_: str, files: Sequence[StoredFile]) -> int:
        """How many rows a result has; local files say so at their ends."""
        path = self.store.files.path(id_)
        if not isinstance(self.store.files, LocalFiles):
            return self.spark.read.parquet(as_named(path)).count() if files else 0
        import pyarrow.parquet

        return sum(pyarrow.parquet.read_metadata(f"{path}/{f.name}").num_rows for f in files)

    def read(
        self, result: StoredResult, schema: Schema, order: Sequence[OrderedBy] = ()
    ) -> DataFrame:
        """The rows of a result, under the names and in the order of a signal."""
        return read_result(self.spark, self.store, result, schema, order)

    def discard(self, id_: str) -> None:
        """Remove what was written and will not be registered; what cannot be is left to `gc`."""
        for let_go in (self.store.files.remove, self.store.release):
            with suppress(InputError):
                let_go(id_)


def place_of(store: Store, id_: str) -> str:
    """Where Spark finds a result, whatever file system it would look in otherwise."""
    path = store.files.path(id_)
    return f"file:{path}" if isinstance(store.files, LocalFiles) else path


def write_rows(spark: SparkSession, frame: DataFrame, path: str) -> None:
    """Rows as Parquet, one file after the other in their order."""
    with _exact_times(spark):
        frame.write.parquet(path)


@contextmanager
def _exact_times(spark: SparkSession) -> Iterator[None]:
    """Times are written as they are, whatever the session would cut off."""
    name = "spark.sql.parquet.outputTimestampType"
    before = str(spark.conf.get(name))
    if before != "TIMESTAMP_MILLIS":
        yield
        return
    spark.conf.set(name, "TIMESTAMP_MICROS")
    try:
        yield
    finally:
        spark.conf.set(name, before)


def read_result(
    spark: SparkSession,
    store: Store,
    result: StoredResult,
    schema: Schema,
    order: Sequence[OrderedBy] = (),
) -> DataFrame:
    """The rows of a result, under the names and in the order of a signal."""
    stored = result.dataflow.result_schema
    names = file_names(stored)
    ddl = ", ".join(f"{quote_name(n)} {t}" for n, t in zip(names, schema.types, strict=True))
    folder = place_of(store, result.id)
    # Each file by its name: one that is gone is an error then, not some rows less.
    paths = [f"{folder}/{f.name}" for f in result.files] or [folder]
    try:
        frame = spark.read.schema(ddl).parquet(*map(as_named, paths))
    except Exception as error:
        raise InputError(f"a stored result cannot be read: {spark_says(error)}") from None
    return ordered(frame, order).toDF(*schema.names)


def file_names(schema: Schema) -> list[str]:
    """Columns in files: their own names, or numbers where Parquet would mix them up."""
    lowered = {n.lower() for n in schema.names}
    if len(lowered) == len(schema) and "" not in lowered:
        return list(schema.names)
    return [f"c{i}" for i in range(len(schema))]


def spark_says(error: BaseException) -> str:
    """The line of an error of Spark's that says what happened."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [
        line
        for line in lines
        if any(word in line for word in ("No space left", "Permission denied", "does not exist"))
    ]
    for line in (*telling, *lines):
        if not line.startswith(("An error occurred while calling", "at ")):
            return line.removeprefix(": ").removeprefix("Caused by: ")[:300]
    return type(error).__name__


__all__ = ["Results", "file_names", "read_result", "spark_says", "write_rows"]
