"""The machine formats: JUnit and SARIF, made from the JSON report."""

from __future__ import annotations

import json
from typing import Any
from xml.sax.saxutils import quoteattr

from veer.report.as_html import page


def render(report: dict[str, Any], format_: str) -> str:
    """The report in one of the machine formats."""
    match format_:
        case "json":
            return json.dumps(report, indent=2, ensure_ascii=False, default=str) + "\n"
        case "html":
            return page(report)
        case "junit":
            return junit(report)
        case "sarif":
            return json.dumps(sarif(report), indent=2) + "\n"
        case other:
            raise ValueError(other)


def junit(report: dict[str, Any]) -> str:
    """A test case per sink: inequivalent fails, unknown is skipped."""
    cases = []
    for sink in report["sinks"]:
        name = quoteattr(str(sink["p"] or sink["q"]))
        inside = ""
        if sink["verdict"] == "inequivalent":
            inside = f"<failure message={quoteattr(sink['reason'])}/>"
        elif sink["verdict"] == "unknown":
            inside = f"<skipped message={quoteattr(sink['reason'])}/>"
        cases.append(
            f"  <testcase classname={quoteattr(report['q'])} name={name}>{inside}</testcase>"
        )
    verdicts = [s["verdict"] for s in report["sinks"]]
    head = (
        f'<testsuite name="veer" tests="{len(verdicts)}" '
        f'failures="{verdicts.count("inequivalent")}" skipped="{verdicts.count("unknown")}" '
        f'time="{report["seconds"]}">'
    )
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>", ""])


def sarif(report: dict[str, Any]) -> dict[str, Any]:
    """A result per sink that is not equivalent."""
    results = [
        {
            "ruleId": s["verdict"],
            "level": "error" if s["verdict"] == "inequivalent" else "warning",
            "message": {"text": f"sink {s['p'] or s['q']}: {s['reason']}"},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": report["q"]}}}],
        }
        for s in report["sinks"]
        if s["verdict"] != "equivalent"
    ]
    rules = [{"id": v, "name": v} for v in ("inequivalent", "unknown")]
    driver = {"name": "veer", "rules": rules}
    return {
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def _notes(sink: dict[str, Any]) -> list[str]:
    return [f"assuming {a}" for a in sink["assumptions"]] + [f"note: {c}" for c in sink["caveats"]]
