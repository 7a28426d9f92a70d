"""Who reads what whom writes: told generously; and put together: told strictly."""

from __future__ import annotations

import pytest

from veer.ir.ops import Sink, Source
from veer.ir.sources import distinct_sources, inline_sources
from veer.ir.writes import Insert, Write
from veer.projects.lineage import Lineage, Place, fits, replaces_all, table_statement
from veer.read.sql import read_sql

TABLE = "CREATE TABLE t (a INT, b STRING);"


@pytest.mark.parametrize(
    ("one", "two", "related"),
    [
        ("t", "t", True),
        ("T", "`t`", True),
        ("db.t", "t", True),
        ("spark_catalog.default.t", "t", True),
        ("db.t", "other.t", False),
        ("cat.db.t", "db.t", True),
        ("t", "u", False),
        ("/data/x", "/data/x/", True),
        ("file:/data/x", "/data/x", True),
        ("/data/x", "/data/x/day=1", True),
        ("/data/x", "/data/y", False),
        ("/data/x", "/data/*/part", True),
        ("/data/*", "/data/x", True),
        ("/data/x", "x", True),
        ("/data/x", "y", False),
        ("spark-warehouse/tt", "db.tt", True),
        ("hdfs:///data/x", "/data/x", True),
        ("s3a://b/x", "s3://b/x", True),
        ("data/rates.csv", "/repo/data/rates.csv", True),
        ("data/rates.csv", "/repo/data/other.csv", False),
        ("/data/my orders", "/data/my orders", True),
        ("s3://b/x", "s3://b/xx", False),
    ],
)
def test_places(one: str, two: str, related: bool) -> None:
    assert Place.of(one).may_hold(Place.of(two)) is related
    assert Place.of(two).may_hold(Place.of(one)) is related


@pytest.mark.parametrize(
    ("sink", "whole"),
    [
        (Sink("x", target="x"), True),
        (Sink("x", target="x", write=Write("table", "overwrite")), True),
        (Sink("x", target="x", write=Write("table", "append")), False),
        (Sink("x", target="x", write=Write("csv", "overwrite")), False),
        (
            Sink("x", target="x", write=Write("parquet", "overwrite", ("partitioned by day",))),
            False,
        ),
        (Sink("x", target="x", write=Insert(overwrite=True)), False),
        (Sink("x", target="x", positional=True), False),
    ],
)
def test_only_what_replaces_all_rows_is_put_in_place(sink: Sink, whole: bool) -> None:
    assert replaces_all(sink) is whole


def test_jobs_in_a_row_and_in_circles() -> None:
    flows = {
        "a": read_sql(f"{TABLE} CREATE TABLE x AS SELECT a FROM t"),
        "b": read_sql("CREATE TABLE x (a INT); CREATE TABLE y AS SELECT a + 1 AS a FROM x"),
        "c": read_sql("CREATE TABLE z (a INT); CREATE TABLE w AS SELECT a FROM z"),
        "d": read_sql("CREATE TABLE w (a INT); CREATE TABLE z AS SELECT a FROM w"),
    }
    levels = Lineage(flows).levels()
    assert [(level.jobs, level.circular) for level in levels] == [
        (("a",), False),
        (("b",), False),
        (("c", "d"), True),
    ]


def test_one_job_in_place_of_what_another_reads() -> None:
    first = read_sql(f"{TABLE} CREATE TABLE x AS SELECT a FROM t WHERE b = 'y'")
    second = read_sql(
        "CREATE TABLE x (a INT); "
        "SELECT a FROM x WHERE a > (SELECT MIN(a) FROM x) UNION ALL SELECT a FROM x"
    )
    (read,) = distinct_sources(second)
    assert fits(read, first, "x")
    together = inline_sources(second, {read: ("first", first)})
    assert {s.table for s in distinct_sources(together)} == {"t"}
    assert together.schemas[together.sinks[0]] == second.schemas[second.sinks[0]]


@pytest.mark.parametrize(
    "columns", ["(A INT)", "(a BIGINT)", "(a INT, b STRING)", "(a INT) LOCATION '/elsewhere'"]
)
def test_other_columns_do_not_fit(columns: str) -> None:
    first = read_sql(f"{TABLE} CREATE TABLE x AS SELECT a FROM t")
    (read,) = distinct_sources(read_sql(f"CREATE TABLE x {columns}; SELECT a FROM x"))
    assert isinstance(read, Source) and not fits(read, first, "x")


def test_the_statement_of_what_is_written_reads_back() -> None:
    flow = read_sql(f"{TABLE} CREATE TABLE x AS SELECT a, b AS `odd name`, array(a) AS xs FROM t")
    text = table_statement("x", flow, "x")
    (source,) = distinct_sources(read_sql(f"{text}; SELECT * FROM x"))
    assert fits(source, flow, "x")
