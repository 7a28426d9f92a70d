"""`veer.run` on DataFrames of a program, and PySpark jobs run through the store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import ArithmeticException
from pyspark.sql import DataFrame, SparkSession, functions as F

import veer
from veer.execution import live
from veer.execution.planned import Planned
from veer.execution.run import RunOutcome
from veer.ir.ops import Sink
from veer.options import Keep

pytestmark = pytest.mark.spark


class Notebook:
    """A store and a table; runs frames and keeps the outcomes."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.place, self.path = spark, str(folder / "store"), str(folder / "t")
        rows = [(i, i % 3, None if i % 7 == 0 else i * 2, f"s{i % 4}") for i in range(40)]
        schema = "id INT NOT NULL, k INT, v INT, s STRING"
        spark.createDataFrame(rows, schema).coalesce(2).write.parquet(self.path)

    @property
    def t(self) -> DataFrame:
        return self.spark.read.parquet(self.path)

    def run(self, frame: DataFrame, **asked: Any) -> tuple[list[Any], RunOutcome]:
        """The rows served, checked against the plain ones, and what was done."""
        opened = live._open(self.place, "", frame)
        found, outcome = live.through_store(
            frame, opened, name="nb", share=1e6, keep=Keep.CUTS, **asked
        )
        assert found.schema == frame.schema
        rows = [tuple(r) for r in found.collect()]
        assert sorted(rows, key=repr) == sorted((tuple(r) for r in frame.collect()), key=repr)
        return rows, outcome


@pytest.fixture
def nb(spark: SparkSession, tmp_path: Path) -> Iterator[Notebook]:
    made = Notebook(spark, tmp_path)
    yield made
    live._stores.pop(made.place, None)


def how(outcome: RunOutcome) -> str:
    (sink,) = outcome.sinks
    return sink.how


def test_a_refactored_frame_is_read(nb: Notebook) -> None:
    one = nb.t.where("v > 10").groupBy("k").agg(F.sum("v").alias("s"), F.count("*").alias("n"))
    two = nb.t.where(F.lit(10) < F.col("v")).groupBy("k")
    assert how(nb.run(one)[1]) == "computed"
    assert how(nb.run(two.agg(F.sum("v").alias("s"), F.count("*").alias("n")))[1]) == "reused"


def test_order_is_kept(nb: Notebook) -> None:
    frame = nb.t.select("v", "id").orderBy(F.col("v").desc_nulls_last(), "id")
    rows, _ = nb.run(frame)
    assert rows == [tuple(r) for r in frame.collect()]
    rows, outcome = nb.run(frame)
    assert how(outcome) == "reused" and rows == [tuple(r) for r in frame.collect()]


SHAPES: dict[str, Callable[[DataFrame, int], DataFrame]] = {
    "filter": lambda g, n: g.where(f"total > {n}"),
    "self join": lambda g, n: g.alias("a").join(
        g.alias("b"), F.expr(f"a.k = b.k AND a.total > {n}")
    ),
    "union": lambda g, n: g.where(f"total > {n}").unionByName(g.select("m", "total", "k")),
    "window": lambda g, n: g.withColumn("r", F.expr("rank() OVER (ORDER BY total)")).where(
        f"r > {n}"
    ),
    "renamed": lambda g, n: g.toDF("a", "b", "c").where(f"b > {n}").select("c", "a"),
    "distinct": lambda g, n: g.where(f"total > {n}").where("k IN (1, 2)").distinct(),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_parts_of_plans_are_read(nb: Notebook, shape: str) -> None:
    """Versions that differ above a stored aggregate read it, whatever stands above."""
    used = []
    for n in (1, 2, 3):
        base = nb.t.where("id > 2").groupBy("k")
        frame = base.agg(F.sum("v").alias("total"), F.max("s").alias("m"))
        _, outcome = nb.run(SHAPES[shape](frame, n))
        used.append(list(outcome.plan.cuts))
    assert used[-1], used


def test_frames_made_before_their_files_changed(nb: Notebook) -> None:
    frame = nb.t.groupBy("k").count()
    nb.run(frame)
    old = nb.t.groupBy("k").count()
    nb.spark.range(1).selectExpr("1 id", "9 k", "1 v", "'x' s").write.mode("append").parquet(
        nb.path
    )
    _, outcome = nb.run(old)
    assert how(outcome) == "computed"
    assert "changed since the DataFrame was made" in outcome.plan.computed["result"]
    rows, outcome = nb.run(nb.t.groupBy("k").count())
    assert how(outcome) == "computed" and (9, 1) in rows


def test_a_cache_made_after_a_frame_was_looked_at(nb: Notebook) -> None:
    old = nb.t
    nb.spark.range(1).selectExpr("int(1) id", "9 k", "1 v", "'x' s").write.mode("append").parquet(
        nb.path
    )
    frame = nb.t.groupBy("k").count()
    frame.collect()
    old.cache()
    live.through_store(frame, live._open(nb.place, "", frame), name="nb")
    old.unpersist(blocking=True)
    rows, outcome = nb.run(nb.t.groupBy("k").count())
    assert how(outcome) == "computed" and (9, 1) in rows


def test_frames_that_tell_more_than_rows(nb: Notebook) -> None:
    from pyspark.sql import Observation

    seen = nb.t.observe(Observation(), F.count(F.lit(1)).alias("n"))
    with pytest.warns(UserWarning, match="observed"):
        assert veer.run(seen, name="x", store=nb.place) is seen
    for column in ("_metadata.file_modification_time", "current_path()", "avg(id) OVER ()"):
        frame = nb.t.select("id", F.expr(column).alias("x"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            veer.run(frame, name="y", store=nb.place).count()
            again = live._stores[nb.place].version("y")
            veer.run(frame, name="y", store=nb.place).count()
        assert again is None or again.sinks[0].how == "computed"


def test_names_with_dots_are_sorted_by(nb: Notebook) -> None:
    frame = nb.t.select(F.struct(F.col("v").alias("b")).alias("a"), F.col("id").alias("a.b"))
    frame = frame.orderBy(F.col("`a.b`").desc())
    rows, _ = nb.run(frame)
    assert [r[1] for r in rows] == list(range(39, -1, -1))


def test_another_body_under_the_same_name(nb: Notebook) -> None:
    def version(added: int) -> DataFrame:
        @F.udf("int")
        def f(v):  # type: ignore[no-untyped-def]
            return None if v is None else sum([v, added])

        return nb.t.select("id", f("v").alias("y"))

    assert how(nb.run(version(1))[1]) == "computed"
    assert how(nb.run(version(1))[1]) == "reused"
    assert how(nb.run(version(2))[1]) == "computed"


def test_rows_of_the_program(nb: Notebook) -> None:
    def version(*rows: tuple[int, str]) -> DataFrame:
        return nb.spark.createDataFrame(rows, "a INT, b STRING").groupBy("b").agg(F.max("a"))

    first = how(nb.run(version((1, "x"), (2, "y")))[1])
    assert first == "computed"
    assert how(nb.run(version((1, "x"), (3, "y")))[1]) == "computed"


def test_choices_are_made_anew(nb: Notebook) -> None:
    for frame in (
        nb.t.select("id", F.lit(1).alias("r")).limit(40),
        nb.t.sample(fraction=1.0, seed=3),
    ):
        assert how(nb.run(frame)[1]) == how(nb.run(frame)[1]) == "computed"


def test_settings_and_zones(nb: Notebook) -> None:
    frame = nb.t.groupBy("k").count()
    nb.run(frame)
    nb.spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        assert how(nb.run(nb.t.groupBy("k").count())[1]) == "computed"
    finally:
        nb.spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_what_is_not_understood_is_given_back(nb: Notebook) -> None:
    frame = nb.t.groupBy("k").count()
    nb.spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        with pytest.warns(UserWarning, match="not reused.*caseSensitive"):
            assert veer.run(frame, name="x", store=nb.place) is frame
    finally:
        nb.spark.conf.set("spark.sql.caseSensitive", "false")


def test_an_order_its_columns_do_not_tell(nb: Notebook) -> None:
    frame = nb.t.orderBy(F.col("v") % 5, "id").select("s")
    with pytest.warns(UserWarning, match="in an order"):
        assert veer.run(frame, name="x", store=nb.place) is frame


def test_the_public_function(nb: Notebook) -> None:
    def build(least: int) -> DataFrame:
        return nb.t.where(F.col("id") > least).select("id")

    assert veer.run(build, name="ids", store=nb.place, least=36).count() == 3
    assert veer.run(build(37), name="ids", store=nb.place).count() == 2
    with pytest.raises(veer.errors.UsageError, match="expected a DataFrame"):
        veer.run(lambda: 1, name="ids", store=nb.place)


def test_a_failing_frame_fails_as_without_a_store(nb: Notebook) -> None:
    frame = nb.t.selectExpr("id", "1 / (id - 3) AS x")
    with pytest.warns(UserWarning, match="could not be computed: .*zero"):
        found = veer.run(frame, name="x", store=nb.place)
    assert found.select("id").count() == 40, "what fails is not asked for"
    with pytest.raises(ArithmeticException, match="zero"):
        found.collect()


def test_columns_of_a_replaced_part_may_be_null_as_before(nb: Notebook) -> None:
    frame = nb.t.where("v > 1").groupBy("id").agg(F.count("*").alias("n"))
    planned = Planned([(frame, Sink("result"))])
    (part,) = planned.dataflow.inputs["result"]
    stored = nb.spark.createDataFrame([(7, 1)], "a INT, b BIGINT")
    found = planned.frame("result", {part: stored})
    assert [f.nullable for f in found.schema] == [f.nullable for f in frame.schema]
    assert [tuple(r) for r in found.collect()] == [(7, 1)]


JOB = """
from pyspark.sql import functions as F

def build(spark, least: int = 10):
    t = spark.read.parquet({source!r})
    big = t.where({condition})
    big.groupBy("k").count().write.mode("overwrite").parquet({target!r})
    spark.stop()
    return big.select("id")
"""


def test_a_job_goes_through_the_store(nb: Notebook, tmp_path: Path) -> None:
    job, target = tmp_path / "report.py", str(tmp_path / "out")

    def run(condition: str, *more: str) -> list[dict[str, Any]]:
        job.write_text(JOB.format(source=nb.path, target=target, condition=condition))
        command = [
            sys.executable,
            "-m",
            "veer",
            "run",
            "report.py:build",
            "--format",
            "json",
            "--proof-share",
            "1000",
            *more,
        ]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, env={**os.environ}, check=False
        )
        assert done.returncode == 0, done.stderr
        found: list[dict[str, Any]] = json.loads(done.stdout)["frames"]
        return found

    (written_, returned) = run("F.col('v') > least", "--explain")
    assert written_["sinks"][0]["how"] == returned["sinks"][0]["how"] == "computed"
    assert not Path(target).exists()
    first = run("F.col('v') > least")
    assert [f["how"] for f in first] == ["computed", "computed"]
    written = sorted(tuple(r) for r in nb.spark.read.parquet(target).collect())
    second = run("F.lit(least) < F.col('v')")
    assert [f["how"] for f in second] == ["reused", "reused"]
    assert sorted(tuple(r) for r in nb.spark.read.parquet(target).collect()) == written
