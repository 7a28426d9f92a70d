"""HTML, JUnit and SARIF, made from the JSON report."""

from __future__ import annotations

import json
from html import escape
from typing import Any
from xml.sax.saxutils import quoteattr

COLORS = {"equivalent": "#1a7f37", "inequivalent": "#cf222e", "unknown": "#9a6700"}


def render(report: dict[str, Any], format_: str) -> str:
    """The report in one of the machine formats."""
    match format_:
        case "json":
            return json.dumps(report, indent=2, ensure_ascii=False, default=str) + "\n"
        case "html":
            return html(report)
        case "junit":
            return junit(report)
        case "sarif":
            return json.dumps(sarif(report), indent=2) + "\n"
        case other:
            raise ValueError(other)


def html(report: dict[str, Any]) -> str:
    """A page on its own."""
    rows = "".join(
        f"<tr><td>{escape(s['p'] or s['q'])}</td>"
        f"<td style='color:{COLORS[s['verdict']]}'><b>{s['verdict']}</b></td>"
        f"<td>{'<br>'.join(map(escape, [s['reason'], *_notes(s)]))}</td></tr>"
        for s in report["sinks"]
    )
    edits = "".join(
        f"<li><b>{escape(e['operator'])}</b> {escape(e['kind'])}: <code>{escape(e['detail'])}</code></li>"
        for e in report["edits"]
    )
    title = f"{escape(report['p'])} → {escape(report['q'])}"
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        f"<title>Veer: {title}</title><style>body{{font:16px/1.5 system-ui;max-width:60rem;"
        "margin:2rem auto;padding:0 1rem}td{padding:.2rem 1rem .2rem 0;vertical-align:top}"
        f"</style></head><body><h1>{title}</h1>"
        f"<p style='color:{COLORS[report['verdict']]}'><b>{report['verdict']}</b> under "
        f"{report['semantics']} semantics</p><h2>Sinks</h2><table>{rows}</table>"
        f"<h2>Edits</h2><ul>{edits or '<li>none</li>'}</ul></body></html>\n"
    )


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
