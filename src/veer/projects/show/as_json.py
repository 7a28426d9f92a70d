"""The report on a project as JSON (`docs/checking-projects.md`): what every other format is made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from veer.projects import outcomes
from veer.projects.show.formats import VERSION
from veer.visible import json_text

# What the report on a project takes from the report on a sink of two versions.
TAKEN = (
    "reason",
    "reason_kind",
    "assumptions",
    "assumption_kinds",
    "caveats",
    "caveat_kinds",
    "windows",
    "witness",
    "resisted",
    "hints",
)
NOTHING: dict[str, Any] = {
    **dict.fromkeys(("reason", "reason_kind"), ""),
    **{name: [] for name in TAKEN if name.endswith("s") and name != "witness"},
    **dict.fromkeys(("witness", "resisted")),
}


def project_json(report: outcomes.ProjectReport) -> dict[str, Any]:
    """The report as JSON data."""
    jobs = [_job(job) for job in report.jobs]
    return {
        "veer_check": VERSION,
        "base": {"name": report.base, "commit": report.base_commit},
        "head": {"commit": report.head_commit, "dirty": report.dirty},
        "verdict": report.outcome.value,
        "jobs": jobs,
        "recompute": list(_recompute(report)),
        "keep": list(_keep(report)),
        "stale_jobs": list(report.stale_jobs),
        "command": report.command,
        "notes": list(report.notes),
        "counts": dict(report.counts),
        "seconds": round(report.seconds, 3),
    }


def _job(job: outcomes.JobOutcome) -> dict[str, Any]:
    return {
        "job": job.name,
        "p": job.p or None,
        "q": job.q or None,
        "verdict": job.outcome.value,
        "why": job.why,
        "compared": job.compared,
        "remembered": job.remembered,
        "seconds": round(job.seconds, 3),
        "place": None if job.place is None else asdict(job.place),
        "edits": [dict(edit) for edit in job.edits],
        "sinks": [_sink(sink) for sink in job.sinks],
    }


def _sink(sink: outcomes.SinkOutcome) -> dict[str, Any]:
    told: Mapping[str, Any] = sink.report or NOTHING
    return {
        "sink": sink.name,
        "target": sink.target or None,
        "verdict": sink.outcome.value,
        **{name: told[name] for name in TAKEN},
        "with_jobs": list(sink.with_jobs),
        "recompute": None if sink.recompute is None else _again(sink.recompute),
        "spared": list(sink.spared),
    }


def _again(again: outcomes.Recompute) -> dict[str, Any]:
    return {"cause": again.cause.value, "reads": list(again.reads)}


def _recompute(report: outcomes.ProjectReport) -> Iterator[dict[str, Any]]:
    for job in report.jobs:
        for sink in job.sinks:
            if sink.recompute is not None:
                yield {**_named(job, sink), **_again(sink.recompute)}


def _keep(report: outcomes.ProjectReport) -> Iterator[dict[str, Any]]:
    """Sinks that were looked at and need not be computed again."""
    for job in report.jobs:
        for sink in job.sinks:
            if sink.recompute is None and sink.outcome is not outcomes.Outcome.REMOVED:
                yield {
                    **_named(job, sink),
                    "verdict": sink.outcome.value,
                    "spared": list(sink.spared),
                }


def _named(job: outcomes.JobOutcome, sink: outcomes.SinkOutcome) -> dict[str, Any]:
    return {"job": job.name, "sink": sink.name, "target": sink.target or None}


CAUSES = {
    outcomes.Cause.CHANGED.value: "its result changed",
    outcomes.Cause.UNKNOWN.value: "it is not known whether its result changed",
    outcomes.Cause.NEW.value: "it is new",
    outcomes.Cause.NOT_CERTAIN.value: "it is equivalent, but under an assumption or with a note that may not hold",
    outcomes.Cause.UPSTREAM.value: "it reads a result that must be computed again",
    outcomes.Cause.TOGETHER.value: "its job must run again, and may give other rows in each run",
    outcomes.Cause.STORAGE.value: "its rows are the same, but must be stored in another way",
}


def cause_text(again: Mapping[str, Any]) -> str:
    """Why a sink must be computed again, in words."""
    text = CAUSES[again["cause"]]
    return f"{text}: {', '.join(again['reads'])}" if again["reads"] else text


def looked_at(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The jobs that a report shows: all except those that are simply unchanged."""
    return [
        job
        for job in report["jobs"]
        if job["verdict"] != outcomes.Outcome.UNCHANGED.value or job["why"]
    ]


def summary(report: Mapping[str, Any]) -> str:
    """One line: how many jobs have which verdict, and how much must run again."""
    verdicts = [job["verdict"] for job in report["jobs"]]
    counted = [
        f"{verdicts.count(o.value)} {o.value}" for o in outcomes.Outcome if o.value in verdicts
    ]
    again, kept = len(report["stale_jobs"]), len(report["jobs"])
    jobs = f"{kept} job{'' if kept == 1 else 's'}"
    told = f"{jobs}: {', '.join(counted)}" if counted else "no jobs"
    return f"{told}; {again} must run again" if again else f"{told}; nothing must run again"


def stale_list(report: Mapping[str, Any]) -> str:
    """The jobs that must run again, as a JSON list for schedulers."""
    return json_text(report["stale_jobs"], indent=None) + "\n"


def worst_verdict(report: Mapping[str, Any]) -> str:
    """The worst verdict of all jobs."""
    return f"{report['verdict']}\n"
