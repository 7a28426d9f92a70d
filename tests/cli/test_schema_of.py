"""`veer schema-of`, and schemas of Spark in JSON for `--schema`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow
import pyarrow.orc
import pyarrow.parquet
import pytest

from tests.command import ROOT, veer

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
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / "torn" / "_delta_log").mkdir(parents=True)
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
        ("nowhere.parquet", "nowhere.parquet: no such file or folder"),
        ("notes", "notes: no Parquet, ORC, Avro or Delta files inside"),
        ("torn", "has no schema"),
        ("notes.csv", "a CSV file does not contain the types of its columns"),
        ("broken.parquet", "broken.parquet: not a Parquet file"),
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
    assert "rows.json: not a schema of Spark" in done.stderr


def test_tables_of_other_formats(data: Path) -> None:
    schema = json.dumps(ITEMS)
    commit = (
        json.dumps({"commitInfo": {}}) + "\n" + json.dumps({"metaData": {"schemaString": schema}})
    )
    log = data / "lake" / "_delta_log"
    log.mkdir(parents=True)
    (log / "00000000000000000000.json").write_text(
        json.dumps({"metaData": {"schemaString": "old"}})
    )
    (log / "00000000000000000001.json").write_text(commit)
    (log / "00000000000000000002.json").write_text(json.dumps({"add": {"path": "a.parquet"}}))
    log = data / "cleaned" / "_delta_log"
    log.mkdir(parents=True)
    rows = pyarrow.table({"metaData": [None, {"schemaString": schema}]})
    pyarrow.parquet.write_table(rows, log / "00000000000000000010.checkpoint.parquet")
    (log / "00000000000000000011.json").write_text(json.dumps({"add": {"path": "a.parquet"}}))
    (data / "sold").mkdir()
    sold = pyarrow.table({"n": pyarrow.array([1], pyarrow.int64()), "s": ["a"]})
    pyarrow.orc.write_table(sold, data / "sold" / "part-0.orc")
    (data / "people.avro").write_bytes(avro_file())
    done = veer(
        "schema-of", "lake", "old.lake=cleaned", "sold", "people.avro", "--out", "all.ddl", cwd=data
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    (data / "q.sql").write_text("SELECT * FROM lake, old.lake, sold, people")
    shown = veer("show", "q.sql", "--schema", "all.ddl", cwd=data).stdout
    for table in (
        "Source lake(k int not null, `odd name` array<string>)",
        "Source old.lake(k int not null, `odd name` array<string>)",
        "Source sold(n bigint, s string)",
        "Source people(id bigint, born date, paid decimal(9,2), tags array<string>, "
        "more struct<a:double>)",
    ):
        assert table in shown


def avro_file() -> bytes:
    """The beginning of an Avro file: its properties, and no rows."""
    fields = [
        {"name": "id", "type": "long"},
        {"name": "born", "type": ["null", {"type": "int", "logicalType": "date"}]},
        {
            "name": "paid",
            "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
        },
        {"name": "tags", "type": {"type": "array", "items": "string"}},
        {
            "name": "more",
            "type": {"type": "record", "name": "m", "fields": [{"name": "a", "type": "double"}]},
        },
    ]
    schema = json.dumps({"type": "record", "name": "people", "fields": fields}).encode()

    def number(value: int) -> bytes:
        value, out = value << 1, bytearray()
        while value > 0x7F:
            out.append(value & 0x7F | 0x80)
            value >>= 7
        return bytes([*out, value])

    def text(value: bytes) -> bytes:
        return number(len(value)) + value

    pairs = ((b"avro.codec", b"null"), (b"avro.schema", schema))
    properties = b"".join(text(k) + text(v) for k, v in pairs)
    return b"Obj\x01" + number(len(pairs)) + properties + number(0) + bytes(16)


def test_a_folder_of_schemas_is_a_schema(data: Path) -> None:
    (data / "schemas").mkdir()
    (data / "schemas" / "shop.ddl").write_text("CREATE TABLE a (x INT);\nCREATE TABLE b (y INT);\n")
    (data / "schemas" / "items.json").write_text(json.dumps(ITEMS))
    (data / "q.sql").write_text("SELECT x, y, k FROM a, b, items")
    assert veer("verify", "q.sql", "q.sql", "--schema", "schemas", cwd=data).returncode == 0
    done = veer("verify", "q.sql", "q.sql", "--schema", "notes", cwd=data)
    assert done.returncode == 65 and "no .ddl, .sql or .json files inside" in done.stderr


def test_an_unknown_table_is_told_with_its_declaration(data: Path) -> None:
    (data / "q.sql").write_text(
        "SELECT o.id, p.`odd name`, SUM(total) AS t FROM sales.orders o JOIN people p ON o.customer = p.id "
        "WHERE EXISTS (SELECT 1 FROM other WHERE other.k = o.k2) GROUP BY 1, 2"
    )
    done = veer("show", "q.sql", cwd=data)
    assert done.returncode == 65 and done.stderr.count("\n") == 1
    assert "CREATE TABLE sales.orders (id <type>, customer <type>, k2 <type>)" in done.stderr
    assert "veer schema-of" in done.stderr
    (data / "job.py").write_text(
        "def build(spark):\n"
        "    return spark.sql('SELECT customer, sum(total) s FROM sold WHERE day > 1 GROUP BY 1 ORDER BY s')\n"
        "def files(spark):\n    return spark.read.json('lake/events')\n"
    )
    done = veer("show", "job.py:build", "--jvm", "never", cwd=data)
    assert "CREATE TABLE sold (customer <type>, total <type>, day <type>)" in done.stderr
    done = veer("show", "job.py:files", "--jvm", "never", cwd=data)
    assert "CREATE TABLE `lake/events` (<column> <type>, ...)" in done.stderr


MAKE = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").enableHiveSupport().getOrCreate()
spark.sql("CREATE DATABASE sales")
spark.sql("CREATE TABLE sales.orders (id BIGINT, total DECIMAL(9,2), tags ARRAY<STRING>) USING parquet")
spark.sql("SELECT 1 AS a, DATE'2024-01-01' AS d").write.orc("files")
spark.stop()
"""


@pytest.mark.spark
@pytest.mark.slow
def test_tables_of_a_live_catalog(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    made = subprocess.run(
        [sys.executable, "-c", MAKE],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    done = veer("schema-of", "sales.orders", "files", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (
        "CREATE TABLE sales.orders (\n  id bigint,\n  total decimal(9,2),\n  tags array<string>\n);"
        in done.stdout
    )
    assert "a int,\n  d date\n" in done.stdout
    missing = veer("schema-of", "sales.nothing", cwd=tmp_path)
    assert missing.returncode == 65 and "TABLE_OR_VIEW_NOT_FOUND" in missing.stderr
