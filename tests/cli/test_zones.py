"""Sessions in another time zone than UTC, through the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import veer
from veer.api import verify
from veer.read.spec import load_pair

ZONE = "spark.sql.session.timeZone"
BERLIN = ("--conf", f"{ZONE}=Europe/Berlin")
TABLES = (
    "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, ts TIMESTAMP, tu TIMESTAMP, dt DATE, s STRING)"
)
PAIRS = [
    # P, Q, the verdict in UTC, and in Berlin
    ("SELECT id, hour(ts) AS h FROM t WHERE date(ts) = DATE '2024-03-31'",
     "SELECT id, h FROM (SELECT id, hour(ts) AS h, to_date(ts) AS d FROM t) WHERE d = '2024-03-31'",
     "equivalent", "equivalent"),
    ("SELECT id, hour(ts + INTERVAL 1 HOUR) AS h FROM t",
     "SELECT id, (hour(ts) + 1) % 24 AS h FROM t", "equivalent", "inequivalent"),
    ("SELECT id FROM t WHERE ts + INTERVAL 12 HOURS + INTERVAL 12 HOURS > tu",
     "SELECT id FROM t WHERE ts + INTERVAL 1 DAY > tu", "equivalent", "inequivalent"),
    ("SELECT id FROM t WHERE ts + INTERVAL 24 HOURS > tu",  # Spark takes them for a day
     "SELECT id FROM t WHERE ts + INTERVAL 1 DAY > tu", "equivalent", "equivalent"),
    ("SELECT id FROM t WHERE ts + INTERVAL 1 HOUR + INTERVAL 2 HOURS > tu",
     "SELECT id FROM t WHERE ts + INTERVAL 3 HOURS > tu", "equivalent", "equivalent"),
    ("SELECT id, CAST(CAST(ts AS TIMESTAMP_NTZ) AS TIMESTAMP) AS x FROM t",
     "SELECT id, ts AS x FROM t", "equivalent", "inequivalent"),
    ("SELECT id, CAST(date_trunc('DAY', ts) AS BIGINT) AS x FROM t",
     "SELECT id, CAST(ts AS BIGINT) - 3600 * hour(ts) - 60 * minute(ts) - second(ts) AS x FROM t",
     "unknown", "inequivalent"),
    ("SELECT id FROM t WHERE ts >= '2024-06-01'", "SELECT id FROM t WHERE ts >= TIMESTAMP '2024-06-01 00:00:00'",
     "equivalent", "equivalent"),
    ("SELECT id FROM t WHERE ts >= '2024-06-01'", "SELECT id FROM t WHERE ts >= '2024-06-01 00:00:00Z'",
     "equivalent", "inequivalent"),
    ("SELECT id FROM t WHERE date(ts) = '2024-06-01'",
     "SELECT id FROM t WHERE ts >= '2024-06-01' AND ts < TIMESTAMP '2024-06-02'", "equivalent", "equivalent"),
    ("SELECT id FROM t WHERE date(ts) = '2024-03-31'",  # a day of 23 hours
     "SELECT id FROM t WHERE ts >= '2024-03-31' AND ts < '2024-03-31 23:00:00'", "inequivalent", "inequivalent"),
    ("SELECT id FROM t WHERE to_date(ts) < DATE '2024-03-31'",
     "SELECT id FROM t WHERE unix_timestamp(ts) < 1711843200 AND ts >= '1971-01-01' OR ts < '1971-01-01'",
     "equivalent", "inequivalent"),
    ("SELECT id FROM t WHERE year(ts) = 2024 AND ts >= '2024-01-01'", "SELECT id FROM t WHERE year(ts) = 2024",
     "equivalent", "equivalent"),
    ("SELECT id FROM t WHERE date_trunc('MONTH', ts) = '2024-03-01'",
     "SELECT id FROM t WHERE ts >= '2024-03-01' AND ts < '2024-04-01'", "equivalent", "equivalent"),
    ("SELECT id FROM t WHERE ts - INTERVAL 1 HOUR + INTERVAL 1 HOUR > tu", "SELECT id FROM t WHERE ts > tu",
     "equivalent", "equivalent"),
    ("SELECT id, date_trunc('DAY', ts) AS d FROM t",  # Berlin, the night to 1916-10-01
     "SELECT id, CAST(CAST(ts AS DATE) AS TIMESTAMP) AS d FROM t", "equivalent", "unknown"),
    ("SELECT max(ts) AS m FROM t GROUP BY date(ts)",
     "SELECT max(ts) AS m FROM t GROUP BY year(ts), month(ts), day(ts)", "equivalent", "equivalent"),
]  # fmt: skip


def answered(folder: Path, *words: str) -> dict[str, Any]:
    done = veer("verify", *words, "--schema", "t.ddl", "--format", "json", cwd=folder)
    assert done.returncode in (0, 1, 2), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_queries_mean_what_clocks_of_the_zone_say(tmp_path: Path) -> None:
    (tmp_path / "t.ddl").write_text(TABLES)
    for p, q, here, there in PAIRS:
        (tmp_path / "p.sql").write_text(p)
        (tmp_path / "q.sql").write_text(q)
        paths, schema = [f"{tmp_path}/{name}.sql" for name in "pq"], f"{tmp_path}/t.ddl"
        confs: list[dict[str, str]] = [{}, {ZONE: "Europe/Berlin"}]
        pairs = [load_pair(*paths, schema=schema, conf=conf) for conf in confs]
        found = [verify(*pair).verdict.value for pair in pairs]
        assert found == [here, there], (p, q)


def test_a_witness_is_shown_in_the_zone(tmp_path: Path) -> None:
    (tmp_path / "t.ddl").write_text(TABLES)
    (tmp_path / "p.sql").write_text(PAIRS[1][0])
    (tmp_path / "q.sql").write_text(PAIRS[1][1])
    report = answered(tmp_path, "p.sql", "q.sql", *BERLIN)
    (row,) = report["sinks"][0]["witness"]["tables"]["t"]["rows"]
    assert row[1] in ("2024-03-31 01:30:00+01:00", "2024-10-27 02:30:00+02:00")


JOBS = f"""
from pyspark.sql import SparkSession, functions as F

def build(spark):
    spark.conf.set("{ZONE}", "Europe/Berlin")
    return spark.table("t").select("id", F.to_date("ts").alias("d"))

def by_sql(spark):
    spark.sql("SET TIME ZONE 'Europe/Berlin'")
    return spark.sql("SELECT id, CAST(ts AS DATE) AS d FROM t")

def by_builder(spark):
    spark = SparkSession.builder.config("{ZONE}", "Europe/Berlin").getOrCreate()
    return spark.table("t").select("id", F.col("ts").cast("date").alias("d"))

def by_command(spark):
    return spark.table("t").select("id", F.to_date("ts").alias("d"))

def elsewhere(spark):
    spark.conf.set("{ZONE}", "America/New_York")
    return spark.table("t").select("id", F.to_date("ts").alias("d"))

def too_late(spark):
    frame = spark.table("t").select("id", F.to_date("ts").alias("d"))
    spark.conf.set("{ZONE}", "Europe/Berlin")
    return frame

def nowhere(spark):
    spark.conf.set("{ZONE}", "Europe/Bonn")
    return spark.table("t").select("id")

def files(spark):
    spark.conf.set("{ZONE}", "Europe/Berlin")
    spark.read.schema("id INT, ts TIMESTAMP").csv("in.csv").write.json("out")

def other_files(spark):
    spark.conf.set("{ZONE}", "America/New_York")
    spark.read.schema("id INT, ts TIMESTAMP").csv("in.csv").write.json("out")

@F.udf("string")
def text(moment):
    return str(moment)

def called(spark):
    spark.conf.set("{ZONE}", "Europe/Berlin")
    return spark.table("t").select("id", text("ts").alias("x"))

def called_elsewhere(spark):
    spark.conf.set("{ZONE}", "America/New_York")
    return spark.table("t").select("id", text("ts").alias("x"))
"""
JOB_PAIRS = [
    ("build", "by_sql", (), "equivalent"),
    ("by_builder", "by_command", BERLIN, "equivalent"),
    ("build", "elsewhere", (), "inequivalent"),
    ("files", "files", (), "equivalent"),
    ("files", "other_files", (), "unknown"),
    ("called", "called_elsewhere", (), "unknown"),
]


@pytest.mark.parametrize(("p", "q", "conf", "verdict"), JOB_PAIRS)
def test_jobs_say_their_zone(
    tmp_path: Path, p: str, q: str, conf: tuple[str, ...], verdict: str
) -> None:
    (tmp_path / "t.ddl").write_text(TABLES)
    (tmp_path / "job.py").write_text(JOBS)
    words = (f"job.py:{p}", f"job.py:{q}", "--jvm", "never", *conf)
    assert answered(tmp_path, *words)["verdict"] == verdict


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("too_late", "is changed"),
        ("nowhere", "the time zone 'Europe/Bonn' is not known"),
    ],
)
def test_zones_of_jobs_that_are_refused(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "t.ddl").write_text(TABLES)
    (tmp_path / "job.py").write_text(JOBS)
    done = veer("show", f"job.py:{name}", "--schema", "t.ddl", "--jvm", "never", cwd=tmp_path)
    assert done.returncode == 65 and reason in done.stderr


def test_checks_of_tables_are_not_read_in_another_zone(tmp_path: Path) -> None:
    (tmp_path / "t.ddl").write_text(TABLES[:-1] + ", CHECK (ts > '2024-01-01'))")
    (tmp_path / "job.py").write_text(JOBS)
    done = veer("show", "job.py:build", "--schema", "t.ddl", "--jvm", "never", cwd=tmp_path)
    assert done.returncode == 65 and "CHECK of the table t depends on the time zone" in done.stderr


def test_a_zone_of_the_project_file(tmp_path: Path) -> None:
    (tmp_path / "t.ddl").write_text(TABLES)
    (tmp_path / "veer.toml").write_text(f'[conf]\n{ZONE} = "Europe/Berlin"\n')
    (tmp_path / "q.sql").write_text("SELECT hour(ts) AS h FROM t")
    done = veer("show", "q.sql", "--schema", "t.ddl", cwd=tmp_path)
    assert done.returncode == 0 and "'Europe/Berlin'" in done.stdout
    (tmp_path / "veer.toml").write_text(f'[conf]\n{ZONE} = "Europe/Bonn"\n')
    done = veer("show", "q.sql", "--schema", "t.ddl", cwd=tmp_path)
    assert done.returncode == 65 and "the time zone 'Europe/Bonn' is not known" in done.stderr


FLOW = """
veer: 1
operators:
  t: {type: source, format: csv, location: in.csv, columns: {id: int, ts: timestamp}}
  late: {type: filter, predicate: hour(ts) >= 22}
  out: {type: sink}
links: [[t, late], [late, out]]
"""


def test_workflows(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(FLOW)
    (tmp_path / "q.yaml").write_text(FLOW.replace("hour(ts) >= 22", "22 <= hour(ts)"))
    done = veer("verify", "p.yaml", "q.yaml", *BERLIN, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    shown = veer("show", "p.yaml", *BERLIN, cwd=tmp_path)
    assert "zoned.wall_clock(ts, 'Europe/Berlin')" in shown.stdout
