"""Instances keep what either version declares; where they contradict each other there are none."""

from __future__ import annotations

from decimal import Decimal

import pytest

from veer.api import Comparison, Version, verify
from veer.frontends.sql import read_sql
from veer.refute.instances import Instances, conflict, constraints_hold
from veer.verdict import Report, Verdict


def compared(p: str, q: str, ddl_p: str, ddl_q: str = "") -> Report:
    sides = [read_sql(text, ddl) for text, ddl in ((p, ddl_p), (q, ddl_q or ddl_p))]
    versions = (Version("P", sides[0], False), Version("Q", sides[1], False))
    return verify(*versions, Comparison(columns="position"))


PLAIN = "CREATE TABLE t (id INT, v INT)"


@pytest.mark.parametrize(
    ("p", "q", "declared"),
    [
        ("SELECT DISTINCT id FROM t", "SELECT id FROM t", "id INT NOT NULL PRIMARY KEY, v INT"),
        ("SELECT id FROM t WHERE id IS NOT NULL", "SELECT id FROM t", "id INT NOT NULL, v INT"),
    ],
)
def test_what_one_version_declares_no_witness_breaks(p: str, q: str, declared: str) -> None:
    ddl = f"CREATE TABLE t ({declared})"
    assert compared(p, q, PLAIN).verdict is Verdict.INEQUIVALENT
    assert compared(p, q, PLAIN, ddl).verdict is not Verdict.INEQUIVALENT
    assert compared(p, q, ddl, PLAIN).verdict is not Verdict.INEQUIVALENT
    assert compared(p, q, ddl).verdict is Verdict.EQUIVALENT


@pytest.mark.parametrize(
    "other",
    [
        "CREATE TABLE t (v INT, id INT)",
        "CREATE TABLE t (id STRING, v INT)",
        "CREATE TABLE T (id INT, v INT)",
        "CREATE TABLE t (id INT, v INT, w INT)",
    ],
)
def test_a_table_declared_in_two_ways_has_no_witness(other: str) -> None:
    report = compared("SELECT v FROM t WHERE v > 1", "SELECT v FROM t WHERE v > 2", PLAIN, other)
    assert report.verdict is Verdict.UNKNOWN
    assert "declared in two ways" in report.sinks[0].reason
    assert conflict([read_sql("SELECT v FROM t", d) for d in (PLAIN, other)])


def test_texts_are_no_longer_than_declared() -> None:
    ddl = "CREATE TABLE t (s VARCHAR(5), v INT)"
    p, q = "SELECT v FROM t WHERE s = 'abcdef'", "SELECT v FROM t WHERE FALSE"
    assert compared(p, q, ddl).verdict is not Verdict.INEQUIVALENT
    assert compared(p, q, ddl.replace("5", "6")).verdict is Verdict.INEQUIVALENT


def test_decimals_have_the_scale_of_their_column() -> None:
    ddl = "CREATE TABLE t (d DECIMAL(9,2), e DECIMAL(12,4), s STRING)"
    text = "SELECT CAST(e AS STRING) AS x FROM t WHERE d = 3.00 AND e = d"
    flow = read_sql(text, ddl)
    stream = Instances((flow,))
    for number in range(40):
        for d, e, _ in stream.make(number)["t"]:
            for value, scale in ((d, 2), (e, 4)):
                assert value is None or value.as_tuple().exponent == -scale
    rows = [(Decimal("3.00"), Decimal("3.00"), "a")]
    assert not constraints_hold(stream.sources, {"t": rows})


def test_a_foreign_key_to_another_type_is_no_crash() -> None:
    ddl = """CREATE TABLE t (id INT NOT NULL PRIMARY KEY);
             CREATE TABLE u (e STRING, w INT, FOREIGN KEY (e) REFERENCES t (id))"""
    report = compared("SELECT length(e) AS n FROM u", "SELECT length(e) + 1 AS n FROM u", ddl)
    assert report.verdict is Verdict.INEQUIVALENT


def test_a_key_relied_on_in_a_subquery_is_listed() -> None:
    ddl = "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT); CREATE TABLE u (x INT)"
    text = "SELECT x, (SELECT v FROM t ORDER BY id LIMIT 1) AS first FROM u"
    report = compared(text, text, ddl)
    assert report.verdict is Verdict.EQUIVALENT
    assert [a.text for a in report.sinks[0].assumptions] == ["id is a key of t"]
