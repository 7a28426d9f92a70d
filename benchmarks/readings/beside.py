"""A program run by Spark beside the interpreter's run of what was read of it."""

from __future__ import annotations

from typing import Any

from benchmarks.readings.sides import Program
from tests.generators.tables import Table
from tests.spark.compare import collect, first_line, register, same_rows
from veer.errors import InputError, UnsupportedError
from veer.facts.determinism import dataflow_kind
from veer.functions.registry import Failure, Kind
from veer.interpreter import run_dataflow
from veer.ir.dag import Dataflow
from veer.read.pyspark.capture.loading import function_of
from veer.read.sql import read_schema
from veer.refute.instances import Instances, Tables

INSTANCES = (1, 3)  # of which most rows pass the conditions
RESULT = "result"


def wrong_rows(spark: Any, program: Program, dataflow: Dataflow) -> str | None:
    """How Spark's rows differ from those of the reading; None if nothing can be said."""
    if dataflow_kind(dataflow) is not Kind.PURE or set(dataflow.sinks) != {RESULT}:
        return None
    stream = Instances((dataflow,))
    said = None
    for number in INSTANCES:
        difference = _difference(spark, program, dataflow, stream.make(number))
        if difference:
            return difference
        said = difference if difference is not None else said
    return said


def _difference(spark: Any, program: Program, dataflow: Dataflow, rows: Tables) -> str | None:
    declared = read_schema(program.schema.read_text(encoding="utf-8"))
    tables = [
        Table(
            name,
            tuple(f.name for f in s.fields),
            tuple(f.type for f in s.fields),
            rows.get(name, []),
        )
        for name, s in declared.items()
    ]
    try:
        ours = run_dataflow(dataflow, rows)[RESULT]
    except (Failure, InputError, UnsupportedError):
        return None
    register(spark, tables)
    try:
        frame = function_of(program.root, program.file, program.function, "")(spark)
        theirs = collect(frame, ours.types)
    except Exception as error:
        return f"rows here, {first_line(error)} in Spark"
    finally:
        for table in tables:
            spark.catalog.dropTempView(table.name)
    if same_rows(ours.rows, theirs, ours.types, ordered=False, tolerance=1e-9):
        return ""
    return f"{ours.rows[:3]} here, {theirs[:3]} in Spark, on the rows {rows}"
