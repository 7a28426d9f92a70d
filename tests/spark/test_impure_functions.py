"""What is not a function of its arguments is never proven equal on other inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession, functions as F

import veer
from tests.read import impure_functions, pure_functions
from veer.verdict import Verdict

pytestmark = pytest.mark.spark
STATES = [
    "set_symmetric",
    "set_ior",
    "list_iadd",
    "memo_list",
    "held_step",
    "counted",
    "nested_object",
    "wrapped",
]
CHOICES = [
    "clock_numpy",
    "chance_samples",
    "address_object",
    "order_joined",
    "order_loop",
    "hash_bucket",
]
SEEN: list[Any] = []


@pytest.fixture
def rows(spark: SparkSession) -> Iterator[DataFrame]:
    frame = spark.createDataFrame([], "x bigint, s string, g int")
    frame.createOrReplaceTempView("rows_of_impure_functions")
    yield spark.table("rows_of_impure_functions")


def below_and_above(rows: DataFrame, function: Any) -> tuple[DataFrame, DataFrame]:
    """A function evaluated behind a filter and before it."""
    call = F.udf(function, "string")
    below = rows.filter("x > 1").select("x", call("x").alias("y"))
    above = rows.select("x", call("x").alias("y")).filter("x > 1")
    return below, above


@pytest.mark.parametrize("name", [*STATES, *CHOICES])
def test_impure_functions_of_other_inputs_are_not_proven(rows: DataFrame, name: str) -> None:
    pair = below_and_above(rows, impure_functions.FUNCTIONS[name])
    assert veer.verify(*pair).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("name", ["strip_lower", "unique_in_order", "rounded_decimal", "money"])
def test_pure_functions_of_other_inputs_are_proven(rows: DataFrame, name: str) -> None:
    function = pure_functions.FUNCTIONS[name]
    assert veer.verify(*below_and_above(rows, function)).verdict is Verdict.EQUIVALENT


@pytest.mark.parametrize("name", STATES)
def test_state_is_not_paired(rows: DataFrame, name: str) -> None:
    call = F.udf(impure_functions.FUNCTIONS[name], "string")
    once, again = (rows.select("x", call("x").alias("y")) for _ in range(2))
    assert veer.verify(once, again).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("name", CHOICES)
def test_choices_are_paired_under_an_assumption(rows: DataFrame, name: str) -> None:
    call = F.udf(impure_functions.FUNCTIONS[name], "string")
    report = veer.verify(*(rows.select("x", call("x").alias("y")) for _ in range(2)))
    assert report.verdict is Verdict.EQUIVALENT
    assert report.sinks[0].assumptions


def counting(table: Any) -> Any:
    SEEN.append(len(table))
    return table.assign(x=len(SEEN))


def centring(table: Any) -> Any:
    return table.assign(x=table.x - table.x.min())


def test_groups_that_keep_state_are_not_paired(rows: DataFrame) -> None:
    for function, verdict in ((counting, Verdict.UNKNOWN), (centring, Verdict.EQUIVALENT)):
        once, again = (
            rows.groupBy("g").applyInPandas(function, "x bigint, s string, g int") for _ in range(2)
        )
        assert veer.verify(once, again).verdict is verdict
