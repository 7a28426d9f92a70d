"""What a report on two versions says of each sink, as outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from veer.model.dag import Dataflow
from veer.model.ops import Sink
from veer.outcomes import OF_VERDICT, Cause, Outcome, Recompute, SinkOutcome
from veer.project.comparing import Answer
from veer.project.lineage import Place


def target_of(flow: Dataflow, sink: str) -> str:
    """Where a sink writes; empty if it is only returned."""
    operator = flow.operators[sink]
    return operator.target if isinstance(operator, Sink) else ""


def sink_outcomes(answer: Answer, p: Dataflow, q: Dataflow) -> tuple[SinkOutcome, ...]:
    """What a report says of each sink."""
    outcomes = []
    for report, kept in zip(answer.report["sinks"], answer.kept, strict=True):
        old, new = report["p"], report["q"]
        if new and new not in q.operators:  # all sinks, stopped by the time limit
            outcomes += [
                _outcome(i, target_of(q, i), Outcome.UNKNOWN, report, False) for i in q.sinks
            ]
        elif not old:
            outcomes.append(_outcome(new, target_of(q, new), Outcome.NEW, report, False))
        elif not new:
            outcomes.append(_outcome(old, target_of(p, old), Outcome.REMOVED, report, False))
        else:
            verdict = OF_VERDICT[report["verdict"]]
            moved = Place.of(target_of(p, old)) != Place.of(target_of(q, new))
            outcomes.append(_outcome(new, target_of(q, new), verdict, report, kept and not moved))
    return tuple(outcomes)


CAUSES = {
    Outcome.CHANGED: Cause.CHANGED,
    Outcome.UNKNOWN: Cause.UNKNOWN,
    Outcome.NEW: Cause.NEW,
    Outcome.EQUIVALENT: Cause.NOT_CERTAIN,
}


def _outcome(
    name: str, target: str, outcome: Outcome, report: Mapping[str, Any], kept: bool
) -> SinkOutcome:
    cause = None if kept else CAUSES.get(outcome)
    again = None if cause is None else Recompute(cause)
    return SinkOutcome(name, target, outcome, report, recompute=again)


def whole_outcomes(
    flow: Dataflow, outcome: Outcome, again: Recompute | None
) -> tuple[SinkOutcome, ...]:
    """All sinks of a dataflow with one outcome."""
    return tuple(SinkOutcome(i, target_of(flow, i), outcome, recompute=again) for i in flow.sinks)
