"""The reading of analyzed plans: one session for all programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.readings.sides import READ, Program, Reading, columns_of, refusal
from veer.ir.ops import Sink
from veer.read.pyspark.capture.child import load_function
from veer.read.pyspark.capture.classic import ClassicCapture
from veer.read.pyspark.capture.loading import function_of
from veer.read.pyspark.capture.stopping import Stopped
from veer.read.pyspark.frames import read_frames
from veer.read.pyspark.plans.types import field_type


class ClassicReader:
    """Reads programs over one set of tables, which the session gets while this is entered."""

    def __init__(self, spark: Any, schema: Path, root: Path) -> None:
        self.spark = spark
        self.capture = ClassicCapture(spark, schema.read_text(encoding="utf-8"), root, root)

    def __enter__(self) -> ClassicReader:
        self.capture.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.capture.__exit__(kind, error, trace)
        self.capture.close()

    def read(self, program: Program) -> Reading:
        """What Spark analyzes, and what Veer reads of its plan."""
        self.capture.stopped = None
        self.capture.written.clear()
        columns: tuple[tuple[str, str], ...] = ()
        try:
            frame = function_of(program.root, program.file, program.function, "")(self.spark)
            columns = _columns(frame)
            flow = read_frames([(frame, Sink("result"))], self.capture.source, program.root)
            return Reading(READ, "", columns, flow)
        except (Exception, Stopped) as error:
            found = refusal(error)
            return Reading(found.outcome, found.why, columns)
        finally:
            self._forget_views()

    def _forget_views(self) -> None:
        catalog = self.spark._jsparkSession.sessionState().catalog()
        views = catalog.listLocalTempViews("*")
        for place in range(views.size()):
            catalog.dropTempView(views.apply(place).table())


def _columns(frame: Any) -> tuple[tuple[str, str], ...]:
    fields = json.loads(frame._jdf.schema().json())["fields"]
    return tuple((str(f["name"]), str(field_type(f))) for f in fields)


def classic_readings(spark: Any, programs: Sequence[Program]) -> list[Reading]:
    """The readings of programs in one session; those with tables of their own are jobs."""
    if len({p.schema for p in programs}) > 1:
        return [read_job(spark, program) for program in programs]
    with ClassicReader(spark, programs[0].schema, programs[0].root) as reader:
        return [reader.read(program) for program in programs]


def read_job(spark: Any, program: Program) -> Reading:
    """The reading of a job with tables and sinks of its own."""
    request = {
        "root": str(program.root),
        "file": str(program.file),
        "function": program.function,
        "args": {},
        "schema": program.schema.read_text(encoding="utf-8"),
        "data": str(program.root),
    }
    try:
        dataflow = load_function(spark, request).dataflow
    except (Exception, Stopped) as error:
        return refusal(error)
    return Reading(READ, "", columns_of(dataflow), dataflow)
