"""Large tables: declared types, keys and references, and results of the right size."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from benchmarks.support import scaled
from benchmarks.support.scaled import arrow_schema, bound, sources, write_tables
from benchmarks.support.sequences import functions
from benchmarks.workloads import WORKLOADS
from benchmarks.workloads.definitions import flows
from veer.interpreter import run_dataflow
from veer.ir.ops import Source
from veer.read.workflow.reader import build_workflow
from veer.refute.instances import constraints_hold

pq = pytest.importorskip("pyarrow.parquet")
ROWS = 3000


def read(folder: Path, table: str) -> list[tuple[Any, ...]]:
    columns = pq.read_table(folder / table).to_pydict().values()
    arrays = ([tuple(v) if isinstance(v, list) else v for v in column] for column in columns)
    return list(zip(*arrays, strict=True))


@pytest.mark.parametrize("name", [w.name for w in WORKLOADS])
def test_tables_are_as_declared(name: str, tmp_path: Path) -> None:
    write_tables(name, tmp_path, ROWS, seed=1)
    found = sources(name)
    for table, source in found.items():
        assert pq.read_table(tmp_path / table).schema == arrow_schema(source)
    tables = {table: read(tmp_path, table) for table in found}
    assert max(map(len, tables.values())) == ROWS
    assert constraints_hold(found, tables)

    dataflow = build_workflow(bound(flows()[f"{name.lower()}/v1.yaml"].data(), tmp_path))
    for rows in run_dataflow(dataflow, tables, functions(dataflow)).values():
        assert 0 < len(rows.rows) < ROWS / 2
    for operator in dataflow.operators.values():
        if isinstance(operator, Source):
            assert operator.format == "parquet"
            assert operator.location == f"{tmp_path}/{operator.table}"


def test_binding_leaves_the_workflow_as_it_is(tmp_path: Path) -> None:
    data = flows()["w3/v1.yaml"].data()
    before = deepcopy(data)
    tables = [
        spec["table"] for spec in bound(data, tmp_path)["operators"].values() if "table" in spec
    ]
    assert data == before
    assert tables.count("date_dim") == 2  # the one that has no table of its own included


def test_parts_together_keep_the_constraints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scaled, "PART", 700)
    for name in ("W1", "W5"):
        write_tables(name, tmp_path / name, ROWS, seed=2)
        found = sources(name)
        assert constraints_hold(found, {table: read(tmp_path / name, table) for table in found})
    assert len(list((tmp_path / "W1" / "catalog_sales").iterdir())) == 5


def test_the_same_seed_gives_the_same_rows(tmp_path: Path) -> None:
    for folder, seed in (("a", 1), ("b", 1), ("c", 2)):
        write_tables("W8", tmp_path / folder, 500, seed)
    one, same, other = (read(tmp_path / folder, "tweets") for folder in "abc")
    assert one == same != other
    texts = [row[2] for row in one if row[2] is not None]
    assert all(100 <= len(text) <= 200 for text in texts)
    assert 0.1 < sum("wildfire" in text.lower() for text in texts) / len(texts) < 0.4
