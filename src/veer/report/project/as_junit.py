"""The report on a project as JUnit XML: a test suite per job, a case per sink."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

from veer.report.as_junit import attribute
from veer.report.project.as_sarif import sink_message


def junit(report: dict[str, Any]) -> str:
    """What changed fails and shows the witness, what is unknown is skipped."""
    suites = [_suite(job) for job in report["jobs"]]
    head = f'<testsuites name="veer check" time="{report["seconds"]}">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *suites, "</testsuites>", ""])


def _suite(job: dict[str, Any]) -> str:
    sinks = job["sinks"] or [{"sink": "(all)", "target": None, "verdict": job["verdict"]}]
    cases = [_case(job, sink) for sink in sinks]
    verdicts = [sink["verdict"] for sink in sinks]
    head = (
        f'  <testsuite name={attribute(job["job"])} tests="{len(cases)}" '
        f'failures="{verdicts.count("changed")}" skipped="{verdicts.count("unknown")}" '
        f'errors="0" time="{job["seconds"]}">'
    )
    return "\n".join([head, *cases, "  </testsuite>"])


def _case(job: dict[str, Any], sink: dict[str, Any]) -> str:
    inside, verdict = "", sink["verdict"]
    if verdict == "changed":
        shown = escape(sink_message(job, sink))
        inside = f'<failure message={attribute(sink["reason"])} type="changed">{shown}</failure>'
    elif verdict == "unknown":
        shown = escape(sink_message(job, sink))
        why = attribute(sink["reason"] or job["why"])
        inside = f"<skipped message={why}>{shown}</skipped>"
    name = attribute(sink["target"] or sink["sink"])
    return f"    <testcase classname={attribute(job['job'])} name={name}>{inside}</testcase>"
