"""The report on a project as SARIF: a finding per sink that changed, is unknown, or is gone."""

from __future__ import annotations

from typing import Any

from veer.show.as_sarif import sarif_log, sarif_result
from veer.show.as_text import message
from veer.visible import json_text, visible

ABOUT = {
    "changed": "The job gives other results than before; the message shows on which data.",
    "unknown": "It is not known whether the job gives the same results as before.",
    "removed": "A result that was there before is no longer computed.",
}
LEVELS = {"changed": "error", "unknown": "warning", "removed": "note"}


def sarif_text(report: dict[str, Any]) -> str:
    """The report as a SARIF file."""
    return json_text(sarif_log(ABOUT, findings(report))) + "\n"


def findings(report: dict[str, Any]) -> list[dict[str, Any]]:
    """A result per sink that needs a look."""
    return [
        _result(job, sink)
        for job in report["jobs"]
        for sink in job["sinks"]
        if sink["verdict"] in ABOUT
    ]


def sink_message(job: dict[str, Any], sink: dict[str, Any]) -> str:
    """What is to say of a sink, as lines of text."""
    name = visible(f"{job['job']}, {sink['target'] or sink['sink']}: {sink['verdict']}")
    ways = [f"- {visible(hint['text'])}" for hint in sink["hints"]]
    named = {**sink, "p": sink["sink"], "q": ""}
    told = [visible(job["why"]), message(named), *ways]
    return "\n".join([name, *filter(None, told)])


def _result(job: dict[str, Any], sink: dict[str, Any]) -> dict[str, Any]:
    verdict = sink["verdict"]
    text = sink_message(job, sink)
    result = sarif_result(verdict, ABOUT, LEVELS[verdict], text, sites(job))
    return {
        **result,
        "partialFingerprints": {"veerSink/v1": f"{job['job']}/{sink['sink']}/{verdict}"},
    }


def sites(job: dict[str, Any]) -> list[tuple[str, int, str]]:
    """Where a job was edited, with the text there, and where it stands."""
    place = job["place"]
    if place is None:
        return []
    edited = [
        (place["root"] + e["file"], e["line"], e.get("snippet", ""))
        for e in job["edits"]
        if e["file"] and e["line"]
    ]
    own = (place["file"], place["line"], "")
    return list(dict.fromkeys([*edited, own]))
