"""Settings of the Spark session: `--conf`, and what a job sets itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_cli import veer

WITHOUT_ANSI = ("--conf", "spark.sql.ansi.enabled=false")
TABLES = "CREATE TABLE t (id INT NOT NULL, x INT, n INT, s STRING)"
PAIRS = [
    # P, Q, the verdict under ANSI, and without it
    ("SELECT x + 1 AS y FROM t", "SELECT 1 + x AS y FROM t", "equivalent", "equivalent"),
    (
        "SELECT id FROM t WHERE x + 1 > x",
        "SELECT id FROM t WHERE x IS NOT NULL",
        "equivalent",
        "inequivalent",  # the largest number plus one is the smallest
    ),
    (
        "SELECT id FROM t WHERE s = 1",
        "SELECT id FROM t WHERE CAST(s AS BIGINT) = 1",
        "equivalent",
        "unknown",  # text is read as an int there: '5000000000' is null, and different from 1
    ),
    (
        "SELECT x / n AS r FROM t",
        "SELECT CASE WHEN n = 0 THEN NULL ELSE x / n END AS r FROM t",
        "unknown",
        "equivalent",
    ),
    (
        "SELECT COUNT(x / n) AS r FROM t",
        "SELECT COUNT(x) AS r FROM t WHERE n IS NOT NULL",
        "equivalent",
        "inequivalent",
    ),
    (
        "SELECT id FROM t WHERE s IN (1, 2)",
        "SELECT id FROM t WHERE s IN ('1', '2')",
        "unknown",
        "equivalent",
    ),
]


def answered(folder: Path, *words: str) -> str:
    done = veer("verify", *words, "--schema", "t.ddl", "--format", "json", cwd=folder)
    assert done.returncode in (0, 1, 2), done.stderr
    return str(json.loads(done.stdout)["verdict"])


@pytest.mark.parametrize(("p", "q", "ansi", "legacy"), PAIRS, ids=lambda text: str(text)[:40])
def test_queries_mean_what_the_session_says(
    tmp_path: Path, p: str, q: str, ansi: str, legacy: str
) -> None:
    (tmp_path / "t.ddl").write_text(TABLES)
    (tmp_path / "p.sql").write_text(p)
    (tmp_path / "q.sql").write_text(q)
    found = [answered(tmp_path, "p.sql", "q.sql", *conf) for conf in ((), WITHOUT_ANSI)]
    assert found == [ansi, legacy]


JOB = """
from pyspark.sql import functions as F

def build(spark):
    {setting}
    t = spark.table("t")
    return t.filter(F.col("x") + 1 > F.col("x")).select("id")

def simpler(spark):
    {setting}
    return spark.table("t").filter("x IS NOT NULL").select("id")
"""


@pytest.mark.parametrize("setting", ["'off'", "spark.conf.set('spark.sql.ansi.enabled', False)"])
def test_jobs_set_it_or_are_told(tmp_path: Path, setting: str) -> None:
    (tmp_path / "t.ddl").write_text(TABLES)
    (tmp_path / "job.py").write_text(JOB.format(setting=setting))
    conf = WITHOUT_ANSI if setting == "'off'" else ()
    specs = ("job.py:build", "job.py:simpler", "--jvm", "never")
    assert answered(tmp_path, *specs, *conf) == "inequivalent"
    assert answered(tmp_path, *specs, "--conf", "spark.sql.ansi.enabled=true") == (
        "equivalent" if conf else "inequivalent"
    )


@pytest.mark.parametrize(
    ("conf", "status", "said"),
    [
        ("spark.sql.ansi.enabled=maybe", 64, "expected true or false"),
        ("spark.sql.ansi.enabled", 64, "expected KEY=VALUE"),
        ("spark.sql.caseSensitive=true", 65, "spark.sql.caseSensitive=true is not modelled"),
        ("spark.sql.session.timeZone=Europe/Berlin", 65, "spark.sql.session.timeZone"),
    ],
)
def test_settings_that_are_not_understood(
    tmp_path: Path, conf: str, status: int, said: str
) -> None:
    (tmp_path / "t.ddl").write_text(TABLES)
    (tmp_path / "p.sql").write_text("SELECT id FROM t")
    done = veer("verify", "p.sql", "p.sql", "--schema", "t.ddl", "--conf", conf, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (status, "")
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_a_setting_changed_between_frames_is_told(tmp_path: Path) -> None:
    (tmp_path / "t.ddl").write_text(TABLES)
    (tmp_path / "job.py").write_text(
        "def build(spark):\n"
        "    t = spark.table('t')\n"
        "    spark.conf.set('spark.sql.ansi.enabled', 'false')\n"
        "    return t.selectExpr('x + 1 AS y')\n"
    )
    words = ("verify", "job.py:build", "job.py:build", "--schema", "t.ddl", "--jvm", "never")
    done = veer(*words, cwd=tmp_path)
    assert done.returncode == 65
    assert "changed after DataFrames were made" in done.stderr


def test_a_harmless_setting_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "t.ddl").write_text(TABLES)
    (tmp_path / "p.sql").write_text("SELECT id FROM t")
    conf = ("--conf", "spark.sql.shuffle.partitions=8", "--conf", "spark.sql.session.timeZone=UTC")
    assert answered(tmp_path, "p.sql", "p.sql", *conf) == "equivalent"


def test_a_witness_is_shown_under_the_settings(tmp_path: Path) -> None:
    (tmp_path / "t.ddl").write_text(TABLES)
    (tmp_path / "p.sql").write_text("SELECT id FROM t WHERE x + 1 > x")
    (tmp_path / "q.sql").write_text("SELECT id FROM t WHERE x IS NOT NULL")
    words = ("p.sql", "q.sql", "--witness-out", "witness")
    assert answered(tmp_path, *words, *WITHOUT_ANSI) == "inequivalent"
    script = (tmp_path / "witness" / "result.py").read_text()
    assert 'ANSI = {"P": False, "Q": False}' in script


# A query, and the beginning of what the two Sparks say of it against itself.
OF_VERSIONS = [
    ("SELECT zeroifnull(x) AS y FROM t", "Spark 3.5 has no function zeroifnull; it came with 4.0"),
    ("SELECT dayname(CAST(s AS DATE)) AS y FROM t", "Spark 3.5 has no function dayname"),
    (
        "SELECT id, sum(x) FILTER (WHERE n > 0) OVER (ORDER BY id) AS y FROM t",
        "Spark 3.5 has no FILTER over a window; it came with 4.2",
    ),
]


def test_a_spark_is_told(tmp_path: Path) -> None:
    """What an older Spark does not have is refused by its name; its sessions are without ANSI."""
    pairs = [(p, p) for p, _ in OF_VERSIONS]
    pairs.append(("SELECT id FROM t WHERE x + 1 > x", "SELECT id FROM t WHERE x IS NOT NULL"))
    pairs.append(("SELECT id FROM t WHERE (x = 1) = n", "SELECT id FROM t WHERE n = int(x = 1)"))
    lines = [
        json.dumps({"id": i, "schema": TABLES, "p": p, "q": q}) for i, (p, q) in enumerate(pairs)
    ]
    (tmp_path / "pairs.jsonl").write_text("\n".join(lines))
    found = {}
    for spark in ("3.5", "4.3"):
        done = veer("batch", "pairs.jsonl", "--out", spark, "--spark", spark, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        results = [json.loads(x) for x in (tmp_path / spark).read_text().splitlines()]
        found[spark] = sorted(results, key=lambda r: int(r["id"]))
    for result, (_, said) in zip(found["3.5"], OF_VERSIONS, strict=False):
        assert result["verdict"] == "error" and said in result["reason"]
    assert [r["verdict"] for r in found["3.5"][3:]] == ["inequivalent", "equivalent"]
    assert [r["verdict"] for r in found["4.3"]] == ["equivalent"] * 4 + ["error"]
