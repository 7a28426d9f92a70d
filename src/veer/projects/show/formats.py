"""The output formats of a report on a project: the one table of them."""

from __future__ import annotations

from veer.show.formats import Format, among

FORMATS = (
    Format("text", "for people", "veer.projects.show.as_text:plain_text"),
    Format("markdown", "a comment on a pull request", "veer.projects.show.as_markdown:markdown"),
    Format(
        "github", "annotations of GitHub Actions", "veer.projects.show.as_github:workflow_commands"
    ),
    Format("json", "for programs: everything there is", "veer.show.as_json:json_document"),
    Format("html", "a page to keep or to send", "veer.projects.show.as_html:page"),
    Format("junit", "for CI systems: a test case per sink", "veer.projects.show.as_junit:junit"),
    Format(
        "sarif", "for code scanning: a finding per sink", "veer.projects.show.as_sarif:sarif_text"
    ),
    Format("stale", "jobs to run again, as a JSON list", "veer.projects.show.as_json:stale_list"),
    Format("verdict", "the worst verdict, one word", "veer.projects.show.as_json:worst_verdict"),
)

VERSION = 1  # of the JSON report


def names() -> list[str]:
    """The names of all formats."""
    return [each.name for each in FORMATS]


def get(name: str, option: str = "format") -> Format:
    """The format of that name, or an error listing all of them; `option` is what it was given as."""
    return among(FORMATS, name, option)
