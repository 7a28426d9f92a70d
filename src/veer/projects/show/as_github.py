"""The report on a project as workflow commands of GitHub Actions: annotations beside changed lines."""

from __future__ import annotations

from typing import Any

from veer.projects.show.as_json import summary
from veer.projects.show.as_sarif import sink_message, sites
from veer.visible import visible

COMMANDS = {"changed": "error", "unknown": "warning", "removed": "notice"}


def workflow_commands(report: dict[str, Any]) -> str:
    """A command per sink that needs a look, then the summary."""
    lines = [
        _command(job, sink)
        for job in report["jobs"]
        for sink in job["sinks"]
        if sink["verdict"] in COMMANDS
    ]
    return "\n".join([*lines, f"::notice title=veer::{_data(summary(report))}", ""])


def _command(job: dict[str, Any], sink: dict[str, Any]) -> str:
    properties = {"title": f"veer: {sink['verdict']}"}
    for file, line, _ in sites(job)[:1]:
        properties["file"] = file
        if line:
            properties["line"] = str(line)
    told = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{COMMANDS[sink['verdict']]} {told}::{_data(sink_message(job, sink))}"


def _data(text: str) -> str:
    """Text of a command: what would end it is written as GitHub wants it."""
    return visible(text, lines=True).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
