"""The README's example gives the output it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_the_ten_lines(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```console\n(.*?)```", text, re.DOTALL)
    assert found is not None
    parts = re.split(r"^\$ (.*)\n", found[1], flags=re.MULTILINE)[1:]
    commands = dict(zip(parts[::2], parts[1::2], strict=True))
    for name in ("old.sql", "new.sql"):
        (tmp_path / name).write_text(commands[f"cat {name}"])
    done = subprocess.run(
        [sys.executable, "-m", "veer", "verify", "old.sql", "new.sql"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "80", "NO_COLOR": "1"},
    )
    assert done.returncode == 0

    def lines(shown: str) -> list[str]:
        return [re.sub(r"\d\.\d+ s", "T", line.rstrip()) for line in shown.splitlines()]

    assert lines(done.stdout) == lines(commands["veer verify old.sql new.sql"])


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


def is_there(name: str) -> bool:
    inside = next((ROOT / "src" / "veer").rglob(name.rstrip("/")), None)
    return inside is not None or any((place / name).exists() for place in PLACES)
