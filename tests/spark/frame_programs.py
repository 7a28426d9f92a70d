"""Small PySpark programs read by Veer and run by the interpreter, beside a classic session of Spark."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.readings.connect import ConnectReader
from benchmarks.readings.sides import REFUSED, Program
from tests.recorded import RecordedSpark
from tests.spark.compare import (
    Failed,
    Outcome,
    Refused,
    Unsupported,
    collect,
    first_line,
    same_rows,
    spark_types,
)
from veer.execution.functions import to_spark
from veer.functions.arithmetic import to_float32
from veer.functions.registry import Failure
from veer.interpreter import Result, run_dataflow
from veer.read.pyspark.capture.loading import function_of
from veer.read.sql import read_schema

NAN = float("nan")
DDL = (
    "k INT NOT NULL, b BOOLEAN, n INT, l BIGINT, d DOUBLE, f FLOAT, p DECIMAL(10,2), s STRING,"
    " u STRING NOT NULL, dt DATE, ts TIMESTAMP, xs ARRAY<INT>, m MAP<STRING, INT>,"
    " st STRUCT<x: INT, y: STRING>"
)
SCHEMA = f"CREATE TABLE t ({DDL})"
BIG = 2**53 + 1
ROWS = [
    (1, True, 10, 1, 2.5, to_float32(0.1), Decimal("0.10"), "x", "p", date(2020, 1, 1), datetime(2020, 1, 1), (1, 2), (("a", 1),), (1, "x")),
    (1, False, None, BIG, 1.5, NAN, Decimal("1.50"), "y", "q", None, None, None, None, None),
    (1, None, 7, BIG - 1, None, None, None, None, "p", date(2021, 5, 5), None, (), (), (None, "y")),
    (2, True, None, None, 2.0, 1.5, Decimal("9.00"), None, "q", None, datetime(2021, 2, 3, 4, 5, 6), (None, 3), (("b", None),), (3, None)),
    (2, True, 4, 2, 0.5, -1.0, Decimal("2.00"), "z", "p", date(2020, 1, 1), None, (5,), (("a", 2), ("b", 3)), (1, "x")),
    (3, None, 1, 9, NAN, 0.5, Decimal("1.00"), "q", "r", None, None, None, None, None),
    (4, False, 2, 1, 1.0, 2.0, Decimal("2.50"), "", "r", date(1999, 12, 31), None, (1,), (), (0, "")),
]  # fmt: skip
HEAD = """\
from datetime import date, datetime
from decimal import Decimal

from pyspark.sql import Window, functions as F, types as T
from pyspark.sql.functions import col, expr, lit

NAN = float("nan")


def said(spark, answer):
    return spark.createDataFrame([(str(answer),)], "answer string")


def nulls(frame):
    return " ".join(f"{f.name}:{f.dataType.simpleString()}:{f.nullable}" for f in frame.schema)

"""


@dataclass(frozen=True)
class Frames:
    """Programs of one module: statements that end in an expression, over the table `t`."""

    folder: Path
    texts: Sequence[str]

    def programs(self) -> list[Program]:
        """The programs as functions of a file."""
        file, schema = self.folder / "frames.py", self.folder / "schema.sql"
        parts = [HEAD]
        for number, text in enumerate(self.texts):
            *lines, last = textwrap.dedent(text).strip().splitlines()
            body = "\n".join(["t = spark.table('t')", *lines, f"return {last}"])
            parts.append(f"\ndef program_{number}(spark):\n{textwrap.indent(body, '    ')}\n")
        file.write_text("".join(parts), encoding="utf-8")
        schema.write_text(SCHEMA, encoding="utf-8")
        return [Program(t, file, f"program_{n}", schema) for n, t in enumerate(self.texts)]


def outcomes(
    reader: ConnectReader, folder: Path, texts: Sequence[str]
) -> list[tuple[Program, Outcome]]:
    """What Veer makes of each program."""
    return [(p, _run_here(reader, p)) for p in Frames(folder, texts).programs()]


def _run_here(reader: ConnectReader, program: Program) -> Outcome:
    reading = reader.read(program)
    if reading.dataflow is None:
        return (Unsupported if reading.outcome == REFUSED else Refused)(reading.why)
    try:
        return run_dataflow(reading.dataflow, {"t": ROWS})["result"]
    except Failure as error:
        return Failed(str(error))


def difference(spark: RecordedSpark, program: Program, ours: Outcome) -> list[str]:
    """How the run of a program in Spark differs from Veer's."""

    def compare(session: SparkSession) -> list[str]:
        theirs = _run_in_spark(session, program)
        if _are_same(ours, theirs):
            return []
        return [f"{program.id}\n    Veer  {_shown(ours, theirs)}\n    Spark {_shown(theirs, ours)}"]

    return spark.differences((HEAD, SCHEMA, ROWS, program.id, ours), compare)


def _are_same(ours: Outcome, theirs: Outcome) -> bool:
    if not isinstance(ours, Result) or not isinstance(theirs, Result):
        return not isinstance(ours, Result) and not isinstance(theirs, Result)
    return (
        ours.names == theirs.names
        and list(map(str, ours.types)) == list(map(str, theirs.types))
        and same_rows(ours.rows, theirs.rows, ours.types, ordered=False)
    )


def _shown(outcome: Outcome, other: Outcome) -> str:
    """An outcome without the rows that the other one has, too."""
    if not isinstance(outcome, Result):
        return str(outcome)
    rows = [r for r in outcome.rows if not isinstance(other, Result) or r not in other.rows]
    columns = [f"{n} {t}" for n, t in zip(outcome.names, outcome.types, strict=True)]
    return f"({', '.join(columns)}) {rows}"


def _run_in_spark(session: SparkSession, program: Program) -> Outcome:
    types = [f.type for f in read_schema(SCHEMA)["t"].fields]
    rows = [tuple(to_spark(v, t) for v, t in zip(row, types, strict=True)) for row in ROWS]
    session.createDataFrame(rows, DDL).createOrReplaceTempView("t")
    try:
        frame = function_of(program.root, program.file, program.function, "")(session)
        found = spark_types(frame)
        return Result(tuple(frame.columns), tuple(found), collect(frame, found))
    except Exception as error:
        return Failed(first_line(error))
    finally:
        for view in session.catalog.listTables():
            if view.isTemporary:
                session.catalog.dropTempView(view.name)
