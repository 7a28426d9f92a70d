"""Refactored Python functions are proven, changed ones refuted, the witness replayed by Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf

import veer
from tests.spark import udf_versions
from tests.spark.session import any_rows
from veer.show.wording import reason_text
from veer.verdict import Verdict

pytestmark = pytest.mark.spark
COLUMNS = "x bigint, s string, d double"
Pair = tuple[Callable[..., Any], Callable[..., Any], str]


def title(pair: Pair) -> str:
    return f"{pair[0].__name__}-{pair[1].__name__}"


def applied(frame: DataFrame, function: Callable[..., Any], type_: str) -> DataFrame:
    return frame.select("x", udf(function, type_)("x", "s", "d").alias("y"))


@pytest.mark.parametrize("pair", udf_versions.REFACTORED, ids=title)
def test_refactorings_are_proven(spark: SparkSession, pair: Pair) -> None:
    old, new, type_ = pair
    rows = any_rows(spark, COLUMNS)
    report = veer.verify(applied(rows, old, type_), applied(rows, new, type_))
    assert report.verdict is Verdict.EQUIVALENT, reason_text(report.sinks[0].reason)


@pytest.mark.parametrize("pair", udf_versions.CHANGED, ids=title)
def test_changes_are_refuted(spark: SparkSession, pair: Pair) -> None:
    old, new, type_ = pair
    rows = any_rows(spark, COLUMNS)
    report = veer.verify(applied(rows, old, type_), applied(rows, new, type_))
    assert report.verdict is Verdict.INEQUIVALENT, reason_text(report.sinks[0].reason)
    witness = report.sinks[0].witness
    assert witness is not None
    ((_, table),) = witness.tables.items()
    found = spark.createDataFrame([tuple(row) for row in table["rows"]], COLUMNS)
    results = [sorted(map(str, applied(found, f, type_).collect())) for f in (old, new)]
    assert results[0] != results[1]
