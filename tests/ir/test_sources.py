"""The sources of dataflows: which there are, what is declared of them, where foreign keys lead."""

from __future__ import annotations

from dataclasses import replace

import pytest

from veer.ir.ops import ForeignKey, Source
from veer.ir.schema import Field
from veer.ir.sources import (
    distinct_sources,
    have_same_columns,
    parent_of,
    sources_of,
    tables_read,
    target_places,
)
from veer.ir.types import INT, LONG
from veer.read.sql import read_schema, read_sql

PARENT = Source("Parent", (Field("x", INT), Field("Id", INT, False)), (("Id",), ("x",)))
SCHEMA = read_schema("CREATE TABLE t (a INT, b INT); CREATE TABLE u (a INT, c INT)")


@pytest.mark.parametrize(
    ("named", "parent", "target", "places"),
    [
        (("x",), PARENT, ("x",), [0]),
        ((), PARENT, ("Id",), [1]),  # the first key
        (("ID",), PARENT, ("ID",), [1]),
        (("gone",), PARENT, ("gone",), []),
        ((), replace(PARENT, keys=()), (), []),
    ],
)
def test_a_foreign_key_leads_to_its_columns_or_to_the_first_key(
    named: tuple[str, ...], parent: Source, target: tuple[str, ...], places: list[int]
) -> None:
    foreign = ForeignKey(("p",), "PARENT", named)
    assert foreign.target(parent) == target
    assert target_places(parent, foreign) == places
    assert parent_of(foreign, [replace(PARENT, table="other"), parent]) is parent
    assert parent_of(foreign, []) is None


def test_sources_of_subqueries_count_and_each_once_where_asked() -> None:
    text = "SELECT t.a FROM t JOIN t s ON t.a = s.a WHERE t.b IN (SELECT c FROM u) AND EXISTS (SELECT 1 FROM t)"
    dataflow = read_sql(text, SCHEMA)
    assert {s.table for s in dataflow.sources.values()} == {"t"}
    assert sorted({s.table for s in sources_of(dataflow)}) == ["t", "u"]
    assert sorted(s.table for s in distinct_sources(dataflow)) == ["t", "u"]
    assert list(tables_read([dataflow])) == ["t", "u"]


def test_what_any_version_declares_of_a_table_counts() -> None:
    one = read_sql("SELECT a FROM t", SCHEMA)
    keyed = read_schema("CREATE TABLE t (a INT NOT NULL, b INT UNIQUE, PRIMARY KEY (a))")
    two = read_sql("SELECT a FROM t", keyed)
    for order in ((one, two), (two, one)):
        table = tables_read(order)["t"]
        assert table.keys == (("a",),) and table.unique == (("b",),)
        assert [f.nullable for f in table.fields] == [False, True]
    # Other columns are another table of that name: nothing is carried over.
    other = read_sql("SELECT a FROM t", read_schema("CREATE TABLE t (a BIGINT NOT NULL, b INT)"))
    assert not have_same_columns(tables_read([one])["t"], tables_read([other])["t"])
    assert tables_read((one, other))["t"] == tables_read([one])["t"]
    assert tables_read((other, one))["t"].fields[0].type == LONG
