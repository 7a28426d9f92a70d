"""Every TPC-DS query gives the same rows, names and types in the interpreter as in Spark."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from benchmarks.support import tpcds
from benchmarks.support.beside_spark import difference, register_all, run_here
from tests.spark.compare import Failed, run_spark

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> dict[str, list[tuple[Any, ...]]]:
    found = tpcds.tables(tpcds.small_database())
    register_all(tpcds.catalog(), found)
    return found


@pytest.mark.parametrize("number", sorted(tpcds.queries()))
def test_spark_agrees(
    spark: SparkSession, rows: dict[str, list[tuple[Any, ...]]], number: int
) -> None:
    text = tpcds.queries()[number]
    theirs = run_spark(spark, text)
    ours = run_here(text, tpcds.catalog(), rows)
    if isinstance(ours, Failed) and isinstance(theirs, Failed):
        return
    assert difference(ours, theirs) is None
