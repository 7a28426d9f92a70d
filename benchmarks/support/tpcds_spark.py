"""TPC-DS queries in two versions, run on Spark over generated Parquet files and compared there."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession
from sqlglot import exp, parse_one

from benchmarks.support import tpcds
from veer.errors import VeerError
from veer.java import ensure_java
from veer.read.sql import read_sql
from veer.verification.versions.version import Version


def measure(count: int, scale: float) -> Iterator[tuple[str, Version, Version, float, float]]:
    """For some queries both versions, and the seconds Spark takes to run and compare them.

    Last comes what starting a session took, which each of two jobs would pay.
    """
    with TemporaryDirectory() as folder:
        begin = time.perf_counter()
        spark = _session(folder)
        spark.range(1).collect()
        started = time.perf_counter() - begin
        try:
            for name in _generated(Path(folder), scale):
                spark.read.parquet(f"{folder}/{name}.parquet").createOrReplaceTempView(name)
            warm = tpcds.queries()[3]
            _run(spark, warm, turned(warm))
            done = 0
            for number, text in tpcds.queries().items():
                if done >= count:
                    return
                other = turned(text)
                try:
                    sides = [read_sql(t, tpcds.catalog()) for t in (text, other)]
                except VeerError:
                    continue
                done += 1
                p, q = (Version(n, d, False) for n, d in zip("pq", sides, strict=True))
                yield f"q{number}", p, q, _run(spark, text, other), started
        finally:
            spark.stop()


def turned(text: str) -> str:
    """The query with all its conditions in reverse order."""

    def turn(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.And) and not isinstance(node.parent, exp.And):
            return exp.and_(*reversed(list(node.flatten())), copy=False)
        return node

    return parse_one(text, dialect="spark").transform(turn).sql(dialect="spark")


def _run(spark: SparkSession, text: str, other: str) -> float:
    start = time.perf_counter()
    ours, theirs = (Counter(map(repr, spark.sql(t).collect())) for t in (text, other))
    seconds = time.perf_counter() - start
    if ours != theirs:
        print(f"    the results differ in {sum((ours - theirs).values())} rows")
    return seconds


def _generated(folder: Path, scale: float) -> list[str]:
    connection = tpcds.connect()
    connection.execute(f"CALL dsdgen(sf={scale})")
    names = [
        row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    ]
    for name in names:
        connection.execute(f"COPY {name} TO '{folder}/{name}.parquet' (FORMAT parquet)")
    return names


def _session(folder: str) -> SparkSession:
    ensure_java()
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = (
        SparkSession.builder.master("local[*]")
        .appName("veer-benchmark")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.driver.memory", "3g")
        .config("spark.sql.warehouse.dir", f"{folder}/warehouse")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    return session
