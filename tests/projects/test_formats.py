"""The formats of `veer check`: valid, small enough, and deaf to what names and values say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.command import veer
from tests.projects.repositories import check, edit, repository
from veer.projects.show import formats
from veer.projects.show.as_markdown import MOST_BYTES, markdown

HOSTILE = "a`b|c<script>alert(1)</script>@everyone #1 **x** ::error::\x1b[31m\n%0A\"'&"


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A report with everything in it: changed, equivalent, unknown, new, removed."""
    folder = repository(tmp_path_factory.mktemp("formats") / "project")
    edit(folder, "common/cleaning.py", "> 10", "> 11")
    edit(folder, "sql/countries.sql", "IS NOT NULL", "<> ''")
    edit(folder, "jobs/report.py", '"name", "total"', '"name", spent.total')
    (folder / "sql" / "new.sql").write_text("CREATE TABLE n AS SELECT id FROM raw_orders")
    return check(folder)


def hostile(report: dict[str, Any]) -> dict[str, Any]:
    """The same report, every text of somebody else's a hostile one."""

    def changed(data: Any, key: str = "") -> Any:
        if isinstance(data, dict):
            return {k: changed(v, k) for k, v in data.items()}
        if isinstance(data, list):
            return [changed(v, key) for v in data]
        kept = ("verdict", "cause", "kind", "commit", "ev")
        return HOSTILE if isinstance(data, str) and data and key not in kept else data

    data = changed(report)
    assert isinstance(data, dict)
    return data


def rendered(report: dict[str, Any], name: str) -> str:
    return formats.get(name).render(report)


def test_sarif_is_valid_and_points_at_the_changed_line(reported: dict[str, Any]) -> None:
    from sarif_pydantic import Sarif

    text = rendered(reported, "sarif")
    Sarif.model_validate_json(text)
    results = json.loads(text)["runs"][0]["results"]
    changed = [r for r in results if r["ruleId"] == "changed" and "orders" in r["message"]["text"]]
    physical = changed[0]["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "common/cleaning.py"
    assert physical["region"]["startLine"] == 6
    assert 'F.col("total") > 11' in physical["region"]["snippet"]["text"]
    Sarif.model_validate_json(rendered(hostile(reported), "sarif"))


def test_junit_is_xml(reported: dict[str, Any]) -> None:
    for report in (reported, hostile(reported)):
        suites = ElementTree.fromstring(rendered(report, "junit"))
        assert sum(int(s.get("failures", "0")) for s in suites) >= 1


def test_html_holds_no_markup_of_others(reported: dict[str, Any]) -> None:
    page = rendered(hostile(reported), "html")
    assert "<script" not in page and "default-src 'none'" in page


def test_annotations_are_one_line_each(reported: dict[str, Any]) -> None:
    for report in (reported, hostile(reported)):
        lines = rendered(report, "github").splitlines()
        assert all(re.match(r"::(error|warning|notice) ", line) for line in lines)
        assert "\x1b" not in "".join(lines)


def test_markdown_is_deaf(reported: dict[str, Any]) -> None:
    text = rendered(hostile(reported), "markdown")
    outside = re.sub(
        r"(`+)[^`].*?[^`]?\1(?!`)", "", re.sub(r"(`{3,})text\n.*?\n\1", "", text, flags=re.DOTALL)
    )
    assert "<script" not in outside and "@everyone" not in outside and "**x**" not in outside
    for line in text.splitlines():
        if line.startswith("| ") and line.endswith(" |"):
            assert len(re.findall(r"(?<!\\)\|", line)) == 5


def test_markdown_stays_small(reported: dict[str, Any]) -> None:
    many = {**reported, "jobs": reported["jobs"] * 300, "recompute": reported["recompute"] * 300}
    text = markdown(many)
    assert len(text.encode()) <= MOST_BYTES
    assert "did not fit" in text and "Veer read none of your data" in text


def test_a_report_is_rendered_again(reported: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text(json.dumps(reported))
    done = veer("render", str(file), "--format", "stale")
    assert json.loads(done.stdout) == reported["stale_jobs"]
    assert veer("render", str(file), "--format", "verdict").stdout == "changed\n"
    assert "must be computed again" in veer("render", str(file)).stdout
    for text in ("{}", "[]", '{"veer_check": 1}', "no JSON"):
        file.write_text(text)
        assert veer("render", str(file), "--format", "markdown").returncode == 65
