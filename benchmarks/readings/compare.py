"""Whether two readings of a program are the same."""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import dataclass
from multiprocessing.connection import Connection

from benchmarks.readings.sides import READ, Columns, Reading
from veer.ir.dag import Dataflow
from veer.ir.expr import OpaqueCall
from veer.ir.ops import COMPUTED, LOCAL, Sample, Source, TableUdf
from veer.ir.walk import operator_exprs, parts, subqueries
from veer.options import ColumnMatching
from veer.refute.search import Refutation, first_difference
from veer.show.wording import reason_text
from veer.verdict import Report, TableSemantics, Verdict
from veer.verification.comparison import Comparison
from veer.verification.verify import verify_versions
from veer.verification.versions.version import Version

PROVEN, AGREE = "proven equal", "agree on rows"
NAMED_ONLY = "known by name only"  # a function, a sample or rows that the sides name differently
ONE_SIDED, NEITHER, NO_PROGRAM = "read by one side only", "read by neither", "no program for Spark"
COLUMNS, ROWS, SHOULD_FAIL = "columns differ", "rows differ", "read, but Spark refuses it"
CONNECT_ONLY = "taken by Spark Connect only"  # frames of one parent, told apart by frame
AMBIGUOUS = "It's probably because you joined several Datasets together"
ALARMS = (COLUMNS, ROWS, SHOULD_FAIL)
INSTANCES = 60
SECONDS = 4.0  # for a proof
ORDERED = Comparison(
    TableSemantics.ORDERED_BAG, ColumnMatching.POSITION, evs=("algebra",), witnesses=False
)


@dataclass(frozen=True)
class Compared:
    """What the comparison of two readings says."""

    verdict: str
    why: str = ""

    @property
    def is_alarm(self) -> bool:
        """Whether one of the readings is wrong."""
        return self.verdict in ALARMS


def compared(classic: Reading, connect: Reading, seconds: float = SECONDS) -> Compared:
    """Compare what both sides made of one program; a proof is given some seconds."""
    if not classic.columns and classic.outcome != READ:
        if connect.outcome == READ:
            frames_apart = AMBIGUOUS in classic.why
            return Compared(CONNECT_ONLY if frames_apart else SHOULD_FAIL, classic.why)
        return Compared(NO_PROGRAM, classic.why)
    if connect.outcome != READ:
        return Compared(NEITHER if classic.outcome != READ else ONE_SIDED, connect.why)
    wrong = different_columns(classic.columns, connect.columns)
    if wrong:
        return Compared(COLUMNS, wrong)
    if classic.dataflow is None or connect.dataflow is None:
        return Compared(ONE_SIDED, f"classic: {classic.why}")
    return compared_dataflows(classic.dataflow, connect.dataflow, seconds)


def different_columns(spark: Columns, veer: Columns) -> str:
    """The first columns that differ, if any."""
    if len(spark) != len(veer):
        return f"{len(spark)} columns in Spark {spark}, {len(veer)} here {veer}"
    wrong = [(a, b) for a, b in zip(spark, veer, strict=True) if a != b]
    return "; ".join(f"Spark {a[0]!r} {a[1]}, here {b[0]!r} {b[1]}" for a, b in wrong[:3])


def compared_dataflows(p: Dataflow, q: Dataflow, seconds: float = SECONDS) -> Compared:
    """Proven equal, or run on random rows."""
    difference = _difference(p, q)
    if difference:
        names_only = has_names_only(p) or has_names_only(q)
        return Compared(NAMED_ONLY if names_only else ROWS, difference)
    why = _unproven(p, q, seconds)
    return Compared(AGREE, why) if why else Compared(PROVEN)


def has_names_only(dataflow: Dataflow) -> bool:
    """Whether some function or rows are known by a name that only one side gives them."""
    return any(
        isinstance(op, TableUdf | Sample)
        or (isinstance(op, Source) and op.format in (LOCAL, COMPUTED))
        or any(isinstance(part, OpaqueCall) for e in operator_exprs(op) for part in parts(e))
        or any(map(has_names_only, subqueries(op)))
        for op in dataflow.operators.values()
    )


def _unproven(p: Dataflow, q: Dataflow, seconds: float) -> str:
    """Why Veer does not prove that the two are the same; nothing if it does.

    It is asked in a process of its own, which ends when its time is over.
    """
    ours, theirs = multiprocessing.get_context("fork").Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_prove, args=(p, q, theirs))
    process.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            process.kill()
            return f"no proof within {seconds} s"
        return str(ours.recv())
    except EOFError:
        return "the process that proves ended"
    finally:
        ours.close()
        process.join()


def _prove(p: Dataflow, q: Dataflow, answer: Connection) -> None:
    report = verify_versions(Version("classic", p, False), Version("connect", q, False), ORDERED)
    answer.send("" if report.verdict is Verdict.EQUIVALENT else _said(report) or "unknown")
    answer.close()
    os._exit(0)


def _said(report: Report) -> str:
    return "; ".join(
        reason_text(sink.reason) for sink in report.sinks if sink.verdict is not Verdict.EQUIVALENT
    )[:600]


def _difference(p: Dataflow, q: Dataflow) -> str:
    for sink in p.sinks:
        if sink not in q.sinks:
            return f"there is no sink {sink!r}"
        pairs = tuple((i, i) for i in range(len(p.schemas[sink])))
        refutation = Refutation.of(p, q, sink, sink, pairs, TableSemantics.BAG)
        tables = first_difference(refutation, INSTANCES)
        if tables is not None:
            return f"on the rows {tables}"
    return ""
