"""Witnesses in which opaque functions are run show on Spark what the report says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from veer.api import load_pair, verify
from veer.execution.compiler import Compiler
from veer.ir.dag import Dataflow
from veer.ir.sources import tables_read
from veer.read.function_bodies import Bodies
from veer.verdict import Verdict

pytestmark = pytest.mark.spark

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "tobacco"


def test_the_witness_of_the_tobacco_example(spark: SparkSession) -> None:
    p, q = load_pair(str(EXAMPLE / "v1.yaml"), str(EXAMPLE / "v2.yaml"))
    sink = next(s for s in verify(p, q).sinks if s.p == "i")
    assert sink.verdict is Verdict.INEQUIVALENT and sink.witness is not None
    for source in tables_read((p.dataflow, q.dataflow)).values():
        ddl = ", ".join(f"{f.name} {f.type}" for f in source.fields)
        rows = [tuple(row) for row in sink.witness.tables[source.table]["rows"]]
        spark.createDataFrame(rows, ddl).createOrReplaceTempView(source.table)

    def given(dataflow: Dataflow) -> list[tuple[Any, ...]]:
        bodies = Bodies(EXAMPLE / "models")
        compiler = Compiler(spark, dataflow, lambda s: spark.table(s.table), bodies)
        return sorted((tuple(row) for row in compiler.frame("i").collect()), key=repr)

    assert given(p.dataflow) == sorted(sink.witness.p_rows, key=repr)
    assert given(q.dataflow) == sorted(sink.witness.q_rows, key=repr)
