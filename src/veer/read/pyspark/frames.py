"""DataFrames of a classic Spark session to dataflows, from their analyzed plans.

Nothing runs: the plan is looked at, and what `toJSON` drops of it is asked of the JVM.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from veer.errors import InputError, UnsupportedError
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.expr import Expr
from veer.ir.schema import Schema
from veer.read.pyspark.plans.functions import NAMED_ARGUMENT, python_function
from veer.read.pyspark.plans.operators import PlanReader
from veer.read.pyspark.plans.signals import PlanSignal
from veer.read.pyspark.plans.sources import source_of
from veer.read.pyspark.plans.tree import Node, plan_of
from veer.read.pyspark.plans.types import field_type, type_of
from veer.read.pyspark.pyspark_version import require_pyspark
from veer.read.pyspark.setting_rows import OF_WRITES
from veer.read.python.in_plans import python_call
from veer.read.python.purity.shared_state import nothing_runs
from veer.read.session_settings import check_settings, settings_of, settings_set
from veer.read.zoned_expressions import with_zone
from veer.settings import SessionSettings, under


def read_dataframe(frame: Any, name: str = "result") -> Dataflow:
    """The dataflow of a DataFrame, or an error naming what of its plan is not understood."""
    return read_frames([(frame, ops.Sink(name))])


def read_frames(
    results: Sequence[tuple[Any, ops.Sink]],
    known: Callable[[Node], ops.AnyOperator | None] = lambda _: None,
    root: Path | None = None,
    *,
    optimized: bool = False,
) -> Dataflow:
    """The dataflow of several DataFrames, each with the sink it feeds.

    `known` tells leaves that stand for something else; `root` is where the project's files are.
    With `optimized` the plans are read as Spark's optimizer leaves them.
    """
    return read_plans(results, known, root, optimized=optimized).dataflow


@final
@dataclass(frozen=True)
class ReadPlans:
    """What was read, and where in the plans each signal comes from."""

    dataflow: Dataflow
    plans: Mapping[str, Node]  # by sink
    nodes: Mapping[str, tuple[Node, PlanSignal]]


def read_plans(
    results: Sequence[tuple[Any, ops.Sink]],
    known: Callable[[Node], ops.AnyOperator | None] = lambda _: None,
    root: Path | None = None,
    *,
    optimized: bool = False,
) -> ReadPlans:
    """As `read_frames`, with the plans at hand."""
    reader = PlanReader(lambda node: known(node) or source_of(node), _udf, root)
    plans: dict[str, Node] = {}
    sessions: dict[Any, SessionSettings] = {}
    for frame, sink in results:
        _require_classic(frame)
        session = frame.sparkSession
        if session not in sessions:
            given = settings_set(session)
            check_settings(session, OF_WRITES if root else frozenset(), given=given)
            sessions[session] = settings_of(session, given)
        execution = frame._jdf.queryExecution()
        plan = plan_of(execution.optimizedPlan() if optimized else execution.analyzed())
        plans[sink.name] = plan
        try:
            with under(sessions[session]), nothing_runs():
                reader.result(plan, sink)
        except RecursionError:
            raise InputError("the plan is nested too deeply") from None
    zones = {settings.zone for settings in sessions.values()}
    if len(zones) > 1:
        raise UnsupportedError("DataFrames of sessions with different time zones")
    dataflow = with_zone(reader.finish(), *zones)
    for frame, sink in results:
        _check_schema(dataflow.schemas[sink.name], frame)
    return ReadPlans(dataflow, plans, reader.nodes)


def _require_classic(frame: Any) -> None:
    require_pyspark()
    if not hasattr(frame, "_jdf"):
        raise UnsupportedError(
            "a DataFrame of Spark Connect has no plan to look at; use a classic session"
        )
    if frame.isStreaming:
        raise UnsupportedError("a streaming DataFrame; verify the query on a batch of its data")


def _check_schema(schema: Schema, frame: Any) -> None:
    """What Veer makes of the plan has the columns Spark says it has."""
    ours = [(f.name, str(f.type)) for f in schema]
    fields = json.loads(frame._jdf.schema().json())["fields"]  # PySpark does not know all types
    theirs = [(f["name"], str(field_type(f))) for f in fields]
    if ours != theirs:
        wrong = [(a, b) for a, b in zip(ours, theirs, strict=False) if a != b][:3]
        raise UnsupportedError(f"Veer and Spark disagree on the columns: {wrong}")


def _udf(node: Node, args: tuple[Expr, ...]) -> Expr:
    """A Python function: what it computes if it can be read, else a function known by identity."""
    names = [str(c.fields["key"]) if c.kind == NAMED_ARGUMENT else "" for c in node.children]
    return python_call(
        python_function(node.jvm.func()),
        str(node.fields["name"]),
        list(zip(names, args, strict=True)),
        type_of(node.fields["dataType"]),
        int(node.fields["evalType"]),
        bool(node.fields["udfDeterministic"]),
    )


__all__ = ["ReadPlans", "read_dataframe", "read_frames", "read_plans"]
