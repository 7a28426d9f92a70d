"""Compiled dataflows give on Spark the rows the interpreter gives.

VEER_SEED picks the queries, VEER_ROUNDS how many dozens of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.generators.dataflows import Queries
from tests.generators.tables import Table, query_tables
from tests.spark.compare import collect, register, same_rows
from tests.spark.flows import INEXACT
from tests.spark.session import session_mode
from veer.errors import InputError, UnsupportedError
from veer.execution.compiler import Compiler
from veer.execution.functions import to_spark
from veer.functions.registry import Failure
from veer.interpreter import Result, run_dataflow
from veer.ir.dag import Dataflow
from veer.ir.ops import RowUdf, Source
from veer.read.function_bodies import Bodies
from veer.read.sql import read_sql
from veer.read.workflow.reader import build_workflow

pytestmark = pytest.mark.spark
SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "3"))


@pytest.mark.parametrize("number", range(ROUNDS))
def test_random_queries(spark: SparkSession, number: int) -> None:
    _compare_queries(spark, f"compiled {SEED}/{number}", least=18)


@pytest.mark.parametrize("number", range(max(1, ROUNDS // 2)))
def test_random_queries_without_ansi(spark: SparkSession, number: int) -> None:
    with session_mode(spark, ansi=False):
        _compare_queries(spark, f"compiled without ANSI {SEED}/{number}", least=12)


def _compare_queries(spark: SparkSession, seed: str, least: int) -> None:
    random = Random(seed)
    tables = query_tables(random)
    register(spark, tables)
    made = Queries(random)
    compared = 0
    for _ in range(24):
        text = made.query()
        compared += _compare_query(spark, text, tables, made.ordered, seed)
    assert compared >= least


def _compare_query(
    spark: SparkSession, text: str, tables: list[Table], ordered: bool, seed: str
) -> bool:
    """Whether there was something to compare; the rows are the same."""
    try:
        flow = read_sql(text, {t.name: t.source for t in tables})
        ours = run_dataflow(flow, {t.name: t.rows for t in tables})["result"]
    except (InputError, Failure):
        return False
    frame = Compiler(spark, flow, lambda s: spark.table(s.table), Bodies()).frame(flow.sinks[0])
    tolerance = 1e-9 if any(f in text for f in INEXACT) else 0.0
    theirs = collect(frame, ours.types)
    assert tuple(frame.columns) == ours.names
    same = same_rows(ours.rows, theirs, ours.types, ordered=ordered, tolerance=tolerance)
    assert same, f"seed {seed}\n{text}\n    interpreter {ours.rows}\n    Spark {theirs}"
    return True


ROWS: dict[str, list[tuple[Any, ...]]] = {
    "t": [
        (1, "a", (1, 2), (("x", 1.5), None)),
        (2, None, (), (("y", None),)),
        (3, "b c", None, None),
        (3, "B", (None, 7), ()),
        (None, "", (4,), (("z", -0.0), ("z", 2.0))),
    ],
    "u": [(1, 10), (3, 30), (3, 31), (4, None)],
}
COLUMNS = {
    "t": {"k": "int", "s": "string", "xs": "array<int>", "ps": "array<struct<n:string,v:double>>"},
    "u": {"k": "int", "w": "int"},
}
CODE = "def f(s):\n    return (s or 'none').upper().split(' ')[0]\n"
TWO = "def f(s, k):\n    return [s, (k or 0) + 1]\n"
# One operator of each kind and setting that SQL does not reach, or reaches otherwise.
OPERATORS: dict[str, dict[str, Any]] = {
    "unnest": {"type": "unnest", "generator": "xs", "names": ["x"]},
    "unnest outer": {"type": "unnest", "generator": "xs", "names": ["x"], "outer": True},
    "positions": {"type": "unnest", "generator": "xs", "names": ["p", "x"], "positions": True},
    "inline": {"type": "unnest", "generator": "ps", "names": ["n", "v"], "inline": True},
    "inline outer": {
        "type": "unnest", "generator": "ps", "names": ["p", "n", "v"],
        "inline": True, "positions": True, "outer": True,
    },
    "read code": {
        "type": "udf", "function": "f", "code": CODE, "reads": ["s"], "adds": {"y": "string"},
    },
    "matcher": {"type": "dictionary_matcher", "column": "s", "dictionary": {"one": ["a"], "two": "b"}},
    "words": {"type": "dictionary_matcher", "column": "s", "dictionary": ["b", "c"]},
    "sentiment": {"type": "sentiment", "column": "s"},
    "keyword": {"type": "keyword", "column": "s", "keyword": "B"},
    "distinct": {"type": "project", "columns": ["k", "s"]},
    "sorted": {"type": "sort", "by": ["k desc nulls first", "s"]},
    "constant key": {"type": "aggregate", "by": {"one": "1", "k": "k"}, "calls": {"n": "count(*)"}},
    "no rows": {"type": "filter", "predicate": "k > 100"},
    "filtered": {
        "type": "aggregate", "by": [], "calls": {"n": "count(DISTINCT k) FILTER (WHERE s <> '')"},
    },
    "frames": {
        "type": "over",
        "calls": {"c": "sum(k) OVER (ORDER BY s ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)"},
    },
    "lag": {"type": "over", "calls": {"c": "lag(k, 1, -1) OVER (PARTITION BY k ORDER BY s)"}},
}  # fmt: skip


def _flow(operator: Mapping[str, Any]) -> Dataflow:
    operators = {
        "t": {"type": "source", "table": "t", "columns": COLUMNS["t"]},
        "it": dict(operator),
        "out": {"type": "sink"},
    }
    return build_workflow({"operators": operators, "links": [["t", "it"], ["it", "out"]]})


def _frame_of(spark: SparkSession, source: Source) -> DataFrame:
    ddl = ", ".join(f"{f.name} {f.type}" for f in source.fields)
    types = [f.type for f in source.fields]
    rows = [
        tuple(to_spark(v, t) for v, t in zip(r, types, strict=True)) for r in ROWS[source.table]
    ]
    return spark.createDataFrame(rows, ddl)


def _compare(spark: SparkSession, flow: Dataflow, bodies: Bodies, ordered: bool = False) -> Result:
    functions = {
        op.identity: bodies.of(op).function
        for op in flow.operators.values()
        if isinstance(op, RowUdf)
    }
    ours = run_dataflow(flow, ROWS, functions)["out"]
    frame = Compiler(spark, flow, lambda s: _frame_of(spark, s), bodies).frame("out")
    theirs = collect(frame, ours.types)
    assert same_rows(ours.rows, theirs, ours.types, ordered=ordered), (ours.rows, theirs)
    assert tuple(frame.columns) == ours.names
    return ours


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(spark: SparkSession, name: str) -> None:
    _compare(spark, _flow(OPERATORS[name]), Bodies(), ordered=name == "sorted")


def test_code_of_a_workflow_runs_only_when_trusted(spark: SparkSession) -> None:
    spec = {"type": "udf", "function": "f", "code": TWO, "reads": ["s", "k"],
            "adds": {"a": "string", "b": "int"}}  # fmt: skip
    flow = _flow(spec)
    (udf,) = (op for op in flow.operators.values() if isinstance(op, RowUdf))
    with pytest.raises(UnsupportedError, match="--trust-code"):
        Compiler(
            spark, flow, lambda s: _frame_of(spark, s), Bodies(code={udf.identity: TWO})
        ).frame("out")
    _compare(spark, flow, Bodies(code={udf.identity: TWO}, trust_code=True))


def test_a_function_nobody_defined_is_named(spark: SparkSession) -> None:
    flow = _flow({"type": "udf", "function": "guess", "reads": ["s"], "adds": {"y": "int"}})
    with pytest.raises(UnsupportedError, match=r"guess.*--functions"):
        Compiler(spark, flow, lambda s: _frame_of(spark, s), Bodies()).frame("out")


def test_functions_of_groups(spark: SparkSession) -> None:
    spec = {"type": "udf", "function": "largest", "scope": "group", "by": ["k"],
            "adds": {"k": "int", "n": "bigint"}}  # fmt: skip

    def largest(group: Any) -> Any:
        return group.groupby("k", dropna=False).size().reset_index(name="n").astype({"k": "Int32"})

    flow = _flow(spec)
    frame = Compiler(
        spark, flow, lambda s: _frame_of(spark, s), Bodies(own={"largest": largest})
    ).frame("out")
    assert sorted(map(tuple, frame.collect()), key=repr) == [(1, 1), (2, 1), (3, 2), (None, 1)]


def test_a_stored_part_is_read_and_nothing_below_it(spark: SparkSession) -> None:
    flow = _flow(OPERATORS["matcher"])
    stored = spark.createDataFrame(
        [(9, "x", [1], None, "one")],
        Compiler(spark, flow, lambda s: _frame_of(spark, s), Bodies()).frame("it").schema,
    )

    def unread(source: Source) -> DataFrame:
        raise AssertionError(source)

    frame = Compiler(spark, flow, unread, Bodies()).frame("out", {"it": stored})
    assert [row[0] for row in frame.collect()] == [9]
    left = [t.name for t in spark.catalog.listTables() if t.name.startswith("veer_")]
    assert not left, "views are taken away again"
