"""Sessions in other time zones than UTC: the interpreter gives what Spark gives there.

VEER_SEED picks the expressions, VEER_ROUNDS how many hundreds of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.generators.moments import MomentExpressions, moment_table
from tests.recorded import RecordedSpark
from tests.spark.batches import Tally, compare_expressions
from tests.spark.compare import AnySpark, register
from tests.spark.test_random_expressions import report
from veer.api import verify
from veer.functions.moments import EPOCH
from veer.functions.zone_rules import (
    DAYS_IN_ORDER,
    FIRST,
    KNOWN,
    changes_of,
    offset_at,
    region_names,
)
from veer.settings import TIME_PARSER, TimeParser, current, under
from veer.verdict import Verdict

pytestmark = pytest.mark.spark
SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "1"))
ZONE, ANSI = "spark.sql.session.timeZone", "spark.sql.ansi.enabled"
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe",
         "America/Sao_Paulo", "Pacific/Apia", "+05:30")  # fmt: skip
UNTIL = datetime(2038, 1, 1)


@contextmanager
def session_in(spark: AnySpark, zone: str, ansi: bool = True) -> Iterator[None]:
    """Both sides in a time zone."""
    spark.conf.set(ZONE, zone)
    spark.conf.set(ANSI, str(ansi).lower())
    spark.conf.set(TIME_PARSER, "CORRECTED")  # as it is by default since Spark 4.0
    try:
        with under(replace(current(), zone=zone, ansi=ansi, time_parser=TimeParser.CORRECTED)):
            yield
    finally:
        spark.conf.unset(TIME_PARSER)
        spark.conf.set(ZONE, "UTC")
        spark.conf.set(ANSI, "true")


def test_every_template(as_the_installed_spark: None, recorded: RecordedSpark) -> None:
    tally = Tally()
    for zone, ansi in (("Europe/Berlin", True), ("Pacific/Apia", False)):
        random = Random(f"{SEED} {zone}")
        table = moment_table(random, 20)
        register(recorded, [table])
        with session_in(recorded, zone, ansi):
            compare_expressions(recorded, table, MomentExpressions(random).every_template(), tally)
    report(tally, SEED)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_random_expressions(
    as_the_installed_spark: None, recorded: RecordedSpark, number: int
) -> None:
    random = Random(f"{SEED}/{number} zones")
    tally = Tally()
    table = moment_table(random, 20)
    register(recorded, [table])
    made = MomentExpressions(random)
    for zone in random.sample(ZONES, 2):
        with session_in(recorded, zone, ansi=random.random() < 0.5):
            texts = [made.any(random.choice((1, 2, 2, 3))) for _ in range(50)]
            compare_expressions(recorded, table, texts, tally)
    report(tally, f"{SEED}/{number}")


def test_clocks_change_when_those_of_java_do(spark: SparkSession) -> None:
    jvm: Any = spark._jvm
    assert set(KNOWN) <= set(jvm.java.time.ZoneId.getAvailableZoneIds())
    for zone, last in KNOWN.items():
        rules = jvm.java.time.ZoneId.of(zone).getRules()
        end = min(UNTIL, last) - timedelta(days=3)
        at = datetime(1970, 1, 3)
        while at < end:
            found = rules.nextTransition(jvm.java.time.Instant.ofEpochSecond(_seconds(at)))
            then = EPOCH + timedelta(seconds=found.toEpochSecond()) if found else end
            between = at
            while between < min(then, end):  # nothing changes up to there
                assert offset_at(between, zone) == offset_at(at, zone), (zone, between)
                between += timedelta(days=5)
            if then < end:
                before, after = (
                    timedelta(seconds=side.getTotalSeconds())
                    for side in (found.getOffsetBefore(), found.getOffsetAfter())
                )
                assert offset_at(then - timedelta(seconds=1), zone) == before, (zone, then)
                assert offset_at(then, zone) == after, (zone, then)
                _check_days(zone, then + before, then + after)
            at = then


def _check_days(zone: str, shown_before: datetime, shown_after: datetime) -> None:
    """That no time which clocks show twice has midnight inside."""
    midnight = datetime(shown_before.year, shown_before.month, shown_before.day)
    assert zone not in DAYS_IN_ORDER or not shown_after < midnight < shown_before, (zone, midnight)


def test_days_begin_in_order_since_there_are_clocks(spark: SparkSession) -> None:
    jvm: Any = spark._jvm
    for zone in sorted(DAYS_IN_ORDER):
        rules, at = jvm.java.time.ZoneId.of(zone).getRules(), jvm.java.time.Instant.MIN
        while (found := rules.nextTransition(at)) and found.toEpochSecond() < _seconds(FIRST):
            before, after = (
                timedelta(seconds=side.getTotalSeconds())
                for side in (found.getOffsetBefore(), found.getOffsetAfter())
            )
            then = EPOCH + timedelta(seconds=found.toEpochSecond())
            _check_days(zone, then + before, then + after)
            at = found.getInstant()


def _seconds(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(seconds=1)


def test_changes_are_found() -> None:
    assert changes_of("Europe/Berlin") == (datetime(2024, 3, 31, 1), datetime(2024, 10, 27, 1))
    assert changes_of("Pacific/Apia")[0] == datetime(2018, 3, 31, 14)
    assert changes_of("Asia/Kolkata") == changes_of("+05:30") == ()


def test_names_that_spark_takes(spark: SparkSession) -> None:
    known: Any = spark._jvm.java.time.ZoneId.getAvailableZoneIds()  # type: ignore[union-attr]
    newer = {"America/Coyhaique"}  # than the database of this Java
    assert {n for n in region_names() if "/" in n} <= {*known, *newer}


PAIRS = [
    ("hour(ts)", "extract(HOUR FROM ts)", Verdict.EQUIVALENT),
    ("CAST(ts AS DATE)", "to_date(ts)", Verdict.EQUIVALENT),
    ("ts + INTERVAL 24 HOURS", "ts + INTERVAL 1 DAY", Verdict.UNKNOWN),
    ("date_trunc('HOUR', ts)", "date_trunc('hour', tu)", Verdict.INEQUIVALENT),
    ("unix_timestamp(dt)", "unix_timestamp(CAST(dt AS TIMESTAMP))", Verdict.EQUIVALENT),
    ("date_format(ts, 'yyyy')", "date_format(ts, 'yyyy')", Verdict.EQUIVALENT),
    ("hour(CAST(ts AS TIMESTAMP_NTZ))", "hour(ts)", Verdict.EQUIVALENT),
]


def test_analyzed_plans_carry_their_zone(
    as_the_installed_spark: None, spark: SparkSession, tmp_path: Path
) -> None:
    register(spark, [moment_table(Random("plans"), 3)])
    spark.table("w").write.parquet(f"{tmp_path}/w")  # not rows that are known
    spark.read.parquet(f"{tmp_path}/w").createOrReplaceTempView("w")
    with session_in(spark, "Europe/Berlin"):
        frames = [[spark.sql(f"SELECT id, {e} AS c FROM w") for e in pair[:2]] for pair in PAIRS]
        for (one, two), pair in zip(frames, PAIRS, strict=True):
            assert verify(one, two).verdict is pair[2], pair
            moved = spark.sql(f"SELECT c, id FROM (SELECT id, {pair[0]} AS c FROM w)")
            assert verify(one, moved.select("id", "c")).verdict is Verdict.EQUIVALENT, pair
    with session_in(spark, "America/New_York"):
        for (one, _), pair in zip(frames, PAIRS, strict=True):
            other = spark.sql(f"SELECT id, {pair[0]} AS c FROM w")
            assert verify(one, other).verdict is not Verdict.EQUIVALENT, pair
