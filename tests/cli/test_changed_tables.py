"""MERGE, UPDATE and DELETE: sinks that hold the rows of the table afterwards."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command import veer

TABLES = """
CREATE TABLE customers (id INT NOT NULL, name STRING, city STRING, status STRING, points INT,
  updated DATE);
CREATE TABLE feed (id INT NOT NULL, name STRING, city STRING, points INT, deleted BOOLEAN, at DATE);
CREATE TABLE blocked (id INT, reason STRING);
CREATE TABLE accounts (id INT NOT NULL PRIMARY KEY, balance DECIMAL(12,2), owner INT);
CREATE TABLE payments (id INT NOT NULL PRIMARY KEY, account INT, amount DECIMAL(12,2), day DATE)
"""
UPSERT = """MERGE INTO customers AS t USING feed AS s ON t.id = s.id
WHEN MATCHED AND s.deleted THEN DELETE
WHEN MATCHED THEN UPDATE SET t.name = s.name, t.city = s.city
WHEN NOT MATCHED THEN INSERT (id, name, city, status, points, updated)
  VALUES (s.id, s.name, s.city, 'new', 0, s.at)"""
LATEST = """MERGE INTO customers t USING (
  SELECT id, name, city FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at DESC, name, city)
    AS n FROM feed) WHERE n = 1) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET name = s.name, city = s.city"""

# Title, P, Q.
EQUAL = [
    (
        "update: the condition said otherwise",
        "UPDATE customers SET status = 'gold' WHERE points >= 100 AND NOT status = 'blocked'",
        "UPDATE customers SET status = 'gold' WHERE status <> 'blocked' AND 100 <= points",
    ),
    (
        "update: CASE over all rows",
        "UPDATE customers SET status = 'gold' WHERE points > 100",
        "UPDATE customers SET status = CASE WHEN points > 100 THEN 'gold' ELSE status END",
    ),
    (
        "update: two statements in one",
        "UPDATE customers SET city = 'Unknown' WHERE city IS NULL; "
        "UPDATE customers SET points = 0 WHERE points IS NULL",
        "UPDATE customers SET city = coalesce(city, 'Unknown'), points = coalesce(points, 0)",
    ),
    (
        "delete: two statements in one",
        "DELETE FROM customers WHERE status = 'closed'; DELETE FROM customers WHERE points < 0",
        "DELETE FROM customers WHERE points < 0 OR status = 'closed'",
    ),
    (
        "delete: IN and EXISTS",
        "DELETE FROM customers WHERE id IN (SELECT id FROM blocked WHERE reason = 'fraud')",
        "DELETE FROM customers c WHERE EXISTS "
        "(SELECT 1 FROM blocked b WHERE b.id = c.id AND b.reason = 'fraud')",
    ),
    (
        "delete: by MERGE",
        "DELETE FROM customers WHERE EXISTS (SELECT 1 FROM blocked b WHERE b.id = customers.id)",
        "MERGE INTO customers t USING blocked s ON s.id = t.id WHEN MATCHED THEN DELETE",
    ),
    (
        "merge: the source by WITH and a moved filter",
        "MERGE INTO customers t USING (SELECT f.* FROM feed f WHERE f.at > DATE'2024-01-01' AND f.id > 0) s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name",
        "MERGE INTO customers t USING (WITH recent AS (SELECT * FROM feed WHERE at > DATE'2024-01-01') "
        "SELECT * FROM recent WHERE id > 0) s "
        "ON s.id = t.id WHEN MATCHED THEN UPDATE SET name = s.name",
    ),
    (
        "merge: clauses with disjoint conditions in another order",
        UPSERT,
        """MERGE INTO customers AS c USING feed AS f ON f.id = c.id
        WHEN MATCHED AND NOT coalesce(f.deleted, false) THEN UPDATE SET city = f.city, name = f.name
        WHEN MATCHED THEN DELETE
        WHEN NOT MATCHED THEN INSERT (name, id, city, points, status, updated)
          VALUES (f.name, f.id, f.city, 0, 'new', f.at)""",
    ),
    (
        "merge: all columns by star",
        "MERGE INTO accounts t USING (SELECT account AS id, SUM(amount) AS balance, 1 AS owner "
        "FROM payments WHERE account IS NOT NULL GROUP BY account) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        "MERGE INTO accounts USING (SELECT account AS a, SUM(amount) AS total FROM payments "
        "WHERE NOT account IS NULL GROUP BY account) ON id = a "
        "WHEN MATCHED THEN UPDATE SET id = a, balance = total, owner = 1 "
        "WHEN NOT MATCHED BY TARGET THEN INSERT (id, balance, owner) VALUES (a, total, 1)",
    ),
    (
        "merge: updates that change nothing are left out",
        "MERGE INTO customers t USING feed s ON t.id = s.id WHEN MATCHED THEN UPDATE SET city = s.city",
        "MERGE INTO customers t USING feed s ON t.id = s.id "
        "WHEN MATCHED AND NOT s.city <=> t.city THEN UPDATE SET city = s.city",
    ),
    (
        "merge: the latest row of each key",
        LATEST,
        """MERGE INTO customers USING (
          WITH numbered AS (SELECT *, ROW_NUMBER() OVER w AS number FROM feed
            WINDOW w AS (PARTITION BY id ORDER BY at DESC NULLS LAST, name, city))
          SELECT city, name, id FROM numbered WHERE 1 = number) AS latest
        ON latest.id = customers.id WHEN MATCHED THEN UPDATE SET city = latest.city, name = latest.name""",
    ),
    (
        "merge: rows that are no longer in the source",
        "MERGE INTO customers t USING (SELECT DISTINCT id FROM feed) s ON t.id = s.id "
        "WHEN NOT MATCHED BY SOURCE THEN DELETE",
        "DELETE FROM customers t WHERE NOT EXISTS (SELECT 1 FROM feed WHERE feed.id = t.id)",
    ),
    (
        "merge: soft deletes",
        "MERGE INTO customers t USING (SELECT id, MAX(at) AS at FROM feed GROUP BY id) s ON t.id = s.id "
        "WHEN NOT MATCHED BY SOURCE AND t.status = 'active' THEN UPDATE SET status = 'gone'",
        "UPDATE customers t SET status = 'gone' "
        "WHERE status = 'active' AND NOT EXISTS (SELECT id FROM feed s WHERE s.id = t.id)",
    ),
]
# Title, P, Q, whether the difference may stay unknown.
OTHER = [
    (
        "update: null conditions keep rows",
        "UPDATE customers SET status = 'poor' WHERE NOT points > 100",
        "UPDATE customers SET status = CASE WHEN points > 100 THEN status ELSE 'poor' END",
    ),
    (
        "update: another bound",
        "UPDATE customers SET status = 'gold' WHERE points > 100",
        "UPDATE customers SET status = 'gold' WHERE points >= 100",
    ),
    (
        "update: a swap reads the old values",
        "UPDATE customers SET name = city, city = name",
        "UPDATE customers SET name = city; UPDATE customers SET city = name",
    ),
    (
        "update: two statements in the other order",
        "UPDATE customers SET points = points + 1 WHERE points > 10; "
        "UPDATE customers SET points = 0 WHERE points > 20",
        "UPDATE customers SET points = 0 WHERE points > 20; "
        "UPDATE customers SET points = points + 1 WHERE points > 10",
    ),
    (
        "delete: NOT IN with nulls",
        "DELETE FROM customers WHERE id NOT IN (SELECT id FROM blocked)",
        "DELETE FROM customers c WHERE NOT EXISTS (SELECT 1 FROM blocked b WHERE b.id = c.id)",
    ),
    (
        "delete: the other rows",
        "DELETE FROM customers WHERE status = 'closed'",
        "DELETE FROM customers WHERE NOT status = 'open'",
    ),
    (
        "merge: clauses in the other order",
        UPSERT,
        """MERGE INTO customers AS t USING feed AS s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET t.name = s.name, t.city = s.city
        WHEN NOT MATCHED THEN INSERT (id, name, city, status, points, updated)
          VALUES (s.id, s.name, s.city, 'new', 0, s.at)""",
    ),
    (
        "merge: a null condition is not met",
        UPSERT,
        UPSERT.replace("s.deleted THEN DELETE", "NOT s.deleted IS FALSE THEN DELETE"),
    ),
    (
        "merge: the condition in ON inserts what is not met",
        "MERGE INTO customers t USING feed s ON t.id = s.id WHEN MATCHED AND s.points > 0 THEN "
        "UPDATE SET points = s.points WHEN NOT MATCHED THEN INSERT (id, name, city, status, points, updated) "
        "VALUES (s.id, s.name, s.city, NULL, s.points, NULL)",
        "MERGE INTO customers t USING feed s ON t.id = s.id AND s.points > 0 WHEN MATCHED THEN "
        "UPDATE SET points = s.points WHEN NOT MATCHED THEN INSERT (id, name, city, status, points, updated) "
        "VALUES (s.id, s.name, s.city, NULL, s.points, NULL)",
    ),
    (
        "merge: source rows that repeat fail, DISTINCT ones do not",
        "MERGE INTO customers t USING (SELECT id, city FROM feed) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET city = s.city",
        "MERGE INTO customers t USING (SELECT DISTINCT id, city FROM feed) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET city = s.city",
    ),
    (
        "merge: a condition does not count for what is matched twice",
        "MERGE INTO customers t USING feed s ON t.id = s.id "
        "WHEN MATCHED AND s.points > 0 THEN UPDATE SET points = s.points",
        "MERGE INTO customers t USING (SELECT * FROM feed WHERE points > 0) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET points = s.points",
    ),
    (
        "merge: a conditional DELETE is checked, a plain one is not",
        "MERGE INTO customers t USING blocked s ON t.id = s.id WHEN MATCHED THEN DELETE",
        "MERGE INTO customers t USING blocked s ON t.id = s.id WHEN MATCHED AND true THEN DELETE",
    ),
    (
        "merge: ties among the latest rows",
        LATEST,
        LATEST.replace("ROW_NUMBER()", "RANK()"),
    ),
    (
        "merge: other rows inserted",
        "MERGE INTO customers t USING feed s ON t.id = s.id WHEN NOT MATCHED AND s.points > 0 THEN "
        "INSERT (id, name, city, status, points, updated) VALUES (s.id, s.name, NULL, NULL, 0, NULL)",
        "MERGE INTO customers t USING feed s ON t.id = s.id WHEN NOT MATCHED THEN "
        "INSERT (id, name, city, status, points, updated) VALUES (s.id, s.name, NULL, NULL, 0, NULL)",
    ),
    (
        "merge: rows gone from the source",
        "MERGE INTO customers t USING (SELECT DISTINCT id FROM feed) s ON t.id = s.id "
        "WHEN NOT MATCHED BY SOURCE THEN DELETE",
        "MERGE INTO customers t USING (SELECT DISTINCT id FROM feed WHERE NOT deleted) s ON t.id = s.id "
        "WHEN NOT MATCHED BY SOURCE THEN DELETE",
    ),
]


def verdicts(folder: Path, pairs: list[tuple[str, str, str]]) -> dict[str, dict[str, str]]:
    lines = [{"id": title, "schema": TABLES, "p": p, "q": q} for title, p, q in pairs]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = veer("batch", "pairs.jsonl", "--workers", "2", cwd=folder)
    return {line["id"]: line for line in map(json.loads, done.stdout.splitlines())}


def test_the_rows_afterwards_are_compared(tmp_path: Path) -> None:
    lines = verdicts(tmp_path, EQUAL + OTHER)
    wrong = {
        title: lines[title]["reason"]
        for title, _, _ in EQUAL
        if lines[title]["verdict"] != "equivalent"
    }
    assert not wrong
    for title, *_ in OTHER:
        assert lines[title]["verdict"] == "inequivalent", title


REFUSED = [
    ("UPDATE nowhere SET a = 1", "unknown table 'nowhere'"),
    ("UPDATE customers SET nothing = 1", "unknown column 'nothing'"),
    ("UPDATE customers SET name = rand()", "differs from call to call"),
    ("UPDATE customers SET points = '1'", "storing string in a column of int"),
    ("UPDATE customers SET points = DEFAULT", "the DEFAULT of a column"),
    ("UPDATE customers SET points = 1, points = 2", "two values for column 'points'"),
    ("INSERT INTO customers SELECT * FROM customers; DELETE FROM customers", "written to"),
    (
        "DELETE FROM customers; INSERT INTO customers SELECT * FROM customers",
        "two statements write",
    ),
    (
        "CREATE VIEW v AS SELECT * FROM customers; DELETE FROM customers; SELECT * FROM v",
        "written to",
    ),
    (
        "CREATE VIEW v AS SELECT * FROM feed; DELETE FROM v",
        "of a table or view that an earlier statement created",
    ),
    (f"{UPSERT}; SELECT * FROM customers", "reading a table after it was written to"),
    (f"{UPSERT}; DELETE FROM customers", "reading a table after it was written to"),
    (
        "DELETE FROM customers; SELECT * FROM feed WHERE id IN (SELECT id FROM customers)",
        "a subquery reads",
    ),
    (
        "MERGE INTO customers t USING feed s ON t.id = s.id WHEN NOT MATCHED BY SOURCE THEN DELETE",
        "MERGE with NOT MATCHED BY SOURCE and no MATCHED",
    ),
    (
        "MERGE INTO customers t USING feed s ON t.id IN (SELECT id FROM blocked) WHEN MATCHED THEN DELETE",
        "a subquery in a condition of MERGE",
    ),
    (
        "MERGE INTO customers t USING feed s ON s.id > 1 WHEN MATCHED THEN UPDATE SET name = s.name",
        "ON without a column of the table",
    ),
    (
        "MERGE INTO customers t USING feed s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *",
        "* needs one column 'status' of the source",
    ),
    (
        "MERGE INTO customers t USING feed s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = city",
        "ambiguous",
    ),
]


def test_what_is_out_of_reach_is_refused_by_name(tmp_path: Path) -> None:
    lines = verdicts(tmp_path, [(text, text, text) for text, _ in REFUSED])
    for text, said in REFUSED:
        assert lines[text]["verdict"] == "error" and said in lines[text]["reason"], lines[text]


def test_later_statements_read_what_a_change_left(tmp_path: Path) -> None:
    before = "DELETE FROM customers WHERE points < 0; "
    count = "SELECT COUNT(*) AS n FROM customers"
    lines = verdicts(
        tmp_path,
        [
            ("seen", f"{before}{count}", f"{before}{count} WHERE points >= 0 OR points IS NULL"),
            ("missed", f"{before}{count}", f"{count}"),
        ],
    )
    assert lines["seen"]["verdict"] == "equivalent"
    assert lines["missed"]["verdict"] != "equivalent"


def test_a_default_nobody_knows_is_neither_null_nor_refuted(tmp_path: Path) -> None:
    merge = "MERGE INTO customers t USING feed s ON t.id = s.id WHEN NOT MATCHED THEN INSERT "
    some = "(id, name) VALUES (s.id, s.name)"
    null = "(id, name, city, status, points, updated) VALUES (s.id, s.name, NULL, NULL, NULL, NULL)"
    lines = verdicts(
        tmp_path,
        [
            ("same", f"{merge}{some}", f"{merge}(name, id) VALUES (s.name, s.id)"),
            ("null", merge + some, merge + null),
        ],
    )
    assert lines["same"]["verdict"] == "equivalent"
    assert lines["null"]["verdict"] == "unknown"


def test_a_witness_of_a_change_is_data_not_a_script(tmp_path: Path) -> None:
    (tmp_path / "t.ddl").write_text(TABLES)
    (tmp_path / "p.sql").write_text("DELETE FROM customers WHERE points < 0")
    (tmp_path / "q.sql").write_text("DELETE FROM customers WHERE points <= 0")
    done = veer("verify", "p.sql", "q.sql", "--schema", "t.ddl", "--witness-out", "w", cwd=tmp_path)
    assert done.returncode == 1 and "changed table" not in done.stderr
    assert [path.suffix for path in (tmp_path / "w").iterdir()] == [".json"]


def test_changes_are_compared_and_not_run(tmp_path: Path) -> None:
    (tmp_path / "t.ddl").write_text(TABLES)
    (tmp_path / "p.sql").write_text("DELETE FROM customers WHERE points < 0")
    done = veer("run", "p.sql", "--schema", "t.ddl", cwd=tmp_path)
    assert (
        done.returncode == 65
        and "Veer compares UPDATE, DELETE and MERGE but does not run them: customers is not changed"
        in done.stderr
    )


def test_what_only_spark_stops_is_assumed(tmp_path: Path) -> None:
    """Other makers of tables stop a MERGE by another rule: a proof that rests on Spark's says so."""
    merge = (
        "MERGE INTO customers t USING feed s ON t.id = s.id "
        "WHEN MATCHED AND {} THEN UPDATE SET points = s.points"
    )
    (tmp_path / "t.ddl").write_text(TABLES)
    for name, condition in (("p", "s.points > 1"), ("q", "1 < s.points"), ("same", "s.points > 1")):
        (tmp_path / f"{name}.sql").write_text(merge.format(condition))
    told = {}
    for other in ("q.sql", "same.sql"):
        words = ("verify", "p.sql", other, "--schema", "t.ddl", "--format", "json")
        report = json.loads(veer(*words, cwd=tmp_path).stdout)
        assert report["verdict"] == "equivalent"
        told[other] = str([s["assumptions"] for s in report["sinks"]])
    assert "fails if a row matches several rows" in told["q.sql"]
    assert "fails if a row matches" not in told["same.sql"]
