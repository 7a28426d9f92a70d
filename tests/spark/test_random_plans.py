"""Random queries read from Spark's plans: the interpreter gives the rows Spark gives.

VEER_SEED picks the queries, VEER_ROUNDS how many dozens of them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from random import Random

import pytest
from pyspark.sql import SparkSession

from tests.generators.dataflows import Queries
from tests.generators.tables import Table, query_tables
from tests.spark.compare import Failed, Refused, register, run_spark, same_rows
from tests.spark.flows import INEXACT
from veer.errors import UnsupportedError
from veer.functions.registry import Failure
from veer.interpreter import Result, run_dataflow
from veer.ir.dag import Dataflow
from veer.ir.expr import OpaqueCall
from veer.ir.ops import Source, TableUdf
from veer.ir.walk import operator_exprs, parts, subqueries
from veer.read.pyspark.frames import read_dataframe
from veer.refute.instances import Tables

pytestmark = pytest.mark.spark
SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "4"))
PER_ROUND = 24


def rows_by_source(spark: SparkSession, tables: Sequence[Table]) -> Tables:
    """The rows of each table under the name its plan has for it; plain rows are in the plan."""
    found: Tables = {}
    for table in tables:
        flow = read_dataframe(spark.table(table.name))
        for source in (op for op in flow.operators.values() if isinstance(op, Source)):
            found[source.table] = list(table.rows)
    return found


def is_opaque(dataflow: Dataflow) -> bool:
    """Whether some function is known by name only."""
    return any(
        isinstance(op, TableUdf)
        or any(isinstance(part, OpaqueCall) for e in operator_exprs(op) for part in parts(e))
        or any(map(is_opaque, subqueries(op)))
        for op in dataflow.operators.values()
    )


@pytest.mark.parametrize("number", range(ROUNDS))
def test_random_queries_are_read_right(spark: SparkSession, number: int) -> None:
    compare_plans(spark, f"{SEED} {number}")


def compare_plans(spark: SparkSession, seed: str) -> None:
    """Compare what Veer computes by the plans of random queries with what Spark computes."""
    random = Random(f"plans {seed}")
    tables = query_tables(random)
    register(spark, tables)
    rows = rows_by_source(spark, tables)
    made = Queries(random)
    compared = 0
    for _ in range(PER_ROUND):
        text = made.query()
        theirs = run_spark(spark, text)
        if isinstance(theirs, Refused) or "INTERNAL_ERROR" in getattr(theirs, "reason", ""):
            continue
        try:
            flow = read_dataframe(spark.sql(text))
        except UnsupportedError:
            continue
        if is_opaque(flow):
            continue
        try:
            ours = run_dataflow(flow, rows)["result"]
        except Failure:
            assert isinstance(theirs, Failed), (seed, text, theirs)
            continue
        except UnsupportedError:  # a text that depends on the version of Java
            continue
        assert isinstance(theirs, Result), (seed, text, ours.rows, theirs)
        tolerance = 1e-9 if any(f in text for f in INEXACT) else 0.0
        same = same_rows(
            ours.rows, theirs.rows, ours.types, ordered=made.ordered, tolerance=tolerance
        )
        assert same, (seed, text, ours.rows, theirs.rows)
        compared += 1
    assert compared
