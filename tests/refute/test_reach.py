"""What takes more than a tiny instance: many rows, long chains, texts and numbers beside others."""

from __future__ import annotations

import pytest

from veer.interpreter import Program
from veer.ir.expr import Expr
from veer.ir.sources import tables_read
from veer.ir.walk import operator_exprs
from veer.read.sql import read_sql
from veer.refute import Refutation, find_witness
from veer.refute.counting import telling_counts
from veer.refute.instances import Instances, constraints_hold
from veer.refute.texts import telling_texts
from veer.verdict import TableSemantics, Witness

SCHEMA = """
CREATE TABLE shop (id INT NOT NULL, city STRING, PRIMARY KEY (id));
CREATE TABLE sale (nr INT NOT NULL, shop INT NOT NULL, amount INT, price DECIMAL(8,2), day DATE,
  at TIMESTAMP, PRIMARY KEY (nr), FOREIGN KEY (shop) REFERENCES shop (id));
CREATE TABLE r (a INT, b INT, c STRING);
CREATE TABLE s (a INT, b INT, c STRING)
"""


def refutation(p: str, q: str) -> Refutation:
    one, two = read_sql(p, SCHEMA), read_sql(q, SCHEMA)
    columns = tuple((i, i) for i in range(len(one.result_schema)))
    return Refutation.of(one, two, "result", "result", columns, TableSemantics.BAG)


def pair(text: str, one: object, two: object) -> tuple[str, str]:
    return text.format(one), text.format(two)


BESIDE = (
    "SELECT nr, at > lag(at) OVER (PARTITION BY shop ORDER BY at, nr) + INTERVAL {} AS n FROM sale"
)
SMALL_STEPS = [
    pair(BESIDE, "30 MINUTES", "1 HOUR"),
    pair(
        "SELECT nr, (unix_timestamp(at) - lag(unix_timestamp(at)) OVER (PARTITION BY shop ORDER BY at, nr)) {} 1800 AS n FROM sale",
        "<",
        "<=",
    ),
    pair(
        "SELECT nr FROM sale WHERE floor(months_between(DATE '2023-12-31', day) / 12) {} 18",
        ">=",
        ">",
    ),
    (
        "SELECT nr FROM sale WHERE floor(months_between(DATE '2023-12-31', day) / 12) < 18",
        "SELECT nr FROM sale WHERE floor(datediff(DATE '2023-12-31', day) / 365.25) < 18",
    ),
    pair(
        "SELECT nr, {} OVER (PARTITION BY shop, to_date(at) ORDER BY at, nr) AS n FROM sale "
        "WHERE at >= '2024-03-01 00:00:00' AND amount IS NOT NULL",
        "first(amount)",
        "last(amount)",
    ),
    (
        "SELECT city, day, sum(s) / sum(n) AS m FROM (SELECT shop, day, sum(amount) AS s, count(amount) AS n "
        "FROM sale GROUP BY shop, day) AS x JOIN shop ON shop = id GROUP BY city, day",
        "SELECT city, day, avg(m) AS m FROM (SELECT shop, day, avg(amount) AS m "
        "FROM sale GROUP BY shop, day) AS x JOIN shop ON shop = id GROUP BY city, day",
    ),
]


@pytest.mark.parametrize(("p", "q"), SMALL_STEPS)
def test_rows_beside_others_show_where_a_boundary_lies(p: str, q: str) -> None:
    comparison = refutation(p, q)
    witness = find_witness(comparison)
    assert isinstance(witness, Witness)
    tables = {n: [tuple(r) for r in t["rows"]] for n, t in witness.tables.items()}
    assert constraints_hold(tables_read([comparison.p, comparison.q]), tables)
    assert comparison.differ(tables)


RANKED = "SELECT nr FROM (SELECT nr, {} AS n FROM sale) AS x WHERE n <= 6"

MANY_ROWS = [
    pair("SELECT nr FROM sale ORDER BY nr LIMIT {}", 9, 10),
    pair("SELECT nr FROM sale ORDER BY nr LIMIT 3 OFFSET {}", 12, 13),
    pair("SELECT nr FROM sale ORDER BY {} LIMIT 6", "nr", "-nr"),
    pair("SELECT count(*) AS n FROM (SELECT a FROM r {}) AS x", "LIMIT 6", ""),
    pair("SELECT a FROM r GROUP BY a HAVING count(*) > {}", 6, 7),
    pair("SELECT a FROM r GROUP BY a HAVING count({}) > 5", "*", "DISTINCT b"),
    pair("SELECT id FROM shop WHERE (SELECT count(*) FROM sale WHERE shop = id) = {}", 5, 6),
    pair("SELECT nr, ntile({}) OVER (ORDER BY nr) AS n FROM sale", 5, 6),
    pair("SELECT nr, lag(amount, {}) OVER (ORDER BY nr) AS n FROM sale", 7, 8),
    pair(RANKED, "rank() OVER (ORDER BY amount)", "dense_rank() OVER (ORDER BY amount)"),
    pair(RANKED, "row_number() OVER (ORDER BY nr)", "row_number() OVER (ORDER BY nr) - 1"),
    pair("SELECT a FROM r WHERE EXISTS (SELECT 1 FROM s LIMIT 1 OFFSET {})", 4, 5),
    pair(
        "SELECT nr FROM (SELECT nr, percent_rank() OVER (ORDER BY amount) AS n FROM sale) AS x "
        "WHERE n {} 0.25",
        "<",
        "<=",
    ),
    # So many groups of so many rows each.
    pair(
        "SELECT count(*) > 4 AS z FROM (SELECT a FROM r GROUP BY a HAVING count(*) > {}) AS x", 1, 2
    ),
    (
        "SELECT nr FROM (SELECT nr FROM sale ORDER BY nr LIMIT 8) AS x ORDER BY nr DESC LIMIT 3",
        "SELECT nr FROM sale ORDER BY nr DESC LIMIT 3",
    ),
    (
        "SELECT nr, city FROM sale JOIN shop ON shop = id WHERE city <> 'x' ORDER BY nr LIMIT 5",
        "SELECT nr, city FROM (SELECT * FROM sale ORDER BY nr LIMIT 5) AS y "
        "JOIN shop ON shop = id WHERE city <> 'x'",
    ),
]

VALUES = [
    ("SELECT a FROM r WHERE c LIKE 'no%on'", "SELECT a FROM r WHERE c LIKE 'no%' AND c LIKE '%on'"),
    pair("SELECT a FROM r WHERE c LIKE '{}'", "x_z%", "x%z%"),
    pair("SELECT a FROM r WHERE c LIKE {}", "'%up%down%'", "'%up%' AND c LIKE '%down%'"),
    pair("SELECT a FROM r WHERE c LIKE {}", "'%p%q%r%'", "'%p%r%' AND c LIKE '%q%'"),
    pair("SELECT a FROM r WHERE {}", "lower(c) LIKE '%ok%'", "c LIKE '%ok%' OR c LIKE '%OK%'"),
    pair("SELECT a FROM r WHERE {}", "reverse(c) = c", "left(c, 1) = right(c, 1)"),
    pair("SELECT a FROM r WHERE length(c) > {}", 17, 18),
    pair("SELECT substring(c, 1, {}) AS x FROM r", 14, 15),
    ("SELECT a FROM r WHERE upper(c) = 'OK'", "SELECT a FROM r WHERE c IN ('OK', 'ok')"),
    pair("SELECT a FROM r WHERE {} = 4", "a % 11", "pmod(a, 11)"),
    ("SELECT a FROM r WHERE a * a = 81", "SELECT a FROM r WHERE a = 9"),
    pair("SELECT {}(price, 1) AS x FROM sale", "round", "bround"),
    pair("SELECT CAST({} AS INT) AS x FROM sale", "floor(price)", "price"),
    pair("SELECT nr FROM sale WHERE datediff(DATE '2021-06-01', day) > {}", 200, 201),
    pair("SELECT nr FROM sale WHERE dayofweek(day) {}", "IN (1, 7)", "= 7"),
    pair("SELECT nr FROM sale WHERE weekday(day) {} 5", "<", "<="),
    pair("SELECT nr FROM sale WHERE hour(at) {} 19", ">", ">="),
]

CHAINS = [
    pair(
        "SELECT x.a FROM r AS x JOIN r AS y ON x.b = y.a JOIN r AS z ON y.b = z.a AND z.b = x.a {}",
        "",
        "WHERE x.a = y.a OR x.a = z.a OR y.a = z.a",
    ),
]


@pytest.mark.parametrize(("p", "q"), MANY_ROWS + VALUES + CHAINS)
def test_a_witness_is_found(p: str, q: str) -> None:
    comparison = refutation(p, q)
    witness = find_witness(comparison)
    assert isinstance(witness, Witness)
    tables = {n: [tuple(r) for r in t["rows"]] for n, t in witness.tables.items()}
    assert constraints_hold(tables_read([comparison.p, comparison.q]), tables)
    assert comparison.differ(tables)
    assert sum(map(len, tables.values())) <= 20


SAME = [
    ("SELECT a FROM r LIMIT 6", "SELECT a FROM r ORDER BY b DESC LIMIT 6"),
    (
        "SELECT count(*) AS n FROM (SELECT a FROM r LIMIT 5)",
        "SELECT least(count(*), 5) AS n FROM r",
    ),
    ("SELECT a FROM r LIMIT 4", "SELECT a FROM (SELECT a FROM r LIMIT 6) AS x LIMIT 4"),
    ("SELECT a FROM r ORDER BY b LIMIT 5", "SELECT a FROM r ORDER BY b, a, c LIMIT 5"),
    pair("SELECT a FROM r WHERE EXISTS (SELECT 1 FROM s WHERE s.b > r.b {})", "", "LIMIT 4"),
    pair("SELECT a FROM r WHERE a IN (SELECT b FROM s {} LIMIT 1)", "", "ORDER BY c"),
    pair("SELECT nr, amount FROM sale ORDER BY {} LIMIT 4", "nr DESC", "3 - 2 * nr"),
]


@pytest.mark.parametrize(("p", "q"), SAME)
def test_a_choice_is_no_difference(p: str, q: str) -> None:
    assert not isinstance(find_witness(refutation(p, q)), Witness)


def test_numbers_rows_are_counted_against() -> None:
    flow = read_sql(
        "SELECT m + 11 AS x FROM (SELECT shop, count(*) AS n, max(amount) AS m FROM sale GROUP BY shop"
        ") AS g JOIN shop ON shop = id WHERE n > 7 AND m > 9 AND EXISTS (SELECT 1 FROM r OFFSET 5)",
        SCHEMA,
    )
    assert telling_counts([flow]) == {"r": [5, 7], "sale": [7], "shop": [7]}
    assert telling_counts([read_sql("SELECT a FROM r WHERE b > 30 LIMIT 2", SCHEMA)]) == {}


def test_instances_have_as_many_rows_and_keep_the_constraints() -> None:
    flow = read_sql("SELECT nr FROM sale JOIN shop ON shop = id ORDER BY nr LIMIT 15", SCHEMA)
    stream = Instances([flow], 3)
    made = [stream.make(number) for number in range(100)]
    assert all(constraints_hold(stream.sources, tables) for tables in made)
    assert {15, 16, 17} <= {len(tables["sale"]) for tables in made}


def texts_of(condition: str) -> list[str]:
    flow = read_sql(f"SELECT a FROM r WHERE {condition}", SCHEMA)
    exprs: list[Expr] = [e for o in flow.operators.values() for e in operator_exprs(o)]
    return telling_texts(exprs)


def test_texts_for_patterns_and_lengths() -> None:
    assert {"abba", "aba", "abzba"} <= set(texts_of("c LIKE 'ab%ba'"))
    assert {"pq", "paq", "pbq"} <= set(texts_of("c LIKE 'p_q'"))
    assert {"onetwo", "twone"} <= set(texts_of("startswith(c, 'one') AND endswith(c, 'two')"))
    assert {11, 12, 13} <= {len(text) for text in texts_of("length(c) < 12")}
    assert texts_of("c = 'plain'") == []


@pytest.mark.parametrize(
    ("query", "rows", "outcomes"),
    [
        ("SELECT a FROM r LIMIT 2", [1, 2, 3, 4], 6),
        ("SELECT a FROM r LIMIT 2", [1, 1, 1, 2], 2),
        ("SELECT a FROM r LIMIT 1 OFFSET 1", [1, 2, 3], 3),
        ("SELECT a FROM r LIMIT 4", [1, 2, 3], 1),
        ("SELECT a FROM r ORDER BY b LIMIT 3", [1, 2, 3, 4], 4),
        ("SELECT first(a) AS f FROM r", [5, 5, 5, 6], 4),
    ],
)
def test_choices_are_told_apart_by_what_they_give(
    query: str, rows: list[int], outcomes: int
) -> None:
    """Which rows a limit keeps, in whatever order; rows that are alike count once."""
    tables = {"r": [(a, 0, "") for a in rows]}
    found = list(Program(read_sql(query, SCHEMA)).outcomes(tables, 50))
    assert len(found) == outcomes


@pytest.mark.parametrize(
    ("p", "q"),
    [
        pair("SELECT nr FROM sale WHERE day < DATE'{}' AND nr > 5", "9999-12-31", "9999-12-30"),
        pair("SELECT nr FROM sale WHERE day >= DATE'{}' AND nr > 5", "0001-01-02", "0001-01-03"),
        pair("SELECT nr FROM sale WHERE at < TIMESTAMP'9999-12-31 23:59:{}'", "59", "58"),
    ],
)
def test_the_ends_of_the_calendar_are_reached(p: str, q: str) -> None:
    assert isinstance(find_witness(refutation(p, q)), Witness)
