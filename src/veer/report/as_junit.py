"""The report as JUnit XML, which CI systems show as test results."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape, quoteattr

from veer.report.as_text import message
from veer.visible import visible


def junit(report: dict[str, Any]) -> str:
    """A test case per sink: inequivalent fails and shows the witness, unknown is skipped."""
    cases = []
    for sink in report["sinks"]:
        inside, shown = "", escape(message(sink))
        if sink["verdict"] == "inequivalent":
            reason = attribute(sink["reason"])
            inside = f'<failure message={reason} type="inequivalent">{shown}</failure>'
        elif sink["verdict"] == "unknown":
            inside = f"<skipped message={attribute(sink['reason'])}>{shown}</skipped>"
        name = attribute(sink["p"] or sink["q"])
        cases.append(
            f"  <testcase classname={attribute(report['q'])} name={name}>{inside}</testcase>"
        )
    verdicts = [s["verdict"] for s in report["sinks"]]
    head = (
        f'<testsuite name="veer" tests="{len(verdicts)}" '
        f'failures="{verdicts.count("inequivalent")}" skipped="{verdicts.count("unknown")}" '
        f'errors="0" time="{report["seconds"]}">'
    )
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>", ""])


def attribute(text: str) -> str:
    """Somebody's text as the value of an attribute."""
    return quoteattr(visible(text))
