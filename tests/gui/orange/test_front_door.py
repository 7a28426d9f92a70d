"""Files of Orange through the command line, in a process and a folder of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import veer as command
from tests.gui.orange.ows_files import context, node, ows, recent_path

COLUMNS = {"x": 2, "c": 1}
SCHEMA = "CREATE TABLE a (x INT, c STRING)"


def workflow(*thresholds: float) -> bytes:
    """Select Rows after Select Rows, each for numbers above a threshold."""
    file = node("File", {"recent_paths": [recent_path("a.csv", "basedir")], "source": 0})
    widgets = [file]
    for place, threshold in enumerate(thresholds):
        saved = context({"conditions": [("x", 2, 4, [threshold])], "__version__": 2}, COLUMNS)
        settings = {"context_settings": [saved], "__version__": 2}
        widgets.append(node(f"Above {place}", settings, "Select Rows"))
    widgets.append(node("Result", {}, "Data Table"))
    channels = ["Data"] + ["Matching Data"] * len(thresholds)
    links = [
        (one[0], channel, two[0], "Data")
        for one, two, channel in zip(widgets, widgets[1:], channels, strict=False)
    ]
    return ows(widgets, links)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Versions of a workflow."""
    (tmp_path / "p.ows").write_bytes(workflow(1.0, 2.0))
    (tmp_path / "same.ows").write_bytes(workflow(2.0))
    (tmp_path / "other.ows").write_bytes(workflow(3.0))
    (tmp_path / "broken.ows").write_bytes(workflow(3.0)[:-50])
    (tmp_path / "a.ddl").write_text(SCHEMA, "utf-8")
    return tmp_path


def test_versions_are_verified(folder: Path) -> None:
    for schema in ((), ("--schema", "a.ddl")):
        same = command("verify", "p.ows", "same.ows", *schema, cwd=folder)
        assert same.returncode == 0, same.stdout + same.stderr
        other = command("verify", "p.ows", "other.ows", *schema, cwd=folder)
        assert other.returncode == 1, other.stdout + other.stderr
        assert "witness" in other.stdout


def test_people_see_the_titles_of_widgets(folder: Path) -> None:
    shown = command("show", "p.ows", cwd=folder)
    assert shown.returncode == 0, shown.stderr
    assert "Above 1" in shown.stdout
    edits = command("diff", "p.ows", "same.ows", cwd=folder)
    assert "Above 1" in edits.stdout


def test_broken_files_are_refused_in_one_line(folder: Path) -> None:
    done = command("verify", "p.ows", "broken.ows", cwd=folder)
    assert done.returncode == 65
    assert "broken.ows" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
