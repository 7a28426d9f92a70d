"""`python -m benchmarks`: every runner is listed, documented, and there."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.catalog import README, RUNNERS, readme

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks" / "runners"


def test_every_runner_is_a_module_with_main() -> None:
    modules = {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}
    assert modules == {runner.name for runner in RUNNERS}


@pytest.mark.parametrize("name", [runner.name for runner in RUNNERS])
def test_runners_take_arguments(name: str) -> None:
    assert callable(import_module(f"benchmarks.runners.{name}").main)


def test_helpers_import_no_runner() -> None:
    for path in (ROOT / "benchmarks").rglob("*.py"):
        if path.parent != FOLDER and path.name != "__main__.py":
            assert "benchmarks.runners" not in path.read_text(encoding="utf-8"), path


def test_the_readme_has_the_table() -> None:
    text = README.read_text(encoding="utf-8")
    assert readme(text) == text, "python -m tools pages writes it"


def test_without_a_name_all_are_listed() -> None:
    done = _run()
    assert done.returncode == 0
    assert all(f"  {runner.name} " in done.stdout for runner in RUNNERS)


def test_an_unknown_name_is_wrong_usage() -> None:
    done = _run("provign")
    assert done.returncode == 64
    assert "no benchmark is called 'provign'" in done.stderr


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
