"""The report as JUnit XML, which CI systems show as test results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from veer.show.as_text import message
from veer.visible import visible

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'


def junit(report: dict[str, Any]) -> str:
    """A test case per sink: inequivalent fails and shows the witness, unknown is skipped."""
    sinks = report["sinks"]
    cases = [
        case_element(report["q"], s["p"] or s["q"], s["verdict"], s["reason"], message(s))
        for s in sinks
    ]
    suite = suite_lines("veer", [s["verdict"] for s in sinks], report["seconds"], cases)
    return "\n".join([DECLARATION, *suite, ""])


def suite_lines(
    name: str, verdicts: Sequence[str], seconds: float, cases: Sequence[str]
) -> list[str]:
    """The lines of a suite: what differs fails, what is unknown is skipped."""
    failures = sum(verdict in ("inequivalent", "changed") for verdict in verdicts)
    head = (
        f'<testsuite name={_attribute(name)} tests="{len(verdicts)}" failures="{failures}" '
        f'skipped="{verdicts.count("unknown")}" errors="0" time="{seconds}">'
    )
    return [head, *(f"  {case}" for case in cases), "</testsuite>"]


def case_element(suite: str, name: str, verdict: str, reason: str, text: str) -> str:
    """The case of a sink; `text` is shown where it fails or is skipped."""
    inside, why, shown = "", _attribute(reason or ""), escape(text)
    if verdict in ("inequivalent", "changed"):
        inside = f'<failure message={why} type="{verdict}">{shown}</failure>'
    elif verdict == "unknown":
        inside = f"<skipped message={why}>{shown}</skipped>"
    return f"<testcase classname={_attribute(suite)} name={_attribute(name)}>{inside}</testcase>"


def _attribute(text: str) -> str:
    """A text as the value of an attribute."""
    return quoteattr(visible(text))
