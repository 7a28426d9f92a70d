"""Job pairs from files, end to end, on both ways to read PySpark: without a JVM and with one."""

from __future__ import annotations

import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.support.job_folders import verified
from tests.spark.test_jobs import JOBS, NAMES
from tests.spark.test_udf_versions import COLUMNS
from tests.spark.udf_versions import CHANGED, REFACTORED

FUNCTIONS = Path(__file__).parent.parent.parent / "tests" / "spark" / "udf_versions.py"
JOB = """from pyspark.sql.functions import udf
from udf_versions import {name}


def build(spark):
    return spark.table("rows").select("x", udf({name}, {type!r})("x", "s", "d").alias("y"))
"""
VERDICTS = {0: "equivalent", 1: "inequivalent", 2: "unknown"}


@dataclass(frozen=True)
class Outcome:
    """What the command said about a pair, and how long it took."""

    verdict: str  # or the message of an error
    seconds: float
    refused: bool = False


def compare(most: int, with_jvm: int) -> int:
    """Print both ways side by side; the number of pairs on which they differ.

    At most `most` pairs of each kind are read; of them, `with_jvm` with a JVM too.
    """
    differ = 0
    with _udf_folder() as folder:
        for title, pairs in (("job pairs", job_pairs()), ("UDF pairs", udf_pairs(folder))):
            differ += _compare_pairs(title, list(pairs)[:most], with_jvm)
    return differ


def _compare_pairs(title: str, pairs: Sequence[Path], with_jvm: int) -> int:
    without, both, differ = [], [], 0
    for number, folder in enumerate(pairs):
        quick = _verified(folder, "never")
        without.append(quick)
        if quick.refused:
            print(f"  {folder.name} needs a JVM: {quick.verdict}")
        if number < with_jvm:
            slow = _verified(folder, "always")
            both.append((quick, slow))
            if not quick.refused and quick.verdict != slow.verdict:
                differ += 1
                print(f"  {folder.name}: {quick.verdict}, but {slow.verdict} with a JVM")
    read = sum(not o.refused for o in without)
    print(f"{title}: {read} of {len(without)} read without a JVM")
    print(f"  median of all without a JVM {statistics.median(o.seconds for o in without):.2f} s")
    if both:
        quick_median = statistics.median(q.seconds for q, _ in both)
        slow_median = statistics.median(s.seconds for _, s in both)
        print(
            f"  {len(both)} pairs both ways: {quick_median:.2f} s and {slow_median:.2f} s, "
            f"{slow_median / quick_median:.1f} times as long with a JVM; {differ} verdicts differ"
        )
    return differ


def _verified(folder: Path, jvm: str) -> Outcome:
    """The command in a new process."""
    start = time.perf_counter()
    done = verified(folder, "--jvm", jvm)
    seconds = time.perf_counter() - start
    if done.returncode not in VERDICTS:
        return Outcome(done.stderr.strip(), seconds, refused=True)
    return Outcome(json.loads(done.stdout)["verdict"], seconds)


def job_pairs() -> Iterator[Path]:
    """The folders of the pairs of whole jobs."""
    return (JOBS / name for name in NAMES)


def udf_pairs(folder: Path) -> Iterator[Path]:
    """A folder for each pair of functions, each in a job of its own."""
    for old, new, type_ in (*REFACTORED, *CHANGED):
        pair = folder / f"{old.__name__}-{new.__name__}"
        pair.mkdir(exist_ok=True)
        shutil.copy(FUNCTIONS, pair / FUNCTIONS.name)
        (pair / "schema.sql").write_text(f"CREATE TABLE rows ({COLUMNS})", encoding="utf-8")
        for name, function in (("old", old), ("new", new)):
            text = JOB.format(name=function.__name__, type=type_)
            (pair / f"{name}.py").write_text(text, encoding="utf-8")
        yield pair


@contextmanager
def _udf_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="veer-") as folder:
        yield Path(folder)
