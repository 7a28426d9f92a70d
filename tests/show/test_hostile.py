"""Names and values that hold anything: every format stays well-formed and shows them as escapes."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from typing import Any

import pytest

from veer.assumptions import StatedAssumption
from veer.caveats import GeneratedName
from veer.reasons import Message
from veer.show import formats
from veer.show.as_json import report_json
from veer.verdict import (
    EditReport,
    Report,
    SinkReport,
    SourceLocation,
    TableSemantics,
    Verdict,
    Witness,
    WitnessKind,
)
from veer.visible import json_text, shown_value, visible

HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "a\x00b",
    "\x9b31m",
    "\u202ereversed\u2066",
    "half \ud800",
    "line\nbreak\r\t",
    "]]></failure><x>&amp;",
    "<script>alert(1)</script>",
    "[bold]x[/] [/nothing] :smile:",
    "quote ' \" \\",
    "\ufffe\uffff\x7f\u2028",
    "ends in \\",
]
FORMATS = ("text", "json", "html", "junit", "sarif")


def hostile_report(text: str) -> Report:
    tables = {text: {"columns": [text, "b"], "rows": [[text, None], ["", " a "]]}}
    witness = Witness(
        WitnessKind.ROWS, tables, ((text, None),), (("null", ""),), columns=(text, "c, d")
    )
    wrong = SinkReport(
        text,
        text,
        Verdict.INEQUIVALENT,
        Message(text),
        (StatedAssumption(text),),
        (GeneratedName(text),),
        witness=witness,
    )
    unknown = SinkReport("", text, Verdict.UNKNOWN, Message(text))
    edit = EditReport("modify operator", text, text, 3, text)
    place = SourceLocation(text, 7)
    sinks = (wrong, unknown)
    return Report(text, text, TableSemantics.BAG, (edit,), sinks, place=place)


def rendered(report: Report, format_: str) -> str:
    data = report_json(report)
    return formats.get(format_).render(data)


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("text", HOSTILE)
def test_every_format_holds_printable_characters_only(text: str, format_: str) -> None:
    found = rendered(hostile_report(text), format_)
    found.encode("utf-8")
    assert all(c.isprintable() or c == "\n" for c in found), repr(found)


@pytest.mark.parametrize("text", HOSTILE)
def test_json_reads_back_as_it_was(text: str) -> None:
    report = json.loads(rendered(hostile_report(text), "json"))
    assert report["p"] == text
    assert report["sinks"][0]["witness"]["tables"][text]["rows"][0] == [text, None]


@pytest.mark.parametrize("text", HOSTILE)
def test_junit_is_xml_and_shows_the_witness(text: str) -> None:
    suite = ElementTree.fromstring(rendered(hostile_report(text), "junit").encode())
    assert [case.get("name") for case in suite] == [visible(text)] * 2
    failure, skipped = suite.find(".//failure"), suite.find(".//skipped")
    assert failure is not None and failure.get("message") == visible(text)
    assert "result before" in (failure.text or "") and "'null'" in (failure.text or "")
    assert skipped is not None and not list(failure)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


@pytest.mark.parametrize("text", HOSTILE)
def test_html_has_no_tags_but_its_own(text: str) -> None:
    parser, harmless = _Tags(), _Tags()
    parser.feed(rendered(hostile_report(text), "html"))
    harmless.feed(rendered(hostile_report("text"), "html"))
    assert parser.tags == harmless.tags
    assert {"c, d", "''", "' a '", "'null'", "null"} <= set(parser.cells)


@pytest.mark.parametrize("text", HOSTILE)
def test_sarif_names_files_as_uris(text: str) -> None:
    report = json.loads(rendered(hostile_report(text), "sarif"))
    (run,) = report["runs"]
    for result in run["results"]:
        for place in (*result["locations"], *result.get("relatedLocations", ())):
            uri = place["physicalLocation"]["artifactLocation"]["uri"]
            assert uri.isascii() and uri.isprintable() and " " not in uri
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        ("null", "'null'"),
        ("", "''"),
        (" a", "' a'"),
        ("a", "a"),
        (True, "true"),
        ("true", "'true'"),
        (1, "1"),
        ("it's", r"'it\'s'"),
        ("\x1b", r"'\x1b'"),
        ("\\x1b", r"'\\x1b'"),
        ([None, "null", ["a"]], "[null, 'null', [a]]"),
        ("[a]", "'[a]'"),
        ("a\xa0", r"'a\xa0'"),
    ],
)
def test_values_cannot_be_taken_for_others(value: Any, shown: str) -> None:
    assert shown_value(value) == shown


def test_json_text_is_the_same_data() -> None:
    data = {"k\x9b": ["\ud83d\ude00", "😀", "\u202e", 1.5, None]}
    assert json.loads(json_text(data)) == json.loads(json.dumps(data))
    with pytest.raises(ValueError, match="JSON compliant"):
        json_text(float("nan"))
