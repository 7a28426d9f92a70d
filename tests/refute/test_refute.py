"""Witnesses: found, valid, small, and never where a choice or an unknown function explains it."""

from __future__ import annotations

import json

import pytest

from veer.api import Version, verify
from veer.interpreter import run_dataflow
from veer.ir.dag import Dataflow
from veer.ir.sources import tables_read
from veer.read.sql import read_sql
from veer.read.workflow.reader import read_workflow
from veer.reasons import CannotRefute
from veer.refute import Refutation, find_witness, first_difference
from veer.refute.instances import Instances, constraints_hold
from veer.show.wording import reason_text
from veer.verdict import TableSemantics, Verdict, Witness

SCHEMA = """
CREATE TABLE dept (d INT NOT NULL, name STRING, PRIMARY KEY (d));
CREATE TABLE emp (id INT NOT NULL, dept INT NOT NULL, boss INT, sal INT, x DOUBLE, day DATE,
  PRIMARY KEY (id), FOREIGN KEY (dept) REFERENCES dept (d), FOREIGN KEY (boss) REFERENCES emp (id))
"""


def flow(text: str) -> Dataflow:
    return read_sql(text, SCHEMA)


def refutation(p: str, q: str, semantics: TableSemantics = TableSemantics.BAG) -> Refutation:
    one, two = flow(p), flow(q)
    columns = tuple((i, i) for i in range(len(one.result_schema)))
    return Refutation.of(one, two, "result", "result", columns, semantics)


DIFFERENT = [
    ("SELECT id FROM emp WHERE sal > 5000", "SELECT id FROM emp WHERE sal >= 5000"),
    ("SELECT id FROM emp WHERE boss > 5 OR boss <= 5", "SELECT id FROM emp"),
    ("SELECT SUM(sal) AS s FROM emp", "SELECT COALESCE(SUM(sal), 0) AS s FROM emp"),
    ("SELECT COUNT(*) AS n FROM emp", "SELECT COUNT(boss) AS n FROM emp"),
    ("SELECT DISTINCT sal FROM emp", "SELECT sal FROM emp"),
    ("SELECT d FROM dept LEFT JOIN emp ON d = dept", "SELECT d FROM dept JOIN emp ON d = dept"),
    (
        "SELECT id FROM emp WHERE boss NOT IN (SELECT boss FROM emp WHERE sal > 3)",
        "SELECT id FROM emp WHERE NOT EXISTS (SELECT 1 FROM emp AS e WHERE e.sal > 3 AND e.boss = emp.boss)",
    ),
    (
        "SELECT name FROM dept WHERE name = 'Sales'",
        "SELECT name FROM dept WHERE name LIKE 'Sales%'",
    ),
    (
        "SELECT id FROM emp WHERE day < DATE '2020-03-01'",
        "SELECT id FROM emp WHERE day <= DATE '2020-03-01'",
    ),
    ("SELECT id FROM emp ORDER BY id LIMIT 1", "SELECT id FROM emp ORDER BY id LIMIT 2"),
    ("SELECT sal FROM emp LIMIT 1", "SELECT sal + 1 AS sal FROM emp LIMIT 1"),
    (
        "SELECT id, row_number() OVER (ORDER BY sal) AS r FROM emp",
        "SELECT id, row_number() OVER (ORDER BY sal DESC) AS r FROM emp",
    ),
    (
        "SELECT COUNT(*) AS n FROM emp WHERE 1 = 0",
        "SELECT COUNT(*) AS n FROM emp WHERE 1 = 0 GROUP BY sal",
    ),
    (
        "SELECT MAX(sal) AS m FROM emp GROUP BY dept",
        "SELECT MAX(sal) AS m FROM emp GROUP BY dept, boss",
    ),
]


@pytest.mark.parametrize(("p", "q"), DIFFERENT)
def test_different_queries_get_a_small_witness(p: str, q: str) -> None:
    comparison = refutation(p, q)
    witness = find_witness(comparison)
    assert isinstance(witness, Witness)
    tables = {n: [tuple(r) for r in t["rows"]] for n, t in witness.tables.items()}
    assert constraints_hold(tables_read([comparison.p, comparison.q]), tables)
    assert comparison.differ(tables)
    assert sum(map(len, tables.values())) <= 4
    assert run_dataflow(flow(p), tables)["result"].rows == list(witness.p_rows)
    assert run_dataflow(flow(q), tables)["result"].rows == list(witness.q_rows)


SAME = [
    ("SELECT x + 0.0D AS y FROM emp", "SELECT x AS y FROM emp"),  # but for the sign of a zero
    ("SELECT id FROM emp WHERE sal > 5", "SELECT id FROM emp WHERE sal >= 6"),
    ("SELECT id FROM emp JOIN dept ON dept = d", "SELECT id FROM emp"),
    ("SELECT e.id FROM emp AS e LEFT JOIN emp AS b ON e.boss = b.id", "SELECT id FROM emp"),
    (
        "SELECT SUM(x) AS s FROM emp",
        "SELECT SUM(y) AS s FROM (SELECT dept, SUM(x) AS y FROM emp GROUP BY dept) AS q",
    ),
    ("SELECT id FROM emp LIMIT 1", "SELECT id FROM emp ORDER BY id LIMIT 1"),
    ("SELECT first(id) AS f FROM emp", "SELECT last(id) AS f FROM emp"),
    (
        "SELECT v FROM (SELECT id AS v FROM emp UNION ALL SELECT sal FROM emp) AS w LIMIT 1",
        "SELECT v FROM (SELECT sal AS v FROM emp UNION ALL SELECT id FROM emp) AS w LIMIT 1",
    ),
    (
        "SELECT id, row_number() OVER (ORDER BY dept) AS r FROM emp",
        "SELECT id, row_number() OVER (ORDER BY dept, id) AS r FROM emp",
    ),
    (
        "SELECT first(s) AS f FROM (SELECT dept, SUM(sal) AS s FROM emp GROUP BY dept) AS g",
        "SELECT last(s) AS f FROM (SELECT dept, SUM(sal) AS s FROM emp GROUP BY dept) AS g",
    ),
    ("SELECT id FROM emp ORDER BY sal LIMIT 1", "SELECT id FROM emp ORDER BY sal, id DESC LIMIT 1"),
    ("SELECT id, COUNT(*) AS n FROM emp GROUP BY id", "SELECT id, 1L AS n FROM emp"),
    (
        "SELECT sal + 2147483647 AS s FROM emp WHERE sal > 0",
        "SELECT -1 AS s FROM emp WHERE sal > 0",
    ),
]


@pytest.mark.parametrize(("p", "q"), SAME)
def test_nothing_is_refuted_that_may_be_equal(p: str, q: str) -> None:
    """By constraints, by rounding, by a choice that can be the same, or because a run fails."""
    assert not isinstance(find_witness(refutation(p, q)), Witness)


def test_random_numbers_are_never_refuted() -> None:
    found = find_witness(
        refutation("SELECT id FROM emp WHERE rand() > 0.5", "SELECT id FROM emp WHERE rand() > 0.7")
    )
    assert isinstance(found, CannotRefute)
    assert "random" in found.text


def test_unknown_functions_are_never_refuted() -> None:
    def version(predicate: str) -> Version:
        operators = {
            "t": {"type": "source", "columns": {"a": "int"}},
            "f": {"type": "udf", "function": "f", "reads": ["a"], "adds": {"y": "int"}},
            "k": {"type": "filter", "predicate": predicate},
            "r": {"type": "sink"},
        }
        links = [["t", "f"], ["f", "k"], ["k", "r"]]
        return Version(
            "v", read_workflow(json.dumps({"operators": operators, "links": links})), True
        )

    report = verify(version("y > 1"), version("y > 2"))
    assert report.verdict is Verdict.UNKNOWN
    assert "the results of 'f' (UDF) are not known" in reason_text(report.sinks[0].reason)


def test_only_the_cone_of_a_sink_counts() -> None:
    p = read_sql(
        "INSERT INTO x SELECT id FROM emp; INSERT INTO y SELECT 1 / 0 AS z FROM dept", SCHEMA
    )
    q = read_sql(
        "INSERT INTO x SELECT id + 1 AS id FROM emp; INSERT INTO y SELECT 1 / 0 AS z FROM dept",
        SCHEMA,
    )
    report = verify(Version("p", p, False), Version("q", q, False))
    assert {s.p: s.verdict.value for s in report.sinks} == {"x": "inequivalent", "y": "equivalent"}


def test_instances_keep_the_constraints_and_repeat_for_a_seed() -> None:
    dataflow = flow("SELECT * FROM emp JOIN dept ON dept = d WHERE sal > 77")
    one, two = Instances([dataflow], 3), Instances([dataflow], 3)
    seen = set()
    for number in range(200):
        tables = one.make(number)
        assert tables == two.make(number)
        assert constraints_hold(one.sources, tables)
        seen |= {row[3] for row in tables["emp"]}
    assert {76, 77, 78, None} <= seen


def test_the_guard_knows_that_ties_are_broken_by_chance() -> None:
    rows = "SELECT id FROM (SELECT id, sal FROM emp ORDER BY id {}) AS x ORDER BY {} LIMIT {}"
    first, last = rows.format("ASC", "sal", 1), rows.format("DESC", "sal", 1)
    assert first_difference(refutation(first, last), 60) is None
    for wrong in (rows.format("DESC", "sal DESC", 1), rows.format("DESC", "sal", 2)):
        assert first_difference(refutation(first, wrong), 60) is not None
    # What only one of them can give is a difference.
    fewer = (
        "SELECT MIN(id) AS id FROM emp WHERE sal = (SELECT MIN(sal) FROM emp) HAVING COUNT(*) > 0"
    )
    ties = "SELECT id FROM emp WHERE sal IS NOT NULL ORDER BY sal LIMIT 1"
    assert first_difference(refutation(ties, fewer), 200) is not None


def test_the_guard_finds_what_a_wrong_proof_would_claim() -> None:
    assert (
        first_difference(refutation("SELECT sal FROM emp", "SELECT boss FROM emp"), 8) is not None
    )
    assert first_difference(refutation("SELECT sal FROM emp", "SELECT sal FROM emp"), 8) is None
