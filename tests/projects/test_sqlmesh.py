"""`veer check --sqlmesh` on models that SQLMesh renders."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.command import ROOT, veer
from tests.projects.repositories import again, check, commit, edit, git, verdicts

HERE = Path(__file__).parent / "sqlmesh" / "shop"
PYTHON = ROOT / ".venv-sqlmesh" / "bin" / "python"
pytestmark = pytest.mark.slow
ASKED = ("--sqlmesh", "etl", "--sqlmesh-python", str(PYTHON))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    assert PYTHON.exists(), "make .venv-sqlmesh/.ready"
    shutil.copytree(HERE, tmp_path / "etl")
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "user.email", "somebody@example.com")
    git(tmp_path, "config", "user.name", "somebody")
    commit(tmp_path, "first")
    return tmp_path


def test_an_equivalent_model_stops_the_wave(project: Path) -> None:
    edit(
        project, "etl/models/orders.sql", "total > @VAR('least', 10)", "COALESCE(total > 10, FALSE)"
    )
    report = check(project, *ASKED, status=0)
    assert verdicts(report) == {
        "shop.daily": "unchanged",
        "shop.names": "unchanged",
        "shop.orders": "equivalent",
        "shop.spent": "unchanged",
    }
    assert not again(report)
    assert (
        not git(project, "status", "--porcelain", "--ignored")
        .replace("M etl/models/orders.sql", "")
        .strip()
    )


def test_a_change_and_what_does_not_read_it(project: Path) -> None:
    edit(project, "etl/models/orders.sql", "YEAR(day)", "MONTH(day)")
    edit(project, "etl/models/daily.sql", "COUNT(*)", "COUNT(id)")
    report = check(project, *ASKED, status=1)
    assert verdicts(report)["shop.orders"] == "changed"
    (daily,) = (j for j in report["jobs"] if j["job"] == "shop.daily")
    assert daily["verdict"] == "unknown" and "INCREMENTAL_BY_TIME_RANGE" in daily["why"]
    assert again(report) == {"memory.shop.orders", "memory.shop.daily"}


def test_a_project_that_does_not_render(project: Path) -> None:
    (project / "etl" / "models" / "orders.sql").write_text("MODEL (name shop.orders); SELEC 1")
    done = veer("check", "--base", "HEAD", *ASKED, cwd=project)
    assert done.returncode == 65 and "SQLMesh" in done.stderr


def test_another_python(project: Path) -> None:
    done = veer(
        "check", "--base", "HEAD", "--sqlmesh", "etl", "--sqlmesh-python", "/none", cwd=project
    )
    assert done.returncode == 65 and "SQLMesh cannot be run" in done.stderr
