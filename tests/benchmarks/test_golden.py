"""`python -m benchmarks golden`: each kind of outcome, on a checkout made by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.runners.golden import main
from benchmarks.support.golden_files import OF_FILES, RESOURCES, TESTS
from benchmarks.support.golden_text import shown
from veer.ir.types import parse_type

ERROR = "org.apache.spark.sql.AnalysisException\n{\n}"
FAILURE = "org.apache.spark.SparkArithmeticException\n{\n}"
# A statement, the schema and the output of Spark, and what is found; nothing for a command.
STATEMENTS = [
    ("CREATE TABLE t (a INT, s STRING) USING parquet", "struct<>", "", ""),
    ("INSERT INTO t VALUES (2, 'x'), (1, NULL)", "struct<>", "", ""),
    ("CREATE TEMPORARY VIEW v AS SELECT a FROM t", "struct<>", "", ""),
    ("SELECT a, s FROM t", "struct<a:int,s:string>", "1\tNULL\n2\tx", "equal"),
    ("SELECT a FROM t ORDER BY a DESC", "struct<a:int>", "2\n1", "equal"),
    ("SELECT a FROM t ORDER BY a, a DESC", "struct<a:int>", "2\n1", "other rows"),
    ("SELECT a FROM v", "struct<a:int>", "1\n3", "other rows"),
    ("SELECT a FROM v LIMIT 1", "struct<a:int>", "1", "equal"),
    ("SELECT a FROM v LIMIT 1", "struct<a:int>", "2", "equal"),
    ("SELECT a FROM v", "struct<a:bigint>", "1\n2", "other types"),
    ("SELECT a FROM v", "struct<b:int>", "1\n2", "equal but for names"),
    ("SELECT a FROM t", "struct<>", ERROR, "Spark refuses"),
    ("SELECT zz FROM t", "struct<>", ERROR, "refused by both"),
    ("SELECT no_such_function(a) FROM t", "struct<c:int>", "1", "refused"),
    ("SELECT 1 DIV 0 AS c", "struct<>", FAILURE, "fails in both"),
    ("SELECT rand() AS r", "struct<r:double>", "0.5", "types alone"),
    ("USE other", "struct<>", "", ""),
    ("SELECT a FROM t", "struct<a:int>", "7", "skipped"),
    ("SELECT 1.5D * 2 AS d", "struct<d:double>", "3.0", "equal"),
]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    data = tmp_path / RESOURCES / "test-data/postgresql"
    data.mkdir(parents=True)
    for name, (file, _) in OF_FILES.items():
        (data / file).write_text("1\t1.5\n" if name == "aggtest" else "\t".join("1" * 16) + "\n")
    for folder in ("inputs", "results"):
        (tmp_path / TESTS / folder).mkdir(parents=True)
    (tmp_path / TESTS / "inputs/some.sql").write_text("--SET spark.sql.ansi.enabled = true\n")
    blocks = [
        f"-- !query\n{text}\n-- !query schema\n{schema}\n-- !query output\n{output}\n"
        for text, schema, output, _ in STATEMENTS
    ]
    (tmp_path / TESTS / "results/some.sql.out").write_text("-- made\n" + "\n\n".join(blocks))
    return tmp_path


def test_each_kind_of_outcome(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = checkout / "out.json"
    assert main([str(checkout), "--out", str(out)]) == 1
    found = json.loads(out.read_text())
    assert [q["kind"] for q in found] == [kind for *_, kind in STATEMENTS if kind]
    printed = capsys.readouterr().out
    assert f"{len(found)} queries" in printed
    assert max(map(len, printed.splitlines())) <= 80


def test_a_filter_of_files(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(checkout), "--files", "nothing"]) == 0
    assert "0 queries" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("type_", "value", "text"),
    [
        ("array<string>", ("a", None), '["a",null]'),
        ("map<int,string>", ((2, "b"), (1, "a")), '{1:"a",2:"b"}'),
        ("struct<x:int,y:string>", (1, "b"), '{"x":1,"y":"b"}'),
        ("interval year", 14, "1-2"),
        ("string", None, "NULL"),
    ],
)
def test_values_are_shown_as_hive_shows_them(type_: str, value: object, text: str) -> None:
    assert shown(value, parse_type(type_), "UTC") == text
