"""Python functions that are read give what Spark gives when it runs them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf

from tests.spark import udfs
from tests.spark.compare import same_value
from tests.spark.session import any_rows
from veer.errors import UnsupportedError
from veer.functions.registry import Failure
from veer.interpreter import run_dataflow
from veer.ir.expr import OpaqueCall
from veer.ir.ops import Source
from veer.ir.types import parse_type
from veer.ir.walk import operator_exprs, parts
from veer.read.pyspark.frames import read_dataframe
from veer.read.python.purity.shared_state import nothing_runs

pytestmark = pytest.mark.spark

FUNCTIONS: dict[str, list[Callable[..., Any]]] = {
    "int": udfs.LONGS,
    "bigint": udfs.LONGS,
    "string": udfs.TEXTS,
    "double": udfs.DOUBLES,
    "boolean": udfs.BOOLEANS,
}


def read(frame: DataFrame) -> Any:
    """The dataflow of a frame, or None if its function stays opaque."""
    flow = read_dataframe(frame)
    calls = (p for o in flow.operators.values() for e in operator_exprs(o) for p in parts(e))
    return None if any(isinstance(p, OpaqueCall) for p in calls) else flow


def interpreted(flow: Any, value: Any) -> Any:
    """What the reading gives for one value, in a tuple; None if it fails."""
    (table,) = (op.table for op in flow.operators.values() if isinstance(op, Source))
    try:
        return run_dataflow(flow, {table: [(value,)]})["result"].rows[0]
    except (Failure, UnsupportedError):
        return None


@pytest.mark.parametrize("evaluated", ["pickled", "arrow"])
@pytest.mark.parametrize("type_", list(FUNCTIONS))
def test_what_is_read_gives_what_spark_gives(
    spark: SparkSession, type_: str, evaluated: str
) -> None:
    values = udfs.VALUES[type_]
    frame = any_rows(spark, f"x {type_}")
    read_ones, groups = 0, defaultdict(list)
    every = [(f, result) for f in FUNCTIONS[type_] for result in udfs.RESULTS]
    with nothing_runs():
        for function, result in every:
            made = udf(function, result, useArrow=evaluated == "arrow")
            flow = read(frame.select(made("x")))
            if flow is None:
                continue
            read_ones += 1
            ours = [interpreted(flow, v) for v in values]
            fine = tuple(i for i, row in enumerate(ours) if row is not None)
            groups[fine].append((function.__name__, result, made, ours))
    assert read_ones > len(FUNCTIONS[type_])
    for fine, cases in groups.items():
        rows = spark.createDataFrame([(i, values[i]) for i in fine], f"i int, x {type_}").coalesce(
            1
        )
        for found in rows.select("i", *(made("x") for _, _, made, _ in cases)).collect():
            for (name, result, _, ours), theirs in zip(cases, found[1:], strict=True):
                mine = ours[found[0]][0]
                what = (name, result, values[found[0]], mine, theirs)
                assert same_value(mine, theirs, parse_type(result)), what
