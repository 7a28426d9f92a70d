"""The core without its plug-ins: a copy of the source that lacks their folders, in new processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.imports import SOURCE
from tools.layers import PLUGINS

ROOT = Path(__file__).parents[1]
# What is run here of the core's own suite; `make core` runs the whole of it.
SUITE = os.environ.get("VEER_CORE_SUITE", "interpreter").split()
JOB = "def build(spark):\n    return spark.table('t').filter('a > {}').select('a')\n"
TABLES = "CREATE TABLE t (a INT)"


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of packages of Veer without plug-ins."""
    packages = tmp_path_factory.mktemp("core")
    without = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SOURCE, packages / "veer", ignore=without)
    for plugin in PLUGINS:
        shutil.rmtree(packages / "veer" / plugin)
    return packages


def veer(core: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command, without the plug-ins."""
    return subprocess.run(
        [sys.executable, "-m", "veer", *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(core)},
    )


@pytest.mark.parametrize(("other", "status"), [("1", 0), ("2", 1)])
def test_the_core_verifies_queries_and_jobs(
    core: Path, tmp_path: Path, other: str, status: int
) -> None:
    for name, bound in (("p", "1"), ("q", other)):
        query = f"SELECT a FROM t WHERE NOT a <= {bound}"
        (tmp_path / f"{name}.sql").write_text(query, encoding="utf-8")
        (tmp_path / f"{name}.py").write_text(JOB.format(bound), encoding="utf-8")
    for p, q in (("p.sql", "q.sql"), ("p.py:build", "q.py:build"), ("p.sql", "q.py:build")):
        done = veer(core, "verify", p, q, "--schema", TABLES, "--jvm", "never", cwd=tmp_path)
        assert done.returncode == status, done.stdout + done.stderr


def test_the_commands_and_inputs_of_plugins_are_gone_alone(core: Path, tmp_path: Path) -> None:
    shown = veer(core, "--help", cwd=tmp_path).stdout
    assert "\n  verify " in shown and "\n  batch " in shown
    assert not {f"\n  {name} " for name in ("run", "ui", "check") if f"\n  {name} " in shown}
    done = veer(core, "check", cwd=tmp_path)
    assert done.returncode == 64 and "No such command 'check'" in done.stderr
    (tmp_path / "flow.ows").write_text("<scheme/>", encoding="utf-8")
    done = veer(core, "show", "flow.ows", cwd=tmp_path)
    assert done.returncode == 64 and "expected one of a PySpark function" in done.stderr


def test_the_suite_of_the_core_needs_no_plugin(core: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-m", "not spark and not slow"]
    done = subprocess.run(
        [*command, *(str(ROOT / "tests" / name) for name in SUITE)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(core)},
    )
    assert done.returncode == 0, done.stdout[-3000:]
