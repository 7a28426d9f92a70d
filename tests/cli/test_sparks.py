"""Through the command: jobs read with and without a JVM, as the installed Spark means them or another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import veer
from tests.sparks import installed_spark
from veer.settings import SPARK_3_5, SPARK_4_3, usual_settings

JOB = """
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

def seen(spark):
    orders = spark.table("orders")
    assert isinstance(orders, DataFrame) and isinstance(orders.x, Column)
    orders.createOrReplaceTempView("v")
    return spark.sql("SELECT id, x, s FROM v WHERE x > 1")

def old(spark):
    first = Window.partitionBy("s").orderBy("id")
    numbered = seen(spark).withColumn("k", F.row_number().over(first))
    return numbered.filter(F.col("k") == 1).select("id", (-F.col("x")).alias("y"))

def new(spark):
    first = Window.partitionBy("s").orderBy("id")
    numbered = spark.table("orders").where("NOT x <= 1").select("*", F.row_number().over(first).alias("k"))
    return numbered.where("1 = k").selectExpr("id", "-x AS y")

def second(spark):
    first = Window.partitionBy("s").orderBy("id")
    numbered = spark.table("orders").where("NOT x <= 1").select("*", F.row_number().over(first).alias("k"))
    return numbered.where("2 = k").selectExpr("id", "-x AS y")

def grown(spark):
    return spark.table("orders").filter(F.col("x") + 1 > F.col("x")).select("id")

def known(spark):
    return spark.table("orders").filter("x IS NOT NULL").select("id")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.ddl").write_text("CREATE TABLE orders (id INT NOT NULL, x INT, s STRING)")
    (tmp_path / "job.py").write_text(JOB)
    return tmp_path


def verdict(folder: Path, p: str, q: str, *words: str) -> str:
    given = ("verify", f"job.py:{p}", f"job.py:{q}", "--schema", "t.ddl", "--format", "json")
    done = veer(*given, *words, cwd=folder)
    assert done.returncode in (0, 1, 2), done.stderr
    return str(json.loads(done.stdout)["verdict"])


def test_jobs_without_a_jvm(folder: Path) -> None:
    words = ("--jvm", "never")
    assert verdict(folder, "old", "new", *words) == "equivalent"
    assert verdict(folder, "old", "second", *words) == "inequivalent"
    expected = "equivalent" if usual_settings(installed_spark()).ansi else "inequivalent"
    assert verdict(folder, "grown", "known", *words) == expected


@pytest.mark.spark
def test_jobs_with_a_jvm(folder: Path) -> None:
    words = ("--jvm", "always")
    assert verdict(folder, "old", "new", *words) == "equivalent"
    expected = "equivalent" if usual_settings(installed_spark()).ansi else "inequivalent"
    assert verdict(folder, "grown", "known", *words) == expected


def test_another_spark_is_read_without_a_jvm_or_not_at_all(folder: Path) -> None:
    other = SPARK_4_3 if installed_spark() == SPARK_3_5 else SPARK_3_5
    expected = "equivalent" if usual_settings(other).ansi else "inequivalent"
    assert verdict(folder, "grown", "known", "--jvm", "never", "--spark", str(other)) == expected
    words = ("verify", "job.py:grown", "job.py:known", "--schema", "t.ddl", "--spark", str(other))
    done = veer(*words, "--jvm", "always", cwd=folder)
    assert done.returncode == 65
    assert f"not the requested Spark {other}" in done.stderr.replace("\n", " ")


def test_the_doctor_tells_which_spark_is_in_force(folder: Path) -> None:
    (folder / "veer.toml").write_text('spark = "3.5"\n')
    shown = veer("doctor", cwd=folder)
    assert shown.returncode == 0
    assert f"is one that Veer models ({installed_spark()})" in shown.stdout
    assert "as Spark 3.5, without ANSI, in the zone UTC" in shown.stdout
    other = SPARK_4_3 if installed_spark() == SPARK_3_5 else SPARK_3_5
    (folder / "veer.toml").write_text(f'spark = "{other}"\n')
    refused = veer("run", "job.py:known", cwd=folder)
    assert refused.returncode == 64 and f"says Spark {other}" in refused.stderr
