"""What a report on two versions says of each sink, as outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from veer.ir.dag import Dataflow
from veer.ir.ops import Sink
from veer.projects import outcomes as projects_outcomes
from veer.projects.comparing import Answer
from veer.projects.lineage import Place


def target_of(flow: Dataflow, sink: str) -> str:
    """Where a sink writes; empty if it is only returned."""
    operator = flow.operators[sink]
    return operator.target if isinstance(operator, Sink) else ""


def sink_outcomes(
    answer: Answer, p: Dataflow, q: Dataflow
) -> tuple[projects_outcomes.SinkOutcome, ...]:
    """What a report says of each sink."""
    outcomes = []
    for report, kept in zip(answer.report["sinks"], answer.kept, strict=True):
        old, new = report["p"], report["q"]
        if new and new not in q.operators:  # all sinks, stopped by the time limit
            outcomes += [
                _outcome(i, target_of(q, i), projects_outcomes.Outcome.UNKNOWN, report, False)
                for i in q.sinks
            ]
        elif not old:
            outcomes.append(
                _outcome(new, target_of(q, new), projects_outcomes.Outcome.NEW, report, False)
            )
        elif not new:
            outcomes.append(
                _outcome(old, target_of(p, old), projects_outcomes.Outcome.REMOVED, report, False)
            )
        else:
            verdict = projects_outcomes.OF_VERDICT[report["verdict"]]
            moved = Place.of(target_of(p, old)) != Place.of(target_of(q, new))
            outcomes.append(_outcome(new, target_of(q, new), verdict, report, kept and not moved))
    return tuple(outcomes)


CAUSES = {
    projects_outcomes.Outcome.CHANGED: projects_outcomes.Cause.CHANGED,
    projects_outcomes.Outcome.UNKNOWN: projects_outcomes.Cause.UNKNOWN,
    projects_outcomes.Outcome.NEW: projects_outcomes.Cause.NEW,
    projects_outcomes.Outcome.EQUIVALENT: projects_outcomes.Cause.NOT_CERTAIN,
}


def _outcome(
    name: str,
    target: str,
    outcome: projects_outcomes.Outcome,
    report: Mapping[str, Any],
    kept: bool,
) -> projects_outcomes.SinkOutcome:
    cause = None if kept else CAUSES.get(outcome)
    again = None if cause is None else projects_outcomes.Recompute(cause)
    return projects_outcomes.SinkOutcome(name, target, outcome, report, recompute=again)


def whole_outcomes(
    flow: Dataflow, outcome: projects_outcomes.Outcome, again: projects_outcomes.Recompute | None
) -> tuple[projects_outcomes.SinkOutcome, ...]:
    """All sinks of a dataflow with one outcome."""
    return tuple(
        projects_outcomes.SinkOutcome(i, target_of(flow, i), outcome, recompute=again)
        for i in flow.sinks
    )
