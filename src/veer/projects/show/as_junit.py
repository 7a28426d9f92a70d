"""The report on a project as JUnit XML: a test suite per job, a case per sink."""

from __future__ import annotations

from typing import Any

from veer.projects.show.as_sarif import sink_message
from veer.show.as_junit import DECLARATION, case_element, suite_lines


def junit(report: dict[str, Any]) -> str:
    """What changed fails and shows the witness, what is unknown is skipped."""
    suites = [f"  {line}" for job in report["jobs"] for line in _suite(job)]
    head = f'<testsuites name="veer check" time="{report["seconds"]}">'
    return "\n".join([DECLARATION, head, *suites, "</testsuites>", ""])


def _suite(job: dict[str, Any]) -> list[str]:
    sinks = job["sinks"] or [{"sink": "(all)", "target": None, "verdict": job["verdict"]}]
    verdicts = [sink["verdict"] for sink in sinks]
    return suite_lines(job["job"], verdicts, job["seconds"], [_case(job, s) for s in sinks])


def _case(job: dict[str, Any], sink: dict[str, Any]) -> str:
    verdict, reason, text = sink["verdict"], "", ""
    if verdict in ("changed", "unknown"):
        text = sink_message(job, sink)
        reason = sink["reason"] or (job["why"] if verdict == "unknown" else "")
    return case_element(job["job"], sink["target"] or sink["sink"], verdict, reason, text)
