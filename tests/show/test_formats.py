"""The table of output formats: each renders a report, and a wrong name lists them."""

from __future__ import annotations

import pytest

from veer.errors import UsageError
from veer.reasons import Message
from veer.show import formats
from veer.show.as_json import report_json
from veer.verdict import Report, SinkReport, TableSemantics, Verdict

SINK = SinkReport("r", "r", Verdict.UNKNOWN, Message("nobody knows"))
REPORT = report_json(Report("p", "q", TableSemantics.BAG, (), (SINK,)))


@pytest.mark.parametrize("format_", formats.FORMATS, ids=lambda f: f.name)
def test_every_format_renders(format_: formats.Format) -> None:
    assert formats.get(format_.name) is format_
    text = format_.render(REPORT)
    assert "nobody knows" in text and text.endswith("\n")


def test_names_are_unique() -> None:
    assert len(set(formats.names())) == len(formats.FORMATS)


def test_a_wrong_name_lists_the_formats() -> None:
    with pytest.raises(UsageError, match="format must be one of text, json, html, junit, sarif"):
        formats.get("pdf")
