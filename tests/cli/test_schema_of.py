"""`veer schema-of`, and schemas of Spark in JSON for `--schema`."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from tests.cli.test_cli import veer

ITEMS = {
    "type": "struct",
    "fields": [
        {"name": "k", "type": "integer", "nullable": False, "metadata": {}},
        {
            "name": "odd name",
            "type": {"type": "array", "elementType": "string", "containsNull": True},
            "nullable": True,
            "metadata": {},
        },
    ],
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    orders = pyarrow.table(
        {
            "id": pyarrow.array([1], pyarrow.int32()),
            "amount": pyarrow.array([Decimal("1.50")], pyarrow.decimal128(10, 2)),
            "at": pyarrow.array([datetime(2024, 1, 1)], pyarrow.timestamp("us", tz="UTC")),
        }
    )
    folder = tmp_path / "warehouse" / "orders"
    (folder / "day=2024-01-01").mkdir(parents=True)
    (folder / "_temporary").mkdir()
    (folder / "_temporary" / "a.parquet").write_text("half written")
    pyarrow.parquet.write_table(orders, folder / "day=2024-01-01" / "part-0.parquet")
    (tmp_path / "items.json").write_text(json.dumps(ITEMS))
    (tmp_path / "notes.csv").write_text("a,b\n1,2\n")
    (tmp_path / "broken.parquet").write_text("nothing")
    return tmp_path


def test_what_it_writes_can_be_read(data: Path) -> None:
    words = ("schema-of", "warehouse/orders", "shop.items=items.json", "--out", "tables.ddl")
    done = veer(*words, cwd=data)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    (data / "q.sql").write_text(
        "SELECT o.id, o.amount, o.at, o.day, i.`odd name`[0] AS first "
        "FROM orders o JOIN shop.items i ON o.id = i.k"
    )
    shown = veer("show", "q.sql", "--schema", "tables.ddl", cwd=data)
    for column in ("amount decimal(10,2)", "at timestamp", "day string", "k int not null"):
        assert column in shown.stdout, shown.stderr


def test_a_schema_of_spark_is_a_schema(data: Path) -> None:
    (data / "q.sql").write_text("SELECT k FROM items")
    assert veer("verify", "q.sql", "q.sql", "--schema", "items.json", cwd=data).returncode == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nowhere", "nowhere: no such file or folder"),
        ("notes.csv", "a CSV file does not tell the types of its columns"),
        ("broken.parquet", "broken.parquet: no Parquet file"),
        ("warehouse/orders/_temporary/..", "one line"),
    ],
)
def test_what_has_no_schema_is_told_in_a_line(data: Path, given: str, said: str) -> None:
    done = veer("schema-of", given, cwd=data)
    if said == "one line":  # a folder by another path is that folder
        assert done.returncode == 0 and "amount decimal(10,2)" in done.stdout
        return
    assert (done.returncode, done.stdout) == (65, "")
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_json_that_is_no_schema(data: Path) -> None:
    (data / "rows.json").write_text('{"a": 1}\n{"a": 2}\n')
    done = veer("schema-of", "rows.json", cwd=data)
    assert done.returncode == 65
    assert "rows.json: no schema of Spark" in done.stderr
