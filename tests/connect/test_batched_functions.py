"""Functions of batches: equal on equal input, assuming that they do not see how rows are batched."""

from __future__ import annotations

from pathlib import Path

import pytest

import veer
from veer.assumptions import BatchIndependent, SameChoice
from veer.verdict import SinkReport, Verdict

pytest.importorskip("grpc")
pytest.importorskip("pandas")

SCHEMA = "CREATE TABLE t (id BIGINT NOT NULL, g STRING, x DOUBLE, PRIMARY KEY (id));"
JOB = """
import random
import pandas as pd
from pyspark.sql import functions as F
from pyspark.sql.functions import col, pandas_udf

def doubled(v: pd.Series) -> pd.Series:
    return v * {factor}

def rows(frames):
    for frame in frames:
        yield frame[frame.x > {factor}]

def batches(frames):
    for frame in frames:
        yield frame

def centered(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(x=frame.x * {factor})

def drawn(v: pd.Series) -> pd.Series:
    return v * random.random()

def build(spark):
    t = spark.table("t"){below}
    twice = pandas_udf(doubled, "double")
    return {{
        "scalar": t.select("id", twice("x").alias("y")){above},
        "map_in_pandas": t.mapInPandas(rows, "id bigint, g string, x double"){above},
        "map_in_arrow": t.mapInArrow(batches, "id bigint, g string, x double"){above},
        "groups": t.groupBy("g").applyInPandas(centered, "id bigint, g string, x double"){above},
        "random": t.select("id", pandas_udf(drawn, "double")("x").alias("y")){above},
    }}
"""
P = {"factor": 2, "below": ".filter('id > 1 AND x > 0')", "above": ""}


def sinks(folder: Path, **q: object) -> dict[str, SinkReport]:
    """The verdicts on the sinks of the job and of a version that differs from it."""
    for name, values in (("p", P), ("q", {**P, **q})):
        (folder / f"{name}.py").write_text(JOB.format(**values), "utf-8")
    report = veer.verify(*(f"{folder / n}.py:build" for n in "pq"), schema=SCHEMA)
    return {str(sink.p): sink for sink in report.sinks}


def test_the_same_function_on_equal_input_is_equal_under_an_assumption(tmp_path: Path) -> None:
    found = sinks(tmp_path, below=".filter('x > 0').where(col('id') > 1)")
    for name in ("scalar", "map_in_pandas", "map_in_arrow", "groups"):
        assert found[name].verdict is Verdict.EQUIVALENT, name
        assert [type(a) for a in found[name].assumptions] == [BatchIndependent], name
    assumed = {type(a) for a in found["random"].assumptions}
    assert found["random"].verdict is Verdict.UNKNOWN or SameChoice in assumed


@pytest.mark.parametrize(
    "q",
    [
        {"factor": 3},  # another function
        {"below": ".filter('id > 1')"},  # other rows
        {"below": ".filter('id > 1 AND x > 0').withColumn('g', F.upper('g'))"},
        {"below": "", "above": ".filter('id > 1')"},  # not below, where the function sees it
    ],
)
def test_another_function_or_other_input_is_not_proven(tmp_path: Path, q: dict[str, str]) -> None:
    found = sinks(tmp_path, **q)
    seen = {"scalar"} if "g'" in str(q) else set()  # a function of a column sees no other
    for name in found.keys() - seen - ({"map_in_arrow"} if "factor" in q else set()):
        assert found[name].verdict is not Verdict.EQUIVALENT, name
