"""KNIME workflows through the command line, in a process and a folder of their own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.command import veer as command
from tests.gui.knime.building import (
    CSV_READER,
    CSV_WRITER,
    ROW_FILTER,
    Flow,
    criteria,
    csv_reader,
    csv_writer,
)

EXAMPLE = Path(__file__).parents[3] / "examples" / "knime"


def workflow(*bounds: int) -> Flow:
    """Row Filter after Row Filter, each for numbers above a bound."""
    flow = Flow().add(1, CSV_READER, csv_reader("t.csv", {"a": "int", "b": "string"}))
    for place, bound in enumerate(bounds, 2):
        model = criteria(("a", "GT", "int", bound))
        flow.add(place, ROW_FILTER, model, place - 1, name="Row Filter")
    return flow.add(9, CSV_WRITER, csv_writer("out.csv"), len(bounds) + 1, ports=0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Versions of a workflow, as archives and as a folder."""
    workflow(1, 2).save(tmp_path / "p.knwf")
    workflow(2).save(tmp_path / "other.knwf")
    workflow(3).save(tmp_path / "third.knwf")
    for name, text in workflow(2, 1).files().items():
        path = tmp_path / "unpacked" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (tmp_path / "broken.knwf").write_bytes((tmp_path / "p.knwf").read_bytes()[:-50])
    return tmp_path


def test_versions_are_verified(folder: Path) -> None:
    for same in ("other.knwf", "unpacked"):
        equal = command("verify", "p.knwf", same, cwd=folder)
        assert equal.returncode == 0, equal.stdout + equal.stderr
    different = command("verify", "p.knwf", "third.knwf", cwd=folder)
    assert different.returncode == 1, different.stdout + different.stderr
    assert "witness" in different.stdout


def test_people_see_the_names_of_nodes(folder: Path) -> None:
    shown = command("show", "unpacked", cwd=folder)
    assert shown.returncode == 0, shown.stderr
    assert "Row Filter (#3)" in shown.stdout
    edits = command("diff", "p.knwf", "other.knwf", cwd=folder)
    assert "Row Filter (#3)" in edits.stdout


def test_broken_file_is_one_line(folder: Path) -> None:
    broken = command("verify", "p.knwf", "broken.knwf", cwd=folder)
    assert broken.returncode == 65
    assert "broken.knwf" in broken.stderr and broken.stderr.count("\n") == 1


def test_folder_at_a_revision(folder: Path) -> None:
    """What git has is read in the same way."""

    def git(*words: str) -> None:
        who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)

    git("init", "-q")
    git("add", "unpacked")
    git("commit", "-qm", "one")
    settings = folder / "unpacked" / "Row Filter (#2)" / "settings.xml"
    settings.write_text(settings.read_text().replace('value="2"', 'value="5"'))
    changed = command("verify", "--base", "HEAD", "unpacked", cwd=folder)
    assert changed.returncode == 1, changed.stdout + changed.stderr


def test_example() -> None:
    schema = ("--schema", "tables.ddl")
    proven = command("verify", "orders", "job.py:build", *schema, cwd=EXAMPLE)
    assert proven.returncode == 0, proven.stdout + proven.stderr
    refuted = command("verify", "orders", "job.py:mistaken", *schema, cwd=EXAMPLE)
    assert refuted.returncode == 1, refuted.stdout + refuted.stderr
    assert "witness" in refuted.stdout
