"""PySpark: whole jobs, Python functions, the time to read a plan, jobs read without and with a JVM.

python -m benchmarks pyspark [--only paths,jobs,functions,reading] [--pairs N] [--jvm-pairs N]
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from pyspark.sql import functions as F

import veer
from benchmarks.support.job_paths import compare
from tests.spark.session import spark_session
from tests.spark.test_jobs import JOBS, NAMES, expected, load
from tests.spark.test_udf_versions import COLUMNS, applied
from tests.spark.udf_versions import CHANGED, REFACTORED
from veer.read.pyspark.frames import read_dataframe

ROUNDS = 5


def main(argv: list[str]) -> int:
    """Print the figures asked for; fails if a verdict is wrong."""
    parts = {"jobs": jobs, "functions": functions, "reading": reading}
    parser = argparse.ArgumentParser(prog="python -m benchmarks pyspark")
    listed = ",".join(("paths", *parts))
    parser.add_argument("--only", default=listed, help="parts, separated by commas")
    parser.add_argument("--pairs", type=int, default=40, help="of each kind, for `paths`")
    parser.add_argument("--jvm-pairs", type=int, default=40, help="of these, read with a JVM too")
    asked = parser.parse_args(argv)
    names = asked.only.split(",")
    wrong = compare(asked.pairs, asked.jvm_pairs) if "paths" in names else 0
    chosen = [parts[name] for name in names if name != "paths"]
    spark = spark_session() if chosen else None
    wrong += sum(part(spark) for part in chosen)
    return int(wrong > 0)


def jobs(spark: Any) -> int:
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


def functions(spark: Any) -> int:
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


def reading(spark: Any) -> int:
    """A plan of two hundred operators."""
    frame = spark.createDataFrame([(1, 2, "a")], "a int, b int, s string")
    for i in range(100):
        frame = frame.withColumn(f"c{i % 10}", F.col("a") + i).filter(F.col("b") != i)
    plan = frame._jdf.queryExecution().analyzed()
    printed, whole = _best(plan.toJSON), _best(lambda: read_dataframe(frame))
    count = len(read_dataframe(frame).operators)
    print(f"reading: {count} operators in {whole:.2f} s, of which Spark's JSON {printed:.2f} s")
    return 0


def _best(call: Callable[[], Any], rounds: int = ROUNDS) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)
