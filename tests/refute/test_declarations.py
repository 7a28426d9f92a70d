"""Instances keep what either version declares; where they contradict each other there are none."""

from __future__ import annotations

from decimal import Decimal

import pytest

from veer.api import Comparison, Version, verify
from veer.errors import InputError
from veer.options import ColumnMatching
from veer.read.sql import read_schema, read_sql
from veer.refute.instances import Instances, conflict, constraints_hold
from veer.show.wording import assumption_text, reason_text
from veer.verdict import Report, Verdict


def compared(p: str, q: str, ddl_p: str, ddl_q: str = "") -> Report:
    sides = [read_sql(text, ddl) for text, ddl in ((p, ddl_p), (q, ddl_q or ddl_p))]
    versions = (Version("P", sides[0], False), Version("Q", sides[1], False))
    return verify(*versions, Comparison(columns=ColumnMatching.POSITION))


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
    assert "declared in two ways" in reason_text(report.sinks[0].reason)
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
    assert report.verdict is Verdict.UNKNOWN
    assert "might break its foreign key (e)" in reason_text(report.sinks[0].reason)


def test_a_key_relied_on_in_a_subquery_is_listed() -> None:
    ddl = "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT); CREATE TABLE u (x INT)"
    text = "SELECT x, (SELECT v FROM t ORDER BY id LIMIT 1) AS first FROM u"
    report = compared(text, text, ddl)
    assert report.verdict is Verdict.EQUIVALENT
    assert [assumption_text(a) for a in report.sinks[0].assumptions] == ["id is a key of t"]


FAMILY = """
CREATE TABLE region (r INT NOT NULL PRIMARY KEY, name STRING NOT NULL, UNIQUE (name));
CREATE TABLE dept (
  d INT NOT NULL PRIMARY KEY, r INT NOT NULL, boss INT, code STRING,
  FOREIGN KEY (r) REFERENCES region (r), FOREIGN KEY (boss) REFERENCES emp (e), UNIQUE (code)
);
CREATE TABLE emp (e INT NOT NULL PRIMARY KEY, d INT NOT NULL, s INT, FOREIGN KEY (d) REFERENCES dept (d));
CREATE TABLE task (e INT NOT NULL, d INT, n INT, FOREIGN KEY (e) REFERENCES emp (e), FOREIGN KEY (d) REFERENCES dept (d))
"""


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ("SELECT e FROM emp WHERE s > 3", "SELECT e FROM emp WHERE s >= 3"),
        ("SELECT count(*) AS n FROM task", "SELECT count(DISTINCT n) AS n FROM task"),
        ("SELECT n FROM task", "SELECT n FROM task UNION ALL SELECT n FROM task"),
        (
            "SELECT t.n FROM task t JOIN emp USING (e) WHERE s > 1",
            "SELECT t.n FROM task t JOIN emp USING (e) WHERE s > 2",
        ),
        (
            "SELECT r FROM region WHERE r IN (SELECT s FROM emp)",
            "SELECT r FROM region WHERE r IN (SELECT d FROM emp)",
        ),
    ],
)
def test_rows_of_a_witness_have_their_parents(p: str, q: str) -> None:
    (sink,) = compared(p, q, FAMILY).sinks
    assert sink.verdict is Verdict.INEQUIVALENT and sink.witness is not None
    declared = {s.table: s for s in read_schema(FAMILY).values()}
    given = {n: [tuple(r) for r in t["rows"]] for n, t in sink.witness.tables.items()}
    assert constraints_hold(declared, {name: given.get(name, []) for name in declared})
    assert "region" in given


def test_rows_that_can_have_no_parents_are_no_witness() -> None:
    """A circle of foreign keys over columns that are never null: only the empty table is legal."""
    ddl = """
    CREATE TABLE a (i INT NOT NULL PRIMARY KEY, j SMALLINT NOT NULL, FOREIGN KEY (j) REFERENCES b (j));
    CREATE TABLE b (j SMALLINT NOT NULL PRIMARY KEY, k ARRAY<INT> NOT NULL)
    """
    p, q = "SELECT i FROM a WHERE i > 1", "SELECT i FROM a WHERE i > 2"
    assert compared(p, q, ddl).verdict is Verdict.UNKNOWN  # no value of an array is made up
    assert compared(p, q, ddl.replace("ARRAY<INT>", "INT")).verdict is Verdict.INEQUIVALENT


def test_unique_values_are_kept_by_instances() -> None:
    ddl = "CREATE TABLE t (id INT UNIQUE, x INT, y DOUBLE, UNIQUE (x, y))"
    flow = read_sql("SELECT id, x, y FROM t WHERE id > 1 AND x < 3", ddl)
    stream = Instances([flow])
    nulls = 0
    for number in range(200):
        rows = stream.make(number)["t"]
        assert constraints_hold(stream.sources, {"t": rows})
        ids = [row[0] for row in rows if row[0] is not None]
        assert len(set(ids)) == len(ids)
        nulls = max(nulls, sum(row[0] is None for row in rows))
    assert nulls > 1  # null repeats
    assert not constraints_hold(stream.sources, {"t": [(1, None, 1.0), (1, 2, 2.0)]})
    assert not constraints_hold(stream.sources, {"t": [(1, 2, 0.0), (2, 2, -0.0)]})
    assert constraints_hold(stream.sources, {"t": [(None, None, 1.0), (None, None, 1.0)]})


def test_a_column_that_is_never_null_refers_to_values_only() -> None:
    ddl = """
    CREATE TABLE p (a INT, b BIGINT, UNIQUE (b));
    CREATE TABLE c (a INT, b BIGINT NOT NULL, FOREIGN KEY (b) REFERENCES p (b))
    """
    stream = Instances([read_sql("SELECT c.a FROM c JOIN p ON c.b = p.b WHERE p.a > 1", ddl)])
    assert all(constraints_hold(stream.sources, stream.make(number)) for number in range(100))


def test_columns_of_other_types_are_joined() -> None:
    """Values that pass for a decimal are tried for the double it is joined to, NaN among them."""
    ddl = "CREATE TABLE t (a DECIMAL(5,2), c DOUBLE, s STRING)"
    p = "SELECT x.a FROM t x JOIN t y ON x.a = y.{} WHERE x.a >= CAST(1.5 AS DECIMAL(5,2))"
    for other in "cs":
        text = p.format(other)
        assert compared(text, text.replace("1.5", "2.5"), ddl).verdict is not Verdict.EQUIVALENT


@pytest.mark.parametrize(
    "declared",
    [
        "id INT, v INT, CHECK (v > 10)",
        "id INT, v INT CHECK (v > 10)",
        "id INT, v INT, CONSTRAINT positive CHECK (v > 10 AND id IS NOT NULL)",
    ],
)
def test_witnesses_pass_checks(declared: str) -> None:
    ddl = f"CREATE TABLE t ({declared})"
    p, q = "SELECT id FROM t WHERE v > 5 OR v IS NULL", "SELECT id FROM t"
    assert compared(p, q, PLAIN).verdict is Verdict.INEQUIVALENT
    assert compared(p, q, ddl).verdict is not Verdict.INEQUIVALENT
    assert compared(p.replace("5", "15"), q, ddl).verdict is Verdict.INEQUIVALENT


def test_a_check_that_is_not_understood_leaves_no_witness() -> None:
    ddl = "CREATE TABLE t (id INT, v INT, CHECK (soundex(v) = 'x'))"
    report = compared("SELECT id FROM t", "SELECT v AS id FROM t", ddl)
    assert report.verdict is Verdict.UNKNOWN and "CHECK" in reason_text(report.sinks[0].reason)


QUALIFIED = """
CREATE TABLE one.a (id INT NOT NULL PRIMARY KEY);
CREATE TABLE a (id INT NOT NULL PRIMARY KEY);
CREATE TABLE b (x INT NOT NULL REFERENCES one.a(id), y INT)
"""


def test_a_table_of_another_schema_is_no_parent() -> None:
    all_rows = "SELECT y FROM b"
    for joined, verdict in (("one.a", Verdict.EQUIVALENT), ("a", Verdict.INEQUIVALENT)):
        text = f"SELECT b.y FROM b JOIN {joined} AS p ON b.x = p.id"
        assert compared(text, all_rows, QUALIFIED).verdict is verdict


def test_a_foreign_key_of_another_width_is_kept() -> None:
    ddl = """
    CREATE TABLE a (id BIGINT NOT NULL PRIMARY KEY);
    CREATE TABLE b (x INT NOT NULL REFERENCES a(id), y INT)
    """
    p, q = "SELECT b.y FROM b JOIN a ON b.x = a.id", "SELECT y FROM b"
    assert compared(p, q, ddl).verdict is not Verdict.INEQUIVALENT
    assert compared(p, f"{q} WHERE y > 1", ddl).verdict is Verdict.INEQUIVALENT
    text = ddl.replace("x INT", "x STRING")  # compared as numbers: no witness keeps that
    assert compared(p, f"{q} WHERE y > 1", text).verdict is Verdict.UNKNOWN


def test_lengths_inside_of_columns_leave_no_witness() -> None:
    ddl = "CREATE TABLE c (i INT, z STRUCT<a: VARCHAR(1)>)"
    p = "SELECT z.a AS a FROM c"
    report = compared(p, f"{p} WHERE z.a IS NULL OR length(z.a) < 2", ddl)
    assert report.verdict is not Verdict.INEQUIVALENT


def test_rows_of_parents_pass_checks_too() -> None:
    ddl = """
    CREATE TABLE p (y INT NOT NULL PRIMARY KEY, CHECK (y {}));
    CREATE TABLE c (x INT NOT NULL REFERENCES p(y))
    """
    p, q = "SELECT x FROM c", "SELECT x FROM c WHERE x > 0"
    assert compared(p, q, ddl.format("< 5")).verdict is Verdict.INEQUIVALENT
    assert compared(p, q, ddl.format("> 0")).verdict is Verdict.UNKNOWN
    assert compared(p, q, ddl.format("IN (SELECT 1)")).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "declared",
    [
        "a INT, UNIQUE NULLS NOT DISTINCT (a)",
        "a INT UNIQUE NULLS NOT DISTINCT",
        "a INT, UNIQUE ()",
        "a VARCHAR(b)",
        "a INT, UNIQUE (b)",
        "a INT, y STRUCT<a: INT>, UNIQUE (y.a)",
        "lower INT, x STRING, UNIQUE (lower(x))",
        "x INT, UNIQUE (x(3))",
        "x INT, FOREIGN KEY (x) REFERENCES p (y) MATCH FULL",
    ],
)
def test_odd_declarations_are_refused(declared: str) -> None:
    with pytest.raises(InputError):
        read_schema(f"CREATE TABLE t ({declared})")


def test_what_says_how_constraints_are_enforced_is_read_over() -> None:
    enforced = "NOT ENFORCED RELY"
    ddl = f"a INT, b INT, PRIMARY KEY (a) {enforced}, FOREIGN KEY (b) REFERENCES t (a) {enforced}"
    (table,) = read_schema(f"CREATE TABLE t ({ddl}, UNIQUE (b))").values()
    assert table.keys == (("a",),) and table.unique == (("b",),) and table.foreign_keys


def test_a_parent_that_may_be_another_table_leaves_no_witness() -> None:
    ddl = QUALIFIED.replace("CREATE TABLE a (id INT NOT NULL PRIMARY KEY);", "").replace(
        "REFERENCES one.a", "REFERENCES a"
    )
    report = compared("SELECT y FROM b", "SELECT y FROM b WHERE y > 1", ddl)
    assert report.verdict is Verdict.UNKNOWN and "foreign key" in reason_text(
        report.sinks[0].reason
    )
