"""The report as SARIF, which code scanning shows beside the lines of a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from veer import __version__
from veer.show.as_text import message
from veer.visible import json_text, visible

ABOUT = {
    "inequivalent": "The new version gives other results; the message shows on which data.",
    "unknown": "It is not known whether the new version gives the same results.",
}


def sarif_text(report: dict[str, Any]) -> str:
    """The report as a SARIF file."""
    return json_text(sarif(report)) + "\n"


def sarif(report: dict[str, Any]) -> dict[str, Any]:
    """A result per sink that is not equivalent."""
    reported = [s for s in report["sinks"] if s["verdict"] != "equivalent"]
    return sarif_log(ABOUT, [_result(s, report) for s in reported])


def sarif_log(rules: Mapping[str, str], results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A SARIF log of one run; `rules` are the ids of results and what they mean."""
    driver = {
        "name": "veer",
        "version": __version__,
        "rules": [
            {"id": rule, "name": rule.capitalize(), "shortDescription": {"text": text}}
            for rule, text in rules.items()
        ],
    }
    return {
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": list(results),
            }
        ],
    }


def sarif_result(
    rule: str,
    rules: Mapping[str, str],
    level: str,
    text: str,
    places: Sequence[tuple[str, int, str]],
) -> dict[str, Any]:
    """A result of a rule at the first of some places; the others are related to it."""
    result: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": list(rules).index(rule),
        "level": level,
        "message": {"text": text},
    }
    located = [location(*place) for place in places]
    if located:
        result["locations"] = located[:1]
    if located[1:]:
        result["relatedLocations"] = [{"id": i, **p} for i, p in enumerate(located[1:], 1)]
    return result


def _result(sink: dict[str, Any], report: dict[str, Any]) -> dict[str, Any]:
    """A sink at the first edit whose line is known, else where its version stands."""
    text = f"sink {visible(sink['p'] or sink['q'])}: {message(sink)}"
    level = "error" if sink["verdict"] == "inequivalent" else "warning"
    return sarif_result(sink["verdict"], ABOUT, level, text, _places(report))


def _places(report: dict[str, Any]) -> list[tuple[str, int, str]]:
    """Where the new version was edited, and where it stands."""
    place = report["place"]
    if place is None:
        return []
    sites = []
    if place["line"]:  # a function: its operators name their files
        sites = [(place["root"] + e["file"], e["line"], "") for e in report["edits"] if e["file"]]
    return list(dict.fromkeys([*sites, (place["file"], place["line"], "")]))


def location(file: str, line: int, snippet: str = "") -> dict[str, Any]:
    """Where something stands, with the text there if it is known."""
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(file)}}
    if line:
        physical["region"] = {"startLine": line}
        if snippet:
            physical["region"]["snippet"] = {"text": visible(snippet)}
    return {"physicalLocation": physical}


def _uri(file: str) -> str:
    """A path as a URI; the bytes of a name that is no text stay what they are."""
    try:
        return quote(file, errors="surrogateescape")
    except UnicodeEncodeError:
        return quote(visible(file))
