"""Scripts that people run: what they show and the status they end with."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PASSING = 'echo "...."; echo "4 passed in 1.00s"; exit 0'
FAILING = (
    'echo "..F"; echo "FAILED tests/a.py::test_b - why"; echo "1 failed, 2 passed in 1.00s"; exit 1'
)


def _groups(tmp_path: Path, plain: str, others: str) -> subprocess.CompletedProcess[str]:
    """`scripts/test-groups` with something else in place of pytest."""
    fake = tmp_path / "python"
    fake.write_text(
        f'#!/usr/bin/env bash\ncase "$*" in *"not spark"*) {plain};; *) {others};; esac\n'
    )
    fake.chmod(0o755)
    return subprocess.run(
        [ROOT / "scripts" / "test-groups", fake], capture_output=True, text=True, check=False
    )


def test_groups_end_with_a_summary(tmp_path: Path) -> None:
    done = _groups(tmp_path, PASSING, PASSING)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[-1] == "all tests passed"
    assert [line.split()[0] for line in lines[-5:-1]] == ["group", "spark", "plain", "running"]
    assert all("4 passed" in line for line in lines[-4:-1])


@pytest.mark.parametrize(
    ("plain", "others", "failed"), [(FAILING, PASSING, 1), (PASSING, FAILING, 2)]
)
def test_what_failed_stands_last(tmp_path: Path, plain: str, others: str, failed: int) -> None:
    done = _groups(tmp_path, plain, others)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[-1] == "some tests failed: listed above"
    assert lines[-1 - failed : -1] == ["FAILED tests/a.py::test_b - why"] * failed
