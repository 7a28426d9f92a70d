"""Running the same SQL in the interpreter and in Spark, and telling where they differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, SparkSession, types as spark_sql_types

from tests.generators.tables import Row, Table
from tests.recorded import RecordedSpark
from veer.errors import InputError, UnsupportedError
from veer.execution.functions import from_spark, to_spark
from veer.functions.moments import from_micros
from veer.functions.ordering import exact_key
from veer.functions.registry import Failure
from veer.interpreter import Result, run_dataflow
from veer.ir.types import ArrayType, DataType, DecimalType, MapType, StructType
from veer.read.sql import read_sql

# PySpark reads the first days of the calendar and intervals in months not at all.
spark_sql_types.TimestampType.fromInternal = lambda self, ts: (  # type: ignore[method-assign]
    None if ts is None else from_micros(ts)
)
spark_sql_types.YearMonthIntervalType.needConversion = lambda self: False  # type: ignore[method-assign]


@dataclass(frozen=True)
class Refused:
    """A text that is not a query: the front end or Spark's analyzer rejects it."""

    reason: str


@dataclass(frozen=True)
class Unsupported:
    """A text Veer declines to give a meaning."""

    reason: str


@dataclass(frozen=True)
class Failed:
    """A run that ends in an error."""

    reason: str


Outcome = Result | Refused | Unsupported | Failed


AnySpark = SparkSession | RecordedSpark


def register(spark: AnySpark, tables: Sequence[Table]) -> None:
    """Make the tables temporary views of the session."""
    if isinstance(spark, RecordedSpark):
        spark.tables(list(tables), lambda session: register(session, tables))
        return
    for table in tables:
        columns = zip(table.names, table.types, strict=True)
        ddl = ", ".join(f"{name} {type_}" for name, type_ in columns)
        rows = [
            tuple(to_spark(v, t) for v, t in zip(row, table.types, strict=True))
            for row in table.rows
        ]
        frame = spark.createDataFrame(rows, ddl, verifySchema=False)
        frame.createOrReplaceTempView(table.name)


def run_veer(text: str, tables: Sequence[Table]) -> Outcome:
    """What Veer makes of a query."""
    catalog = {t.name: t.source for t in tables}
    try:
        flow = read_sql(text, catalog)
        return run_dataflow(flow, {t.name: t.rows for t in tables})["result"]
    except UnsupportedError as error:
        return Unsupported(str(error))
    except InputError as error:
        return Refused(f"{type(error).__name__}: {error}")
    except Failure as error:
        return Failed(str(error))


def run_spark(spark: SparkSession, text: str, types: Sequence[DataType] | None = None) -> Outcome:
    """What Spark makes of a query; `types` say how to read values, by default Spark's own."""
    try:
        frame = spark.sql(text)
        found = types or spark_types(frame)
        return Result(tuple(frame.columns), tuple(found), collect(frame, found))
    except (AnalysisException, ParseException) as error:
        return Refused(first_line(error))
    except Exception as error:
        return Failed(first_line(error))


def spark_types(frame: DataFrame) -> list[DataType]:
    """The column types of a frame as Veer's types."""
    from veer.ir.types import parse_type

    return [parse_type(field.dataType.simpleString()) for field in frame.schema]


def collect(frame: DataFrame, types: Sequence[DataType]) -> list[Row]:
    """The rows of a frame."""
    return [
        tuple(from_spark(v, t) for v, t in zip(row, types, strict=True)) for row in frame.collect()
    ]


def first_line(error: Exception) -> str:
    """The beginning of an error message."""
    text = str(error)
    at = text.find("[")
    return (text[at:] if 0 <= at < 400 else text).split("\n")[0][:200]


def differences(
    spark: AnySpark, question: object, compare: Callable[[SparkSession], list[str]]
) -> list[str]:
    """What `compare` finds on a session; one that is recorded is asked what is new."""
    if isinstance(spark, RecordedSpark):
        return spark.differences(question, compare)
    return compare(spark)


# -- comparing ---------------------------------------------------------------------------------


def same_value(a: Any, b: Any, type_: DataType, tolerance: float = 0.0) -> bool:
    """Whether two values are represented alike, floats within a relative tolerance."""
    if isinstance(a, float) and isinstance(b, float) and tolerance:
        if math.isfinite(a) and math.isfinite(b):
            return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
        # Whether huge numbers add up to infinity or to no number depends on how rows are partitioned.
        return repr(a) == repr(b) or not (math.isfinite(a) or math.isfinite(b))
    if isinstance(type_, StructType) and a is not None and b is not None:
        return all(
            same_value(x, y, t, tolerance) for x, y, (_, t) in zip(a, b, type_.fields, strict=True)
        )
    if isinstance(type_, ArrayType | MapType) and a is not None and b is not None:
        inner = _element(type_)
        return len(a) == len(b) and all(
            same_value(x, y, inner, tolerance) for x, y in zip(a, b, strict=True)
        )
    if isinstance(type_, DecimalType):
        # Spark keeps the scale of a decimal aside of its digits: only ours must show it.
        return a == b and (a is None or a.as_tuple().exponent == -type_.scale)
    key = exact_key(type_)
    return type(a) is type(b) and key(a) == key(b) and repr(a) == repr(b)


def _element(type_: ArrayType | MapType) -> DataType:
    if isinstance(type_, ArrayType):
        return type_.element
    return StructType((("key", type_.key), ("value", type_.value)))


def same_rows(
    ours: Sequence[Row],
    theirs: Sequence[Row],
    types: Sequence[DataType],
    *,
    ordered: bool,
    tolerance: float = 0.0,
) -> bool:
    """Whether two results hold the same rows, as lists or as bags."""
    if len(ours) != len(theirs):
        return False
    if not ordered:
        ours, theirs = (sorted(rows, key=rough_key(types)) for rows in (ours, theirs))
    return all(
        same_value(x, y, t, tolerance)
        for a, b in zip(ours, theirs, strict=True)
        for x, y, t in zip(a, b, types, strict=True)
    )


def rough_key(types: Sequence[DataType]) -> Callable[[Row], Any]:
    """A sort key that puts rows alike up to the last digits of floats next to each other."""

    def text(value: Any) -> str:
        if isinstance(value, float):
            return f"{value:.9g}" if value else repr(value)
        if isinstance(value, Decimal):  # Spark's may have fewer digits behind the point
            plain = format(value, "f")
            return plain.rstrip("0").rstrip(".") if "." in plain else plain
        return repr(value)

    return lambda row: tuple(map(text, row))
