"""The output formats of a report: the one table of them.

Every format is a function from the JSON report (`docs/report-format.md`) to text; it is imported
when a report is rendered. `docs/adding-an-output-format.md` shows how to add one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, final

from veer.errors import UsageError


@final
@dataclass(frozen=True)
class Format:
    """An output format: what it is for, and `module:function` that renders it.

    One with `is_view` gets the JSON report with what the interactive view shows.
    """

    name: str
    purpose: str
    renderer: str
    is_view: bool = False

    def render(self, report: dict[str, Any]) -> str:
        """The JSON report in this format."""
        module, _, function = self.renderer.partition(":")
        text: str = getattr(import_module(module), function)(report)
        return text


FORMATS = (
    Format("text", "for people", "veer.show.as_text:plain_text"),
    Format("json", "for programs: everything there is", "veer.show.as_json:json_document"),
    Format("html", "an interactive page to keep or to send", "veer.show.as_html:page", True),
    Format("junit", "for CI systems: a test case per sink", "veer.show.as_junit:junit"),
    Format("sarif", "for code scanning: a finding per sink", "veer.show.as_sarif:sarif_text"),
)


def names() -> list[str]:
    """The names of all formats."""
    return [each.name for each in FORMATS]


def get(name: str, option: str = "format") -> Format:
    """The format of that name, or an error listing all of them; `option` is what it was given as."""
    return among(FORMATS, name, option)


def among(formats: Sequence[Format], name: str, option: str) -> Format:
    """The one of that name, or an error listing all of them."""
    for each in formats:
        if each.name == name:
            return each
    listed = ", ".join(each.name for each in formats)
    raise UsageError(f"{option} must be one of {listed}; got {name!r}")
