"""A Java for tests: `python -m tests.quick_java` prints the home of one that starts Spark soon.

Tests start Spark many times and run little on it. So code is compiled once and plainly, and the
classes of Spark come from an archive (`-XX:SharedArchiveFile`) that is made when there is none: a
start takes a third of the processor time. What Spark computes is the same.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.sparks import installed_spark
from veer.java import ensure_java

CACHE = Path(__file__).parents[1] / ".cache"
PLAIN = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData -Xlog:disable -Xlog:all=error:stderr"
)
# Spark itself writes the archive, not what starts it.
MAKING = """#!/bin/sh
case "$*" in *SparkSubmit*) set -- -XX:ArchiveClassesAtExit="{archive}" "$@" ;; esac
exec "{java}" {plain} "$@"
"""
# What most runs need: SQL, functions of Python, files.
WARM_UP = """
from tests.spark.session import spark_session
from pyspark.sql import functions as F
spark = spark_session()
rows = spark.sql("SELECT a, count(*) AS n, sum(b) AS s FROM VALUES (1, 2.5), (2, 3.0) t(a, b) GROUP BY a ORDER BY a")
rows.write.parquet({folder!r} + "/rows")
back = spark.read.parquet({folder!r} + "/rows")
back.join(rows, "a").withColumn("f", F.udf(lambda a: a + 1, "int")("a")).collect()
back.write.csv({folder!r} + "/csv")
spark.read.csv({folder!r} + "/csv", header=True).collect()
spark.createDataFrame([(1, "x")], "a int, b string").selectExpr("upper(b)", "a IN (SELECT 1)").collect()
spark.stop()
"""


def main() -> None:
    """Make the home if needed, and print it."""
    home = CACHE / f"java-for-spark-{installed_spark()}"
    if os.environ.get("JAVA_HOME") == str(home):
        del os.environ["JAVA_HOME"]  # it is made of another
    real = Path(ensure_java())
    archive = home / "classes.jsa"
    launcher = home / "bin" / "java"
    launcher.parent.mkdir(parents=True, exist_ok=True)
    text = f'#!/bin/sh\nexec "{real}/bin/java" {PLAIN} -XX:SharedArchiveFile="{archive}" "$@"\n'
    if not launcher.exists() or launcher.read_text() != text or not archive.exists():
        _write(launcher, MAKING.format(java=f"{real}/bin/java", plain=PLAIN, archive=archive))
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                [sys.executable, "-c", WARM_UP.format(folder=folder)],
                env={**os.environ, "JAVA_HOME": str(home)},
                cwd=CACHE.parent,
                capture_output=True,  # whose end comes when Java, too, has ended
                check=False,  # without an archive, classes are loaded from Spark's own files
            )
        _write(launcher, text)
    print(home)


def _write(launcher: Path, text: str) -> None:
    launcher.write_text(text)
    launcher.chmod(0o755)


if __name__ == "__main__":
    main()
