"""The README's example gives the output it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

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

    def tidy(shown: str) -> list[str]:
        return [re.sub(r"\d\.\d+ s", "T", line.rstrip()) for line in shown.splitlines()]

    assert tidy(done.stdout) == tidy(commands["veer verify old.sql new.sql"])


def test_links_in_the_documentation_lead_somewhere() -> None:
    for document in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"
