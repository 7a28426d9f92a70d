"""Every TPC-DS query gives the same rows, names and types in the interpreter as in Spark.

Without ANSI a panel of them; VEER_TPCDS=all asks for all of those, too.
"""

from __future__ import annotations

import os
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from pyspark.sql import SparkSession

from benchmarks.support import tpcds
from benchmarks.support.beside_spark import difference, register_all, run_here
from tests.recorded import RecordedSpark
from tests.spark.compare import Failed, run_spark
from veer.settings import current, under

pytestmark = [pytest.mark.spark, pytest.mark.slow]
# Divisions, means, casts, text beside numbers, dates and intervals, rollups, set operations.
PANEL = (2, 9, 12, 21, 34, 39, 49, 58, 70, 75, 78, 90)
WITHOUT_ANSI = sorted(tpcds.queries()) if os.environ.get("VEER_TPCDS") == "all" else PANEL


@pytest.fixture(scope="module")
def rows() -> dict[str, list[tuple[Any, ...]]]:
    return tpcds.tables(tpcds.small_database())


@pytest.fixture(scope="module")
def content(rows: dict[str, list[tuple[Any, ...]]]) -> str:
    return sha256(repr(rows).encode()).hexdigest()


@pytest.mark.parametrize("number", sorted(tpcds.queries()))
def test_spark_agrees(
    recorded: RecordedSpark, rows: dict[str, list[tuple[Any, ...]]], content: str, number: int
) -> None:
    compare(recorded, rows, content, number)


@pytest.mark.parametrize("number", WITHOUT_ANSI)
def test_spark_agrees_without_ansi(
    recorded: RecordedSpark, rows: dict[str, list[tuple[Any, ...]]], content: str, number: int
) -> None:
    recorded.conf.set("spark.sql.ansi.enabled", "false")
    try:
        with under(replace(current(), ansi=False)):
            compare(recorded, rows, content, number)
    finally:
        recorded.conf.set("spark.sql.ansi.enabled", "true")


def compare(
    recorded: RecordedSpark,
    rows: dict[str, list[tuple[Any, ...]]],
    content: str,
    number: int,
) -> None:
    """Run a query on both sides; both may fail."""
    text = tpcds.queries()[number]
    recorded.tables(content, lambda _: register_all(tpcds.catalog(), rows))
    ours = run_here(text, tpcds.catalog(), rows)

    def compared(session: SparkSession) -> list[str]:
        theirs = run_spark(session, text)
        if isinstance(ours, Failed) and isinstance(theirs, Failed):
            return []
        found = difference(ours, theirs)
        return [] if found is None else [found]

    assert recorded.differences((text, ours), compared) == []
