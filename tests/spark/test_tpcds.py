"""Every TPC-DS query gives the same rows, names and types in the interpreter as in Spark.

Without ANSI a panel of them; VEER_TPCDS=all asks for all of those, too.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest
from pyspark.sql import SparkSession

from benchmarks.support import tpcds
from benchmarks.support.beside_spark import difference, register_all, run_here
from tests.spark.compare import Failed, run_spark
from veer.settings import current, under

pytestmark = [pytest.mark.spark, pytest.mark.slow]
# Divisions, means, casts, text beside numbers, dates and intervals, rollups, set operations.
PANEL = (2, 9, 12, 21, 34, 39, 49, 58, 70, 75, 78, 90)
WITHOUT_ANSI = sorted(tpcds.queries()) if os.environ.get("VEER_TPCDS") == "all" else PANEL


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> dict[str, list[tuple[Any, ...]]]:
    found = tpcds.tables(tpcds.small_database())
    register_all(tpcds.catalog(), found)
    return found


@pytest.mark.parametrize("number", sorted(tpcds.queries()))
def test_spark_agrees(
    spark: SparkSession, rows: dict[str, list[tuple[Any, ...]]], number: int
) -> None:
    compare(spark, rows, number)


@pytest.mark.parametrize("number", WITHOUT_ANSI)
def test_spark_agrees_without_ansi(
    spark: SparkSession, rows: dict[str, list[tuple[Any, ...]]], number: int
) -> None:
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        with under(replace(current(), ansi=False)):
            compare(spark, rows, number)
    finally:
        spark.conf.set("spark.sql.ansi.enabled", "true")


def compare(spark: SparkSession, rows: dict[str, list[tuple[Any, ...]]], number: int) -> None:
    """Run a query on both sides; both may fail."""
    text = tpcds.queries()[number]
    theirs = run_spark(spark, text)
    ours = run_here(text, tpcds.catalog(), rows)
    if isinstance(ours, Failed) and isinstance(theirs, Failed):
        return
    assert difference(ours, theirs) is None
