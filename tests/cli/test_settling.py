"""An unknown that helps: what resisted, what would settle it, and declarations that would."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import veer
from veer.api import Version, verify
from veer.read.sql import read_sql
from veer.verdict import Verdict

TABLES = """
CREATE TABLE customers (id INT, name STRING, region STRING);
CREATE TABLE orders (id INT, customer_id INT, amount DECIMAL(9,2), placed DATE);
"""
KEYED = """
CREATE TABLE orders (id INT NOT NULL PRIMARY KEY, customer_id INT, amount DECIMAL(9,2), placed DATE);
"""
LATEST = (
    "SELECT id, amount FROM (SELECT *, row_number() OVER (PARTITION BY customer_id "
    "ORDER BY placed DESC) AS n FROM orders) WHERE n = 1"
)
WITH_LATEST = (
    "SELECT o.id, o.amount FROM orders o JOIN (SELECT customer_id, MAX(placed) AS m FROM orders "
    "GROUP BY customer_id) x ON o.customer_id = x.customer_id AND o.placed = x.m"
)
JOINED = "SELECT o.id, o.amount FROM orders o JOIN customers c ON o.customer_id = c.id"
EXISTING = (
    "SELECT o.id, o.amount FROM orders o WHERE EXISTS "
    "(SELECT 1 FROM customers c WHERE o.customer_id = c.id)"
)


def run(folder: Path, p: str, q: str, schema: str, *options: str) -> Any:
    """The only sink of the JSON report on two queries, and the whole report."""
    (folder / "p.sql").write_text(p)
    (folder / "q.sql").write_text(q)
    (folder / "tables.ddl").write_text(schema)
    arguments = ("verify", "p.sql", "q.sql", "--schema", "tables.ddl", *options)
    done = veer(*arguments, "--format", "json", cwd=folder)
    assert not done.stderr, done.stderr
    report = json.loads(done.stdout)
    assert done.returncode == ["equivalent", "inequivalent", "unknown"].index(report["verdict"])
    return report["sinks"][0]


def verdict(p: str, q: str, schema: str) -> Verdict:
    """The verdict on two queries, without a process of its own."""
    one, two = (Version(text, read_sql(text, schema), False) for text in (p, q))
    return verify(one, two).verdict


def test_the_smallest_part_that_resisted_is_shown_as_sql(tmp_path: Path) -> None:
    above = (
        "SELECT a, COUNT(*) AS n FROM (SELECT a FROM t WHERE {}) GROUP BY a ORDER BY n, a LIMIT 3"
    )
    p, q = above.format("b > 1"), above.format("b > 0 AND b * b > 1")
    sink = run(tmp_path, p, q, "CREATE TABLE t (a INT, b INT)")
    assert sink["verdict"] == "unknown"
    resisted = sink["resisted"]
    assert resisted["agrees"] and resisted["given"] == []
    assert resisted["p_sql"] == "SELECT a\nFROM t\nWHERE b > 1"
    assert resisted["q_sql"] == "SELECT a\nFROM t\nWHERE b > 0 AND b * b > 1"
    assert sink["suggestion"] is None


@pytest.mark.parametrize(("columns", "beside"), [("120", True), ("40", False)])
def test_both_sides_stand_beside_each_other_where_there_is_room(
    tmp_path: Path, columns: str, beside: bool
) -> None:
    (tmp_path / "p.sql").write_text("SELECT a FROM t WHERE b > 1")
    (tmp_path / "q.sql").write_text("SELECT a FROM t WHERE b > 0 AND b * b > 1")
    schema = "CREATE TABLE t (a INT, b INT)"
    done = veer("verify", "p.sql", "q.sql", "--schema", schema, cwd=tmp_path, columns=columns)
    assert "the smallest part not proven equal" in " ".join(done.stdout.split())
    lines = done.stdout.splitlines()
    both = [line for line in lines if line.count("WHERE") == 2]
    assert bool(both) is beside


@pytest.mark.parametrize(
    ("p", "q", "kind", "words"),
    [
        (
            "SELECT a FROM t WHERE soundex(s) = 'A'",
            "SELECT a FROM t WHERE s = 'A'",
            "function",
            "soundex",
        ),
        (
            "SELECT a FROM t WHERE initcap(s) = 'Ab'",
            "SELECT a FROM t WHERE lower(s) = 'ab'",
            "uninterpreted functions",
            "initcap, lower",
        ),
        (
            "SELECT a, SUM(d) AS x FROM t GROUP BY a",
            "SELECT a, SUM(x) AS x FROM (SELECT a, b, SUM(d) AS x FROM t GROUP BY a, b) GROUP BY a",
            "float sum",
            "sum(d)",
        ),
    ],
)
def test_what_stands_in_the_way_is_named(
    tmp_path: Path, p: str, q: str, kind: str, words: str
) -> None:
    sink = run(tmp_path, p, q, "CREATE TABLE t (a INT, b INT, s STRING, d DOUBLE)")
    assert sink["verdict"] == "unknown"
    assert [h for h in sink["hints"] if h["kind"] == kind and words in h["text"]], sink["hints"]


def test_a_tie_is_broken_by_a_key(tmp_path: Path) -> None:
    p = "SELECT id, amount FROM orders ORDER BY placed DESC LIMIT 3"
    q = (
        "SELECT id, amount FROM (SELECT id, amount, row_number() OVER (ORDER BY placed DESC) AS n "
        "FROM orders) WHERE n <= 3"
    )
    hints = run(tmp_path, p, q, KEYED)["hints"]
    assert {h["kind"] for h in hints} == {"tie"}
    assert all("the proof succeeds if both versions also order by id" in h["text"] for h in hints)
    # What the hint says is so.
    one, two = (text.replace("placed DESC", "placed DESC, id") for text in (p, q))
    assert verdict(one, two, KEYED) is Verdict.EQUIVALENT


def test_a_limit_that_stopped_the_search_is_named(tmp_path: Path) -> None:
    sink = run(tmp_path, LATEST, WITH_LATEST, TABLES, "--timeout", "0.000001")
    assert [(h["kind"], "--timeout" in h["text"]) for h in sink["hints"]] == [("limit", True)]


@pytest.mark.parametrize(
    ("p", "q", "ddl"),
    [
        (JOINED, EXISTING, ["ALTER TABLE customers ADD UNIQUE (id);"]),
        (LATEST, WITH_LATEST, ["ALTER TABLE orders ADD PRIMARY KEY (customer_id, placed);"]),
        (
            "SELECT COUNT(amount) AS n FROM orders",
            "SELECT COUNT(*) AS n FROM orders",
            ["ALTER TABLE orders ALTER COLUMN amount SET NOT NULL;"],
        ),
        (
            "SELECT o.id FROM orders o JOIN customers c ON o.customer_id = c.id",
            "SELECT o.id FROM orders o",
            [
                "ALTER TABLE customers ADD PRIMARY KEY (id);",
                "ALTER TABLE orders ADD FOREIGN KEY (customer_id) REFERENCES customers (id);",
                "ALTER TABLE orders ALTER COLUMN customer_id SET NOT NULL;",
            ],
        ),
    ],
)
def test_declarations_are_suggested_and_enough(
    tmp_path: Path, p: str, q: str, ddl: list[str]
) -> None:
    sink = run(tmp_path, p, q, TABLES, "--suggest-keys")
    assert sink["verdict"] == "inequivalent" and sink["witness"]
    declarations = sink["suggestion"]["declarations"]
    assert sorted(d["ddl"] for d in declarations) == ddl
    assert all(d["checks"] for d in declarations)
    # Added to the schema as they are, they prove it; without one of them nothing does.
    assert verdict(p, q, TABLES + "\n".join(ddl)) is Verdict.EQUIVALENT
    for left_out in ddl:
        rest = [line for line in ddl if line != left_out]
        if all("FOREIGN" not in line for line in rest) or "PRIMARY" not in left_out:
            assert verdict(p, q, TABLES + "\n".join(rest)) is not Verdict.EQUIVALENT


def test_where_no_declaration_helps_it_is_said(tmp_path: Path) -> None:
    p, q = "SELECT id FROM orders WHERE amount > 1", "SELECT id FROM orders WHERE amount > 2"
    suggestion = run(tmp_path, p, q, TABLES, "--suggest-keys")["suggestion"]
    assert suggestion["declarations"] == [] and suggestion["at_most"] == "inequivalent"
    assert "differ even with" in suggestion["text"]


def test_a_suggestion_is_printed_with_its_checks(tmp_path: Path) -> None:
    (tmp_path / "p.sql").write_text(JOINED)
    (tmp_path / "q.sql").write_text(EXISTING)
    (tmp_path / "tables.ddl").write_text(TABLES)
    arguments = ("verify", "p.sql", "q.sql", "--schema", "tables.ddl", "--suggest-keys")
    done = veer(*arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert (
        "with these declarations the versions are equivalent; without them they differ"
        in done.stdout
    )
    assert "ALTER TABLE customers ADD UNIQUE (id);" in done.stdout
    assert "count(*) AS copies FROM customers" in done.stdout
    page = veer(*arguments, "--format", "html", cwd=tmp_path).stdout
    assert "<code>ALTER TABLE customers ADD UNIQUE (id);</code>" in page


def test_the_help_tells_of_it() -> None:
    text = veer("verify", "--help").stdout
    assert "--suggest-keys" in text and "what would settle it" in text
