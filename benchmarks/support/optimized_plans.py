"""Spark's analyzed and optimized plans of queries and jobs, read into dataflows and kept as files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.support import tpcds
from tests.spark.session import spark_session
from tests.spark.test_jobs import JOBS, NAMES
from veer.errors import VeerError
from veer.ir.dag import Dataflow
from veer.ir.json import from_json, to_json
from veer.ir.ops import Sink
from veer.read.pyspark.capture.classic import ClassicCapture
from veer.read.pyspark.capture.loading import load_captured
from veer.read.pyspark.capture.stopping import Stopped
from veer.read.pyspark.frames import read_dataframe, read_frames

# It computes averages of decimals in floating point, which rounds otherwise: no equivalence.
EXCLUDED = "org.apache.spark.sql.catalyst.optimizer.DecimalAggregates"
DATABASE = "tpcds"  # apart from the tables of the jobs
VERSIONS = ("old", "new")  # of each job


@dataclass(frozen=True)
class PlanPair:
    """A query or job as Spark analyzes it and as its optimizer leaves it, or why it is not read."""

    name: str
    analyzed: Dataflow | None = None
    optimized: Dataflow | None = None
    refusal: str = ""

    def save(self, folder: Path) -> None:
        """Write it to a file of its name."""
        sides = {"analyzed": self.analyzed, "optimized": self.optimized}
        data: dict[str, Any] = {k: d and to_json(d) for k, d in sides.items()}
        path = folder / f"{self.name}.json"
        path.write_text(json.dumps({**data, "refusal": self.refusal}), encoding="utf-8")


def saved_pair(path: Path) -> PlanPair:
    """What `PlanPair.save` wrote."""
    data = json.loads(path.read_text(encoding="utf-8"))
    analyzed, optimized = (data[k] and from_json(data[k]) for k in ("analyzed", "optimized"))
    return PlanPair(path.stem, analyzed, optimized, data["refusal"])


def all_names() -> list[str]:
    """The queries of TPC-DS, then both versions of the jobs."""
    queries = [f"q{number}" for number in tpcds.queries()]
    return queries + [f"{name}-{version}" for name in NAMES for version in VERSIONS]


def read_pairs(names: Sequence[str]) -> Iterator[PlanPair]:
    """The plans of a session in which tables have columns and no data that Spark could look at."""
    spark: Any = spark_session()
    spark.conf.set("spark.sql.optimizer.excludedRules", EXCLUDED)
    _declare_tables(spark)
    for name in names:
        job, _, version = name.rpartition("-")
        yield _job_pair(spark, name, job, version) if job else _query_pair(spark, name)


def _declare_tables(spark: Any) -> None:
    spark.sql(f"CREATE DATABASE IF NOT EXISTS {DATABASE}")
    for name, source in tpcds.catalog().items():
        columns = ", ".join(
            f"`{f.name}` {f.type}{'' if f.nullable else ' NOT NULL'}" for f in source.fields
        )
        spark.sql(f"CREATE TABLE {DATABASE}.{name} ({columns}) USING parquet")


def _query_pair(spark: Any, name: str) -> PlanPair:
    spark.catalog.setCurrentDatabase(DATABASE)
    try:
        frame = spark.sql(tpcds.queries()[int(name[1:])])
        analyzed = read_dataframe(frame)
    except VeerError as error:
        return PlanPair(name, refusal=f"analyzed: {error}")
    try:
        return PlanPair(name, analyzed, read_frames([(frame, Sink("result"))], optimized=True))
    except VeerError as error:
        return PlanPair(name, analyzed, refusal=f"optimized: {error}")


class _BothPlans(ClassicCapture):
    """Takes both plans of what a job writes and says why the second is not read."""

    refusal = ""

    def dataflows(self) -> tuple[Dataflow, Dataflow | None]:
        frames = [(w.frame, w.sink) for w in self.written]
        analyzed = read_frames(frames, self.source, self.root)
        try:
            return analyzed, read_frames(frames, self.source, self.root, optimized=True)
        except VeerError as error:
            self.refusal = f"optimized: {error}"
            return analyzed, None


def _job_pair(spark: Any, name: str, job: str, version: str) -> PlanPair:
    spark.catalog.setCurrentDatabase("default")
    folder = JOBS / job
    schema = (folder / "schema.sql").read_text(encoding="utf-8")
    capture = _BothPlans(spark, schema, folder, folder)
    request = {"root": folder, "file": folder / f"{version}.py", "function": "build", "args": {}}
    try:
        loaded = load_captured(capture, request)
        analyzed, optimized = loaded.dataflow, loaded.optimized
    except (VeerError, Stopped) as error:
        return PlanPair(name, refusal=f"analyzed: {error}")
    finally:
        capture.close()
        _forget_views(spark)
    return PlanPair(name, analyzed, optimized, capture.refusal)


def _forget_views(spark: Any) -> None:
    catalog = spark._jsparkSession.sessionState().catalog()
    views = catalog.listLocalTempViews("*")
    for place in range(views.size()):
        catalog.dropTempView(views.apply(place).table())
