"""The built view is what its source gives, its types fit, and its own tests pass."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

UI = Path(__file__).parents[2] / "ui"
BUILT = UI.parent / "src" / "veer" / "show" / "page" / "built"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("npm") is None, reason="node is not installed"),
]


def npm(*args: str, folder: Path = UI) -> subprocess.CompletedProcess[str]:
    command = ["npm", *args]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    """What the lock file has, and nothing else."""
    if not (UI / "node_modules" / ".package-lock.json").exists():
        done = npm("ci")
        assert done.returncode == 0, done.stderr


def test_bundle_is_what_its_source_gives() -> None:
    done = npm("run", "check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_tests_of_the_view() -> None:
    done = npm("test")
    assert done.returncode == 0, done.stdout + done.stderr


def test_another_bundle_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "ui"
    shutil.copytree(UI, folder, ignore=shutil.ignore_patterns("node_modules"))
    (folder / "node_modules").symlink_to(UI / "node_modules")
    built = tmp_path / "src" / "veer" / "show" / "page" / "built"
    shutil.copytree(BUILT, built)
    assert npm("run", "check", folder=folder).returncode == 0
    words = folder / "src" / "words.ts"
    words.write_text(words.read_text().replace("equal by proof", "proven"))
    done = npm("run", "check", folder=folder)
    assert done.returncode != 0 and "view.js" in done.stderr


def test_bundle_evaluates_no_text_and_asks_nobody() -> None:
    for name in ("view.js", "elk.js"):
        text = (BUILT / name).read_text(encoding="utf-8")
        assert "eval(" not in text and "new Function" not in text
    assert "EPL-2.0" in (BUILT / "LICENSES.txt").read_text(encoding="utf-8")
