"""Folders of job pairs: `old.py`, `new.py` with the line `# expect: VERDICT`, and `schema.sql`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def folders(jobs: Path, only: str = "") -> list[Path]:
    """The pairs of a folder; with `only`, those of these names, separated by commas."""
    every = sorted(p for p in jobs.iterdir() if (p / "new.py").is_file())
    return [folder for folder in every if not only or folder.name in only.split(",")]


def expected(folder: Path) -> str:
    """The verdict a pair should get."""
    lines = (folder / "new.py").read_text(encoding="utf-8").splitlines()
    return next(x for x in lines if x.startswith("# expect:")).partition(":")[2].strip()


def verified(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """What `veer verify` says of a pair, as JSON, in a new process."""
    words = ("verify", "old.py:build", "new.py:build", "--schema", "schema.sql", "--format", "json")
    return command(*words, *options, folder=folder)


def command(*words: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """What the command says, in a new process."""
    return subprocess.run(
        [sys.executable, "-m", "veer", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
