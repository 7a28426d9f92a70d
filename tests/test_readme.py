"""The README's examples give the output it shows; links and places in the documentation exist."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.command import veer

ROOT = Path(__file__).parent.parent


def test_the_examples_of_the_readme(tmp_path: Path) -> None:
    """Each command shows what stands below it; `...` stands for lines left out."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
        for command, expected in zip(parts[::2], parts[1::2], strict=True):
            program, *words = shlex.split(command)
            match program:
                case "cat":
                    (tmp_path / words[0]).write_text(expected, encoding="utf-8")
                case "sed":
                    subprocess.run([program, *words], cwd=tmp_path, check=True)
                case _:
                    assert program == "veer"
                    shows(
                        veer(*words, cwd=tmp_path, columns="80", new_process=True).stdout, expected
                    )


def shows(output: str, expected: str) -> None:
    """Parts between `...` stand in the output, one after the other."""
    shown = "\n".join(line.rstrip() for line in output.splitlines())
    for part in expected.split("...\n"):
        assert part in shown
        shown = shown[shown.index(part) + len(part) :]


PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    ROOT / "benchmarks" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
)
PLACES = (ROOT, ROOT / "src", ROOT / "src" / "veer")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_in_the_documentation_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if not target.startswith("https://"):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_modules_the_documentation_names_are_there(page: Path) -> None:
    """`verification/search/sweep.py`, or its end, is a module of Veer, `tests/spark/` a folder of the repository."""
    text = page.read_text(encoding="utf-8")
    modules = re.findall(r"`((?:[\w-]+/)+[a-z0-9_]+\.py)`", text)
    folders = re.findall(r"`([\w-]+/[\w/-]+/)`", text)
    assert not [n for n in (*modules, *folders) if not is_there(n)]


def test_paths_in_the_table_of_changes_exist() -> None:
    """Each row of CONTRIBUTING's table names a folder or module, by its whole path."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("| I want to change | go to |\n")[2].partition("\n\n")[0]
    rows = table.splitlines()[1:]
    assert len(rows) >= 15
    without_path = [row for row in rows if not re.search(r"`[\w/]+(/|\.py)`|\]\(", row)]
    paths = re.findall(r"`(\w[\w/]*(?:/|\.py))`", table)
    gone = [p for p in paths if not any((place / p).exists() for place in PLACES)]
    assert not without_path and not gone


def is_there(name: str) -> bool:
    inside = next((ROOT / "src" / "veer").rglob(name.rstrip("/")), None)
    return inside is not None or any((place / name).exists() for place in PLACES)
