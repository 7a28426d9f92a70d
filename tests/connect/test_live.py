"""Live DataFrames of Spark Connect: verified against what the server says of their sources."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F
from pyspark.sql.window import Window

import veer
from veer.errors import UnsupportedError, UsageError, VeerError
from veer.verdict import Report, Verdict

pytestmark = pytest.mark.spark
ROWS = [(1, 1, 10, "a"), (2, 1, None, "b"), (3, 2, 30, None)]
COLUMNS = "id INT, k INT, v INT, s STRING"


@pytest.fixture
def t(connect: Any, tmp_path: Path) -> Any:
    """Files that the server reads."""
    path = str(tmp_path / "t")
    connect.createDataFrame(ROWS, COLUMNS).write.parquet(path)
    return connect.read.parquet(path)


def refused(p: Any, q: Any) -> str:
    with pytest.raises(VeerError) as error:
        veer.verify(p, q)
    return str(error.value)


def verdict(p: Any, q: Any) -> Verdict:
    report: Report = veer.verify(p, q)
    return report.verdict


def test_files(t: Any) -> None:
    one = t.where("v > 10").groupBy("k").agg(F.sum("v").alias("s"))
    two = t.where(F.lit(10) < F.col("v")).groupBy("k").agg(F.sum("v").alias("s"))
    assert verdict(one, two) is Verdict.EQUIVALENT
    other = t.where("v >= 10").groupBy("k").agg(F.sum("v").alias("s"))
    report = veer.verify(one, other)
    assert report.verdict is Verdict.INEQUIVALENT
    assert report.sinks[0].witness is not None


def test_one_path_in_two_spellings(t: Any, connect: Any, tmp_path: Path) -> None:
    again = connect.read.format("parquet").load(f"file://{tmp_path}/./t/")
    assert verdict(t.select("id"), again.select("id")) is Verdict.EQUIVALENT


def test_a_file_read_with_other_options(connect: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "c")
    connect.createDataFrame(ROWS, COLUMNS).write.csv(path, header=True)
    one = connect.read.csv(path, schema=COLUMNS, header=True)
    two = connect.read.csv(path, schema=COLUMNS, header=False)
    assert verdict(one, one.where("true")) is Verdict.EQUIVALENT
    assert verdict(one, two) is Verdict.UNKNOWN


def test_folders_that_are_apart_and_one_inside_the_other(
    t: Any, connect: Any, tmp_path: Path
) -> None:
    connect.createDataFrame(ROWS, COLUMNS).write.parquet(str(tmp_path / "u" / "k=1"))
    apart = connect.read.schema("id INT").parquet(str(tmp_path / "u"))
    inside = connect.read.schema("id INT").parquet(str(tmp_path / "u" / "k=1"))
    assert verdict(t.select("id"), apart) is Verdict.INEQUIVALENT
    assert verdict(inside.select("id"), apart.select("id")) is Verdict.UNKNOWN


def test_tables_of_the_catalog(connect: Any) -> None:
    connect.sql("CREATE TABLE IF NOT EXISTS live_orders (id INT, v INT) USING parquet")
    orders = connect.table("live_orders")
    qualified = connect.table("spark_catalog.default.live_orders")
    text = connect.sql("SELECT id, v + 1 AS w FROM live_orders WHERE id > 0")
    built = qualified.where("0 < id").select("id", (F.lit(1) + F.col("v")).alias("w"))
    assert verdict(text, built) is Verdict.EQUIVALENT
    assert verdict(orders, qualified.where("id > 0")) is Verdict.INEQUIVALENT
    assert verdict(orders.select("live_orders.id"), qualified.select("id")) is Verdict.EQUIVALENT


def test_rows_of_the_program(connect: Any) -> None:
    one = connect.createDataFrame(ROWS, COLUMNS)
    two = connect.createDataFrame(list(ROWS), COLUMNS)
    assert verdict(one.where("id = 1"), two.where("id = 1")) is Verdict.EQUIVALENT
    assert verdict(one, connect.createDataFrame(ROWS[:2], COLUMNS)) is Verdict.INEQUIVALENT
    at = connect.createDataFrame([(datetime(2024, 5, 1, 12, 30, tzinfo=UTC),)], "at TIMESTAMP")
    text = connect.sql("SELECT TIMESTAMP '2024-05-01 12:30:00' AS at")
    assert at.collect() == text.collect() and verdict(at, text) is Verdict.EQUIVALENT


def test_rows_too_many_to_stand_in_the_plan(connect: Any) -> None:
    many = [(i, f"some text that makes rows long {i}" * 10) for i in range(6_000)]
    one = connect.createDataFrame(many, "id INT, s STRING")
    two = connect.createDataFrame(list(many), "id INT, s STRING")
    other = connect.createDataFrame([*many[1:], (0, "")], "id INT, s STRING")
    assert verdict(one.where("id > 3"), two.where("3 < id")) is Verdict.EQUIVALENT
    assert verdict(one, other) is Verdict.UNKNOWN


def test_views_of_the_server_are_not_looked_into(t: Any, connect: Any) -> None:
    t.where("id > 1").createOrReplaceTempView("live_view")
    view = connect.table("live_view")
    report = veer.verify(view.where("v > 1"), connect.sql("SELECT * FROM live_view WHERE 1 < v"))
    # Nobody knows whether a view gives the same rows each time: that is assumed, and said.
    assert report.verdict is not Verdict.INEQUIVALENT
    assert report.verdict is Verdict.UNKNOWN or report.sinks[0].assumptions
    assert verdict(view, t.where("id > 1")) is Verdict.UNKNOWN


def test_frames_named_in_sql(t: Any, connect: Any) -> None:
    text = connect.sql("SELECT k, max(v) AS m FROM {t} GROUP BY k", t=t)
    assert verdict(text, t.groupBy("k").agg(F.max("v").alias("m"))) is Verdict.EQUIVALENT


def test_windows(t: Any) -> None:
    group = Window.partitionBy("k")
    one = t.withColumn("n", F.sum("v").over(group)).where("n > 10").select("id", "n")
    two = t.select("id", F.sum("v").over(group).alias("m")).where("10 < m")
    assert verdict(one, two.withColumnRenamed("m", "n")) is Verdict.EQUIVALENT
    running = Window.partitionBy("k").orderBy("id")
    three = t.select("id", F.sum("v").over(running).alias("n")).where("n > 10")
    assert verdict(one, three) is Verdict.INEQUIVALENT


def test_python_functions(t: Any) -> None:
    one = F.udf(lambda v: None if v is None else v + 1, "int")
    two = F.udf(lambda x: x + 1 if x is not None else None, "int")
    other = F.udf(lambda v: None if v is None else v + 2, "int")
    assert (
        verdict(t.select(one("v").alias("w")), t.select(two("v").alias("w"))) is Verdict.EQUIVALENT
    )
    report = veer.verify(t.select(one("v").alias("w")), t.select(other("v").alias("w")))
    assert report.verdict is Verdict.INEQUIVALENT


def test_assert_equivalent_shows_a_witness(t: Any) -> None:
    assert isinstance(veer.assert_equivalent(t, t.where("true")), Report)
    with pytest.raises(AssertionError, match="not known to be equivalent") as error:
        veer.assert_equivalent(t, t.where("id > 1"))
    assert "inequivalent" in str(error.value)


def test_the_fixture_of_the_plugin(t: Any, equivalent: Callable[..., Report]) -> None:
    equivalent(t.where("id > 1"), t.where("1 < id"))
    with pytest.raises(pytest.fail.Exception):
        equivalent(t, t.where("id > 1"))


# -- what is refused -------------------------------------------------------------------------------


def test_settings_that_change_results(t: Any, connect: Any) -> None:
    connect.conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ")
    assert "spark.sql.timestampType" in refused(t, t)
    connect.conf.set("spark.sql.timestampType", "TIMESTAMP_LTZ")
    connect.conf.set("spark.sql.caseSensitive", "true")
    assert verdict(t, t) is Verdict.EQUIVALENT
    connect.conf.set("spark.sql.caseSensitive", "false")
    assert verdict(t, t) is Verdict.EQUIVALENT
    connect.conf.set("spark.sql.shuffle.partitions", "7")
    assert verdict(t, t) is Verdict.EQUIVALENT
    connect.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    assert verdict(t, t) is Verdict.EQUIVALENT
    today = t.where(F.current_date() > F.lit("2024-01-01").cast("date"))
    assert verdict(today, today) is Verdict.EQUIVALENT
    connect.conf.set("spark.sql.session.timeZone", "UTC")


def test_sessions_without_ansi(t: Any, connect: Any) -> None:
    """The largest number plus one is the smallest there."""
    greater, there = t.where("v + 1 > v"), t.where("v IS NOT NULL")
    assert verdict(greater, there) is Verdict.EQUIVALENT
    connect.conf.set("spark.sql.ansi.enabled", "false")
    try:
        assert verdict(greater, there) is Verdict.INEQUIVALENT
        assert verdict(t.selectExpr("v + 1 AS w"), t.selectExpr("1 + v AS w")) is Verdict.EQUIVALENT
    finally:
        connect.conf.set("spark.sql.ansi.enabled", "true")


def test_sessions_in_another_time_zone(t: Any, connect: Any) -> None:
    moment = F.timestamp_seconds("v")
    connect.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        one = t.select(F.to_date(moment).alias("d"))
        assert verdict(one, t.select(moment.cast("date").alias("d"))) is Verdict.EQUIVALENT
        # Midnight of UTC is one o'clock, or two.
        seconds = F.timestamp_seconds(F.col("v") - F.col("v") % 86400)
        late = t.select((F.hour(seconds) > 0).alias("x"))
        assert verdict(late, t.select((F.hour(seconds) >= 0).alias("x"))) is not Verdict.EQUIVALENT
        shown = veer.verify(one, t.select(F.lit("2024-06-01").cast("date").alias("d")))
        assert shown.verdict is Verdict.INEQUIVALENT
    finally:
        connect.conf.set("spark.sql.session.timeZone", "UTC")


def test_functions_registered_by_name(t: Any, connect: Any) -> None:
    plus = connect.udf.register("live_plus", lambda v: None if v is None else v + 1, "int")
    assert "live_plus" in refused(t.selectExpr("live_plus(v) AS w"), t.selectExpr("v + 1 AS w"))
    t.createOrReplaceTempView("live_t")
    assert "live_plus" in refused(connect.sql("SELECT live_plus(v) AS w FROM live_t"), t)
    used = t.select(plus("v").alias("w"))
    assert verdict(used, t.select(plus("v").alias("w"))) is Verdict.EQUIVALENT


def test_streams(connect: Any) -> None:
    stream = connect.readStream.format("rate").load()
    assert "streaming" in refused(stream, stream)


def test_two_sessions(t: Any, address: str) -> None:
    from pyspark.sql.connect.session import SparkSession

    other = SparkSession.builder.remote(address).create()
    with pytest.raises(UsageError, match="two Spark Connect sessions"):
        veer.verify(t, other.range(3))
    other.stop()


def test_names_that_the_server_makes(t: Any) -> None:
    twice = F.col("s").cast("string").cast("int")
    # A classic session would call the column `s`: the filter would read another one.
    shorter = t.select(twice).where("s IS NOT NULL").toDF("x")
    assert "disagree on the columns" in refused(shorter, shorter)
    named = t.select(twice.alias("w"), F.upper("s")).where("w > 1").toDF("x", "y")
    assert verdict(named, named.where("true")) is Verdict.EQUIVALENT


def test_what_is_not_read_is_refused_by_name(t: Any) -> None:
    with pytest.raises(UnsupportedError, match="freqItems"):
        veer.verify(t.freqItems(["k"]), t)
