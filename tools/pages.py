"""The pages and pictures that are made from the code, and whether they are up to date."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks import catalog
from tools import api_reference, architecture, report_kinds, rewrites
from tools.imports import ROOT


def _benchmarks() -> str:
    return catalog.readme(catalog.README.read_text(encoding="utf-8"))


PAGES: dict[str, Callable[[], str]] = {
    "docs/architecture.md": architecture.page,
    "docs/architecture.svg": architecture.picture,
    "docs/api.md": api_reference.page,
    "docs/report-kinds.md": report_kinds.page,
    "docs/rewrites.md": rewrites.page,
    "benchmarks/README.md": _benchmarks,
}


def is_current(name: str, root: Path = ROOT) -> bool:
    """Whether a page is what its maker gives now."""
    path = root / name
    return path.is_file() and path.read_text(encoding="utf-8") == PAGES[name]()


def write(root: Path = ROOT) -> list[str]:
    """Write the pages that are not; gives their names."""
    stale = [name for name in PAGES if not is_current(name, root)]
    for name in stale:
        (root / name).write_text(PAGES[name](), encoding="utf-8")
    return stale
