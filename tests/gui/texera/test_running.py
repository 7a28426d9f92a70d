"""Workflows of other systems run on Spark: what is declared is read, what nobody knows is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pyarrow import parquet

from tests.command import veer as command
from tests.gui.texera.texera_files import scan, where, workflow

pytestmark = pytest.mark.spark
EXAMPLE = Path(__file__).parents[3] / "examples" / "texera"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "copied")
    (tmp_path / "copied" / "data").mkdir()
    (tmp_path / "copied" / "data" / "orders.csv").write_text(
        "number,customer,region,total\n1,7,west,2.5\n2,,east,1.5\n3,7,north,9.0\n"
    )
    (tmp_path / "copied" / "data" / "customers.csv").write_text("id,country\n7,it\n,none\n")
    return tmp_path / "copied"


def test_a_workflow_runs_with_declared_tables(folder: Path) -> None:
    words = ("run", "orders.json", "--schema", "tables.ddl", "--data", "data", "--store", "kept")
    done = command(*words, "--out", "out", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    (written,) = (folder / "out").iterdir()
    table = parquet.read_table(written)
    rows = sorted(tuple(row.values()) for row in table.to_pylist())
    assert rows == [("it", 1, 2.5), ("none", 1, 1.5)]  # a null has a partner


def test_columns_that_are_not_told_are_refused(folder: Path) -> None:
    (folder / "some.json").write_text(
        workflow(scan("data/orders.csv"), where("f", ("region", "is null", "")))
    )
    done = command("run", "some.json", "--data", ".", "--store", "kept", cwd=folder)
    assert done.returncode == 65, done.stdout + done.stderr
    assert "declare them with --schema" in done.stderr
