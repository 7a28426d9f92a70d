"""Instances the solver finds: real ones, of values the types can hold."""

from __future__ import annotations

import pytest

from veer.api import Comparison, Version, verify
from veer.ir.sources import tables_read
from veer.read.sql import read_sql
from veer.refute import Refutation
from veer.refute.instances import constraints_hold
from veer.refute.symbolic import symbolic_instance
from veer.verdict import TableSemantics, Verdict

SCHEMA = """
CREATE TABLE t (a INT, b INT, s STRING, x DECIMAL(8, 2), l BIGINT, h SMALLINT);
CREATE TABLE u (k INT NOT NULL, a INT, c INT, PRIMARY KEY (k));
CREATE TABLE w (k INT NOT NULL, n INT, FOREIGN KEY (k) REFERENCES u (k))
"""
BAG = TableSemantics.BAG


def solved(p: str, q: str, size: int = 2, semantics: TableSemantics = BAG) -> bool:
    """Whether the solver finds an instance, the interpreter sees it, and constraints hold."""
    one, two = read_sql(p, SCHEMA), read_sql(q, SCHEMA)
    columns = tuple((i, i) for i in range(len(one.result_schema)))
    tables = symbolic_instance(one, two, columns, semantics, size)
    if tables is None:
        return False
    assert constraints_hold(tables_read((one, two)), tables)
    return Refutation.of(one, two, "result", "result", columns, semantics).differ(tables)


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ("SELECT a FROM t WHERE a * 3 + 7 = 2525", "SELECT a FROM t WHERE a * 3 + 8 = 2525"),
        (
            "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.b AND u.c > 5000)",
            "SELECT t.a FROM t JOIN u ON u.a = t.b AND u.c > 5000",
        ),
        (
            "SELECT t.a, u.c FROM t LEFT JOIN u ON t.a = u.k AND u.c > 4321",
            "SELECT t.a, u.c FROM t JOIN u ON t.a = u.k AND u.c > 4321",
        ),
        (
            "SELECT b, SUM(a) AS s FROM t GROUP BY b HAVING SUM(a) > 100500",
            "SELECT b, SUM(a) AS s FROM t GROUP BY b HAVING SUM(a) >= 100500",
        ),
        (
            "SELECT COUNT(DISTINCT a) AS n FROM t WHERE a > 31415",
            "SELECT COUNT(a) AS n FROM t WHERE a > 31415",
        ),
        (
            "SELECT a FROM t WHERE a > 777 EXCEPT ALL SELECT a FROM t WHERE b = 888",
            "SELECT a FROM t WHERE a > 777 EXCEPT SELECT a FROM t WHERE b = 888",
        ),
        (
            "SELECT a FROM t WHERE a NOT IN (SELECT c FROM u WHERE c > 777)",
            "SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE c = a AND c > 777)",
        ),
        ("SELECT n FROM w WHERE k = 9001", "SELECT n FROM w WHERE k = 9001 AND n IS NOT NULL"),
    ],
)
def test_differences_are_found(p: str, q: str) -> None:
    assert solved(p, q)


@pytest.mark.parametrize(
    "p",
    [
        "SELECT b FROM t WHERE a > 2147483647",
        "SELECT b FROM t WHERE x > 999999.99",
        "SELECT b FROM t WHERE l > 9223372036854775807",
        "SELECT b FROM t WHERE h < -32768",
        "SELECT b FROM t WHERE CAST(h AS INT) > 32767",
    ],
)
def test_values_keep_to_their_types(p: str) -> None:
    q = "SELECT b FROM t WHERE FALSE"
    assert not solved(p, q)
    one, two = (Version(text, read_sql(text, SCHEMA), False) for text in (p, q))
    assert verify(one, two, Comparison()).verdict is not Verdict.INEQUIVALENT


def test_sets_and_what_is_the_same() -> None:
    twice = "SELECT a FROM t UNION ALL SELECT a FROM t"
    assert solved("SELECT a FROM t", twice)
    assert not solved("SELECT a FROM t", twice, semantics=TableSemantics.SET)
    assert not solved("SELECT a FROM t WHERE a > 1", "SELECT a FROM t WHERE NOT a <= 1")


def test_chance_does_not_find_it_but_the_solver_does() -> None:
    texts = ("SELECT a FROM t WHERE a * 3 + 7 = 2525", "SELECT a FROM t WHERE a * 3 + 8 = 2525")
    p, q = (Version(text, read_sql(text, SCHEMA), False) for text in texts)
    report = verify(p, q)
    assert report.verdict is Verdict.INEQUIVALENT
    assert report.sinks[0].witness is not None


def test_columns_a_model_does_not_mention_hold_values_of_their_types() -> None:
    ddl = """CREATE TABLE t (a INT, d DATE NOT NULL, n DECIMAL(5, 2) NOT NULL, ts TIMESTAMP NOT NULL,
        xs ARRAY<INT> NOT NULL, b BINARY NOT NULL, s STRING NOT NULL, ok BOOLEAN NOT NULL)"""
    one, two = (read_sql(f"SELECT a FROM t WHERE a > {n}", ddl) for n in (700, 701))
    tables = symbolic_instance(one, two, ((0, 0),), TableSemantics.BAG, 1)
    assert tables is not None and tables["t"]
    assert constraints_hold(tables_read((one, two)), tables)


@pytest.mark.parametrize(("other", "found"), [("m || 'y' <> 'xy'", False), ("m <> 'vw'", True)])
def test_functions_of_the_greatest_text_of_a_join_take_no_minutes(other: str, found: bool) -> None:
    greatest = "SELECT max(p.s) AS m FROM t AS p JOIN t AS q ON p.b < q.b"
    rows = f"SELECT trim(lower(m)) AS c, m FROM ({greatest}) AS g WHERE trim(lower(m)) <> 'x'"
    assert solved(rows, f"{rows} AND {other}", size=4) is found
