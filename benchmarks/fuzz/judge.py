"""Spark as the judge: tables loaded, queries run, results compared."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, localcontext
from random import Random
from typing import TYPE_CHECKING, Any

from benchmarks.fuzz.databases import Row, micros
from benchmarks.fuzz.schemas import Schema

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

THREADS = 4  # queries planned and run at once
FAST = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.ui.explainMode": "simple",
}
# Other ways to run the same: now and then one of these is taken.
WAYS: tuple[dict[str, str], ...] = (
    {"spark.sql.codegen.factoryMode": "FALLBACK"},
    {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"},
    {"spark.sql.adaptive.enabled": "true"},
    {"spark.sql.autoBroadcastJoinThreshold": "10MB"},
)
SIDE = "side of the pair"  # the column that tells the rows of both versions apart


@dataclass(frozen=True)
class Outcome:
    """What Spark makes of a query: rows, or an error; `refused` if it is no query at all."""

    names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    error: str = ""
    refused: bool = False

    def bag(self, *, signed_zeros: bool = True, order: Sequence[int] = ()) -> Counter[Any]:
        """The rows as a bag, columns in the given order."""
        places = order or range(len(self.names))
        return Counter(
            tuple(canonical(row[i], signed_zeros=signed_zeros) for i in places) for row in self.rows
        )

    def shown(self) -> dict[str, Any]:
        """For a file."""
        if self.error:
            return {"error": self.error}
        return {
            "names": self.names,
            "types": self.types,
            "rows": [list(map(str, r)) for r in self.rows],
        }


def canonical(value: Any, *, signed_zeros: bool = True) -> Any:
    """A value that is equal to another one if, and only if, both are the same to the last bit."""
    if isinstance(value, float):
        if value != value:
            return "NaN"
        return repr(value) if signed_zeros else repr(value + 0.0)
    if isinstance(value, list | tuple):
        return tuple(canonical(v, signed_zeros=signed_zeros) for v in value)
    if isinstance(value, dict):
        return tuple(
            (k, canonical(v, signed_zeros=signed_zeros)) for k, v in sorted(value.items(), key=str)
        )
    if isinstance(value, bool):
        return str(value)
    return value


class Judge:
    """A Spark session that runs queries over small tables."""

    def __init__(self, spark: SparkSession, *, fast: bool = True) -> None:
        self.spark = spark
        logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
        spark.sparkContext.setLogLevel("OFF")
        given = spark.sparkContext.getConf()
        for name, quick in FAST.items():
            setting = quick if fast else given.get(name)
            if setting is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, setting)
        self.pool = ThreadPoolExecutor(THREADS)

    def set_way(self, rng: Random) -> None:
        """How queries are run from now on: mostly the quick way, now and then another."""
        other = rng.choice(WAYS) if rng.random() < 0.1 else {}
        for name, setting in {**FAST, **other}.items():
            self.spark.conf.set(name, setting)

    def load(
        self, schema: Schema, rows: Mapping[str, Sequence[Row]], needed: Sequence[str] = ()
    ) -> None:
        """Make the tables some queries need temporary views, by default all; rows may be missing."""
        for table in schema.tables:
            if needed and not any(re.search(rf"\b{table.name}\b", text) for text in needed):
                continue
            types = [c.type for c in table.columns]
            content = arrow_table(table.names, types, rows.get(table.name, ()))
            # One partition, and nothing the optimizer computes by itself, as with files.
            frame = self.spark.createDataFrame(content).coalesce(1)
            frame.createOrReplaceTempView(table.name)

    def run(self, texts: Sequence[str]) -> list[Outcome]:
        """The outcomes of queries."""
        return list(self.pool.map(self._run, texts))

    def run_pairs(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[Outcome, Outcome]]:
        """The outcomes of pairs of queries whose rows may come in any order."""
        return list(self.pool.map(self._run_pair, pairs))

    def _run(self, text: str) -> Outcome:
        try:
            frame = self.spark.sql(text)
        except Exception as error:
            return Outcome(error=first_line(error), refused=True)
        return outcome_of(frame)

    def _run_pair(self, pair: tuple[str, str]) -> tuple[Outcome, Outcome]:
        try:
            sides = [
                self.spark.sql(f"SELECT {n} AS `{SIDE}`, * FROM ({text})")
                for n, text in enumerate(pair)
            ]
        except Exception:
            sides = []
        return (sides and together(*sides)) or (self._run(pair[0]), self._run(pair[1]))


def together(p: DataFrame, q: DataFrame) -> tuple[Outcome, Outcome] | None:
    """Both versions in one job, their first column 0 and 1; none if types differ or one fails."""
    (names, types), (others, same_types) = _columns(p), _columns(q)
    if types != same_types:
        return None
    both = outcome_of(p.unionAll(q))
    if both.error:
        return None
    ours, theirs = (tuple(r[1:] for r in both.rows if r[0] == n) for n in (0, 1))
    return Outcome(names, types, ours), Outcome(others, types, theirs)


def _columns(side: DataFrame) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and types of a version, without the column that says which one it is."""
    fields = side.schema.fields[1:]
    return tuple(f.name for f in fields), tuple(f.dataType.simpleString() for f in fields)


def outcome_of(frame: DataFrame) -> Outcome:
    """The rows of a frame."""
    names = tuple(frame.columns)
    types = tuple(f.dataType.simpleString() for f in frame.schema)
    try:
        table = frame.toArrow()
    except Exception as error:
        return Outcome(names, types, error=first_line(error))
    return Outcome(names, types, tuple(zip(*map(_values, table.columns), strict=True)))


def _values(values: pa.ChunkedArray) -> list[Any]:
    """A column as Python values; dates and timestamps, which Python has fewer of, as numbers."""
    import pyarrow as pa

    if pa.types.is_timestamp(values.type):
        values = values.cast(pa.int64())
    elif pa.types.is_date32(values.type):
        values = values.cast(pa.int32())
    return list(values.to_pylist())


def arrow_table(names: Sequence[str], types: Sequence[str], rows: Sequence[Row]) -> pa.Table:
    """Rows as an Arrow table of Spark types."""
    import pyarrow as pa

    columns = [
        pa.array([_stored(row[i], t) for row in rows], arrow_type(t)) for i, t in enumerate(types)
    ]
    return pa.Table.from_arrays(columns, names=list(names))


def arrow_type(type_: str) -> pa.DataType:
    """The Arrow type of a Spark type."""
    import pyarrow as pa

    type_ = type_.upper()
    if type_.startswith("DECIMAL"):
        return pa.decimal128(*map(int, type_[8:-1].split(",")))
    return {
        "INT": pa.int32(),
        "BIGINT": pa.int64(),
        "DOUBLE": pa.float64(),
        "FLOAT": pa.float32(),
        "STRING": pa.string(),
        "DATE": pa.date32(),
        "TIMESTAMP": pa.timestamp("us", "UTC"),
        "BOOLEAN": pa.bool_(),
    }[type_]


def _stored(value: Any, type_: str) -> Any:
    if value is None:
        return None
    if type_ == "TIMESTAMP":
        return micros(value)
    if type_.startswith("DECIMAL"):
        scale = int(type_[8:-1].split(",")[1])
        with localcontext(prec=60):
            return Decimal(value).quantize(Decimal(1).scaleb(-scale))
    if type_ == "DATE" and not isinstance(value, date):
        return date.fromisoformat(value)
    return value


def first_line(error: Exception) -> str:
    """The beginning of an error message."""
    text = str(error)
    at = text.find("[")
    return (text[at:] if 0 <= at < 400 else text).split("\n")[0][:300]
