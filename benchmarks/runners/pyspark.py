"""PySpark: whole jobs, Python functions, the time to read a plan and to load a job.

python -m benchmarks pyspark [--only jobs,functions,reading,loading]
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import veer
from tests.spark.session import spark_session
from tests.spark.test_jobs import JOBS, NAMES, expected, load
from tests.spark.test_udf_versions import COLUMNS, applied
from tests.spark.udf_versions import CHANGED, REFACTORED
from veer.frontends.spark.capture.jobs import Job, load_job
from veer.frontends.spark.frames import read_dataframe

ROUNDS = 5


def main(argv: list[str]) -> int:
    """Print the figures asked for; fails if a verdict is wrong."""
    parts = {"jobs": jobs, "functions": functions, "reading": reading, "loading": loading}
    parser = argparse.ArgumentParser(prog="python -m benchmarks pyspark")
    parser.add_argument("--only", default=",".join(parts), help="parts, separated by commas")
    asked = parser.parse_args(argv)
    spark = spark_session()
    wrong = sum(parts[name](spark) for name in asked.only.split(","))
    return int(wrong > 0)


def jobs(spark: SparkSession) -> int:
    """The forty version pairs of whole jobs."""
    counts: Counter[str] = Counter()
    sizes, seconds = [], 0.0
    for name in NAMES:
        p, q = (load(spark, JOBS / name, version) for version in ("old", "new"))
        sizes.append(len(p.dataflow.operators))
        start = time.perf_counter()
        verdict = veer.verify(p, q).verdict
        seconds += time.perf_counter() - start
        wanted = expected(JOBS / name)
        right = (
            "unknown" if verdict.value == "unknown" else "right" if verdict is wanted else "wrong"
        )
        counts[right] += 1
        if right != "right":
            print(f"  {name}: {verdict.value}, expected {wanted.value}")
    print(
        f"jobs: {len(NAMES)} pairs of {min(sizes)} to {max(sizes)} operators, "
        f"{counts['right']} decided, {counts['wrong']} wrongly, {counts['unknown']} unknown; "
        f"{seconds / len(NAMES):.2f} s each"
    )
    return counts["wrong"]


def functions(spark: SparkSession) -> int:
    """Refactored and changed Python functions."""
    rows = spark.createDataFrame([], COLUMNS)
    wrong = 0
    for title, pairs, wanted in (
        ("refactored functions proven", REFACTORED, "equivalent"),
        ("changed functions refuted", CHANGED, "inequivalent"),
    ):
        verdicts = [
            veer.verify(applied(rows, old, type_), applied(rows, new, type_)).verdict.value
            for old, new, type_ in pairs
        ]
        wrong += sum(s not in (wanted, "unknown") for s in verdicts)
        print(f"{title}: {verdicts.count(wanted)} of {len(pairs)}")
    return wrong


def reading(spark: SparkSession) -> int:
    """A plan of two hundred operators."""
    frame = spark.createDataFrame([(1, 2, "a")], "a int, b int, s string")
    for i in range(100):
        frame = frame.withColumn(f"c{i % 10}", F.col("a") + i).filter(F.col("b") != i)
    plan = frame._jdf.queryExecution().analyzed()
    printed, whole = _best(plan.toJSON), _best(lambda: read_dataframe(frame))
    count = len(read_dataframe(frame).operators)
    print(f"reading: {count} operators in {whole:.2f} s, of which Spark's JSON {printed:.2f} s")
    return 0


def loading(spark: SparkSession) -> int:
    """A job in a process of its own, Spark's start included."""
    folder = JOBS / "orders_daily"
    schema = (folder / "schema.sql").read_text(encoding="utf-8")
    job = Job(str(folder / "old.py"), "build", schema=schema)
    print(f"loading: a job in {_best(lambda: load_job(job), 2):.1f} s")
    return 0


def _best(call: Callable[[], Any], rounds: int = ROUNDS) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)
