"""Settings of the Spark session: `--conf`, and what a job sets itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import veer

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
        (
            "spark.sql.timestampType=TIMESTAMP_NTZ",
            65,
            "timestampType=TIMESTAMP_NTZ is not modelled",
        ),
        ("spark.sql.mapKeyDedupPolicy=FIRST", 64, "expected one of EXCEPTION, LAST_WIN"),
        ("spark.sql.session.timeZone=Mars/Phobos", 65, "Mars/Phobos"),
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
    assert script.count("'spark.sql.ansi.enabled': 'false'") == 2


# Each setting, pairs that are the same or not because of it, and what they are without it.
OTHER_SETTINGS = {
    "spark.sql.caseSensitive=true": [
        ("SELECT x AS y, 1 AS Y FROM t", "SELECT x AS y, 1 AS Y FROM t", "equivalent"),
        (
            "SELECT u.x FROM t u JOIN (SELECT id, n AS x FROM t) U ON u.id = U.id WHERE u.x = U.x",
            "SELECT v.x FROM t v JOIN t w ON v.id = w.id WHERE v.x = w.n",
            "equivalent",
        ),
        (
            "SELECT U.x FROM t u JOIN (SELECT id, n AS x FROM t) U ON u.id = U.id",
            "SELECT v.x FROM t v JOIN t w ON v.id = w.id",
            "inequivalent",
        ),
        (
            "SELECT u.k FROM (SELECT x AS k, n AS K FROM t) u WHERE u.K > 1",
            "SELECT x AS k FROM t WHERE n > 1",
            "equivalent",
        ),
        (
            "SELECT u.k FROM (SELECT x AS k, n AS K FROM t) u WHERE u.K > 1",
            "SELECT x AS k FROM t WHERE x > 1",
            "inequivalent",
        ),
    ],
    "spark.sql.mapKeyDedupPolicy=LAST_WIN": [
        # Of this Spark makes x, though the last should win.
        ("SELECT map(1, x, 1, n)[1] AS r FROM t", "SELECT map(1, n)[1] AS r FROM t", "error"),
        ("SELECT map(id, x, 1, n) AS r FROM t", "SELECT map(id, x, 1, n) AS r FROM t", "error"),
        ("SELECT map(1, x, 2, n)[2] AS r FROM t", "SELECT n AS r FROM t", "equivalent"),
        (
            "SELECT map(id, x) AS r FROM t",
            "SELECT map(id, x) AS r FROM (SELECT * FROM t)",
            "equivalent",
        ),
    ],
    "spark.sql.legacy.timeParserPolicy=LEGACY": [
        (
            "SELECT to_date(s, 'yyyy-MM-dd') AS d FROM t WHERE x > 1",
            "SELECT to_date(s, 'yyyy-MM-dd') AS d FROM (SELECT s FROM t WHERE x > 1)",
            "equivalent",
        ),
        (
            "SELECT to_date(s, 'yyyy-MM-dd') AS d FROM t",
            "SELECT CAST(s AS DATE) AS d FROM t",
            "unknown",
        ),
    ],
    "spark.sql.legacy.sizeOfNull=false": [
        (
            "SELECT size(split(s, ',')) AS k FROM t",
            "SELECT CASE WHEN s IS NULL THEN NULL ELSE size(split(s, ',')) END AS k FROM t",
            "equivalent",
        ),
    ],
}


@pytest.mark.parametrize("setting", OTHER_SETTINGS)
def test_other_settings_that_are_modelled(tmp_path: Path, setting: str) -> None:
    lines = [
        {"id": f"{number}", "schema": TABLES, "p": p, "q": q}
        for number, (p, q, _) in enumerate(OTHER_SETTINGS[setting])
    ]
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, lines)))
    words = ("pairs.jsonl", "--out", "out.jsonl", "--workers", "1", "--conf", setting)
    done = veer("batch", *words, *WITHOUT_ANSI, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    results = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    found = {r["id"]: r["verdict"] for r in results}
    wanted = [verdict for _, _, verdict in OTHER_SETTINGS[setting]]
    assert [found[str(number)] for number in range(len(wanted))] == wanted


VIEWS = """
def build(spark):
    spark.conf.set("spark.sql.caseSensitive", "true")
    t = spark.table("t")
    t.filter("x > 1").createOrReplaceTempView("v")
    t.filter("x > 2").createOrReplaceTempView("V")
    both = t.selectExpr("id", "x AS k", "n AS K")
    return {
        "view": spark.sql("SELECT id FROM v"),
        "column": both.filter("K = 1").select("id"),
        "replaced": both.withColumn("K", both["k"] + 1).select("k", "K"),
    }

def plain(spark):
    t = spark.table("t")
    return {
        "view": t.filter("x > 1").select("id"),
        "column": t.filter("n = 1").select("id"),
        "replaced": t.selectExpr("x AS k", "x + 1 AS K"),
    }

def wrong(spark):
    t = spark.table("t")
    return {
        "view": t.filter("x > 2").select("id"),
        "column": t.filter("x = 1").select("id"),
        "replaced": t.selectExpr("x + 1 AS k", "x + 1 AS K"),
    }
"""


def test_jobs_whose_names_differ_by_case(tmp_path: Path) -> None:
    (tmp_path / "t.ddl").write_text(TABLES)
    (tmp_path / "job.py").write_text(VIEWS)
    never = ("--jvm", "never")
    sensitive = ("--conf", "spark.sql.caseSensitive=true")  # of both: their tables are the same
    assert answered(tmp_path, "job.py:build", "job.py:plain", *never, *sensitive) == "equivalent"
    done = veer(
        *("verify", "job.py:build", "job.py:wrong", "--schema", "t.ddl", "--format", "json"),
        *(*never, *sensitive),
        cwd=tmp_path,
    )
    assert {s["verdict"] for s in json.loads(done.stdout)["sinks"]} == {"inequivalent"}


READING = """
def build(spark):
    return spark.read.schema("a INT").parquet("data/events").filter("a > 1")

def lenient(spark):
    spark.conf.set("spark.sql.files.ignoreCorruptFiles", "true")
    return spark.read.schema("a INT").parquet("data/events").filter("a > 1")
"""


def test_settings_that_decide_what_sources_hold(tmp_path: Path) -> None:
    (tmp_path / "t.ddl").write_text(TABLES)
    (tmp_path / "job.py").write_text(READING)
    never = ("--jvm", "never")
    assert answered(tmp_path, "job.py:build", "job.py:lenient", *never) == "unknown"
    assert answered(tmp_path, "job.py:lenient", "job.py:lenient", *never) == "equivalent"
    both = ("--conf", "spark.sql.files.ignoreCorruptFiles=true")
    assert answered(tmp_path, "job.py:build", "job.py:lenient", *never, *both) == "equivalent"


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
