"""DataFrames of a classic Spark session to dataflows, from their analyzed plans.

Nothing runs: the plan is looked at, and what `toJSON` drops of it is asked of the JVM.
"""

from __future__ import annotations

import hashlib
from typing import Any

from veer.dataflow.dag import Dataflow
from veer.dataflow.expr import Expr, OpaqueCall
from veer.dataflow.functions.registry import Kind
from veer.dataflow.ops import Sink
from veer.errors import InputError, UnsupportedError
from veer.frontends.spark.operators import PlanReader
from veer.frontends.spark.sources import source_of
from veer.frontends.spark.tree import Node, plan_of
from veer.frontends.spark.types import type_of

ROW_WISE = (100, 101, 200, 205)  # evalTypes of functions of one row: pickled, Arrow, pandas scalar


def read_dataframe(frame: Any, name: str = "result") -> Dataflow:
    """The dataflow of a DataFrame, or an error naming what of its plan is not understood."""
    if not hasattr(frame, "_jdf"):
        raise UnsupportedError(
            "a DataFrame of Spark Connect has no plan to look at; use a classic session"
        )
    if frame.isStreaming:
        raise UnsupportedError("a streaming DataFrame; verify the query on a batch of its data")
    _check_session(frame.sparkSession)
    plan = plan_of(frame._jdf.queryExecution().analyzed())
    try:
        found = PlanReader(source_of, _udf).dataflow(plan, Sink(name))
    except RecursionError:
        raise InputError("the plan is nested too deeply") from None
    _check_schema(found, frame)
    return found


def _check_session(session: Any) -> None:
    if session.conf.get("spark.sql.ansi.enabled") != "true":
        raise UnsupportedError(
            "spark.sql.ansi.enabled is false; Veer reads plans of ANSI sessions only"
        )
    if session.conf.get("spark.sql.legacy.timeParserPolicy").upper() == "LEGACY":
        raise UnsupportedError("spark.sql.legacy.timeParserPolicy is LEGACY, which is not modelled")


def _check_schema(found: Dataflow, frame: Any) -> None:
    """What Veer makes of the plan has the columns Spark says it has."""
    ours = [(f.name, str(f.type)) for f in found.result_schema]
    theirs = [(f.name, str(type_of(f.dataType.jsonValue()))) for f in frame.schema.fields]
    if ours != theirs:
        wrong = [(a, b) for a, b in zip(ours, theirs, strict=False) if a != b][:3]
        raise UnsupportedError(f"Veer and Spark disagree on the columns: {wrong}")


def _udf(node: Node, args: tuple[Expr, ...]) -> Expr:
    """A Python function: a function of its arguments, known by its code as it was pickled."""
    evaluated = int(node.fields["evalType"])
    command = node.jvm.func().command()
    code = hashlib.sha256(_bytes(command)).hexdigest()[:16]
    type_ = type_of(node.fields["dataType"])
    kind = Kind.PURE if node.fields["udfDeterministic"] else Kind.CHOICE
    if evaluated not in ROW_WISE:
        raise UnsupportedError(f"a Python function of evalType {evaluated}")
    identity = f"python {node.fields['name']} {code} {evaluated}"
    return OpaqueCall(identity, args, type_, kind)


def _bytes(sequence: Any) -> bytes:
    """The bytes of a Scala sequence."""
    return bytes(sequence.apply(i) & 0xFF for i in range(sequence.size()))


__all__ = ["read_dataframe"]
