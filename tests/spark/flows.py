"""Comparing whole queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from pyspark.sql import SparkSession

from tests.generators.dataflows import Queries
from tests.generators.mixed import MixedQueries, mixed_tables
from tests.generators.tables import Table, query_tables
from tests.spark.compare import (
    AnySpark,
    Failed,
    Outcome,
    Refused,
    Unsupported,
    differences,
    register,
    run_spark,
    run_veer,
    same_rows,
)
from veer.interpreter import Result

INEXACT = ("sum(", "avg(", "stddev", "var_", "median(", "percentile(")
# The sign with which a zero comes out of a group depends on Spark's plan.
NEGATIVE_ZERO = "-(0.0D)"


@dataclass
class FlowTally:
    """What a comparison of queries found."""

    compared: int = 0
    rows: int = 0
    failures: int = 0
    refused: int = 0
    unsupported: dict[str, int] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)


def compare_round(
    spark: AnySpark, seed: str, queries: int, tally: FlowTally, *, mixed: bool = False
) -> None:
    """Fresh tables and that many random queries over them; `mixed` ones mix types."""
    random = Random(seed)
    tables = (mixed_tables if mixed else query_tables)(random)
    register(spark, tables)
    made = MixedQueries(random) if mixed else Queries(random)
    for _ in range(queries):
        text = made.query()
        compare_query(spark, text, tables, made.ordered, tally)


def compare_query(
    spark: AnySpark, text: str, tables: Sequence[Table], ordered: bool, tally: FlowTally
) -> None:
    """Run a query on both sides and note a difference."""
    tally.compared += 1
    ours = run_veer(text, tables)
    if isinstance(ours, Unsupported):
        tally.unsupported[ours.reason] = tally.unsupported.get(ours.reason, 0) + 1
        return
    tally.failures += isinstance(ours, Failed)
    tally.refused += isinstance(ours, Refused)
    tally.rows += len(ours.rows) if isinstance(ours, Result) else 0

    def compare(session: SparkSession) -> list[str]:
        theirs = run_spark(session, text)
        if _are_same(text, ours, theirs, ordered):
            return []
        shown = f"Veer  {_shown(ours)}\n    Spark {_shown(theirs)}"
        return [f"{text}\n    {shown}\n    {_rows(text, tables)}"]

    tally.differences += differences(spark, (text, ours, ordered), compare)


def _are_same(text: str, ours: Outcome, theirs: Outcome, ordered: bool) -> bool:
    if not isinstance(ours, Result) or not isinstance(theirs, Result):
        return type(ours) is type(theirs) and not isinstance(ours, Result)
    return list(map(str, ours.types)) == list(map(str, theirs.types)) and same_rows(
        ours.rows,
        theirs.rows,
        ours.types,
        ordered=ordered,
        tolerance=1e-9 if any(f in text for f in (*INEXACT, NEGATIVE_ZERO)) else 0.0,
    )


def _shown(outcome: object) -> str:
    if isinstance(outcome, Result):
        return f"({', '.join(map(str, outcome.types))}) {sorted(outcome.rows, key=repr)}"
    return str(outcome)


def _rows(text: str, tables: Sequence[Table]) -> str:
    return "; ".join(f"{t.name}={t.rows}" for t in tables if f" {t.name} " in f"{text} ")
