"""What `veer check` once kept although it could differ: each stays as a test, with what must run again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.command import veer
from tests.projects.repositories import check, edit, git, repository, write

TABLES = """
CREATE TABLE orders (id INT, amount INT, name STRING);
CREATE TABLE clean (id INT, amount INT);
CREATE TABLE mid (id INT, amount INT);
CREATE TABLE v (id INT, amount INT);
CREATE TABLE lt (id INT, amount INT) LOCATION '/data/lt';
"""
BASE = {"veer.toml": 'schema = ["tables.ddl"]\n', "tables.ddl": TABLES}
UNREAD = "SELECT id, amount FROM orders, LATERAL nobody_knows(name) WHERE amount > 0"
HEAD = "from pyspark.sql import SparkSession, functions as F\n\n\ndef build(spark: SparkSession):\n"


def writes(how: str) -> str:
    rows = 'spark.table("orders").select("id", "amount").where("amount > 0")'
    return f"{HEAD}    {rows}.write.mode('overwrite'){how}\n"


def reads(what: str) -> str:
    return f"{HEAD}    return spark.{what}.where('id > 5')\n"


SCHEMA_OF = ".schema('id INT, amount INT')"
CASES = {
    "a job that cannot be read may write what others read": (
        {
            "a.sql": f"CREATE TABLE clean AS {UNREAD}",
            "b.sql": "CREATE TABLE report AS SELECT id FROM clean WHERE amount > 5",
        },
        {"a.sql", "b.sql"},
    ),
    "an unchanged job that cannot be read passes a change on": (
        {
            "a.sql": "CREATE TABLE clean AS SELECT id, amount FROM orders WHERE amount > 0",
            "m.sql": "CREATE TABLE mid AS SELECT id, amount FROM clean, LATERAL nobody_knows(id)",
            "b.sql": "CREATE TABLE report AS SELECT id FROM mid WHERE amount > 5",
        },
        {"a.sql", "m.sql", "b.sql"},
    ),
    "a table that another job fills too is not the job's alone": (
        {
            "a.py": writes(".saveAsTable('clean')"),
            "z.sql": "INSERT INTO clean SELECT id, amount FROM mid, LATERAL nobody_knows(id)",
            "b.sql": "CREATE TABLE report AS SELECT x.id FROM clean AS x JOIN clean AS y "
            "ON x.amount < 0 AND y.amount > 0",
        },
        {"a.py:build", "z.sql", "b.sql"},
    ),
    "a view is written too": (
        {
            "a.sql": "CREATE OR REPLACE VIEW v AS SELECT id, amount FROM orders WHERE amount > 0; "
            "CREATE TABLE t AS SELECT id FROM v WHERE amount > 5000",
            "b.sql": "CREATE TABLE report AS SELECT id FROM v",
        },
        {"a.sql", "b.sql"},
    ),
    "a part that is replaced leaves the rest": (
        {
            "a.py": writes(".option('replaceWhere', 'id = 1').saveAsTable('clean')"),
            "b.sql": "CREATE TABLE report AS SELECT x.id FROM clean AS x JOIN clean AS y "
            "ON x.amount < 0 AND y.amount > 0",
        },
        {"a.py:build", "b.sql"},
    ),
    "what is overwritten takes the rows of another job away": (
        {
            "a.sql": "INSERT OVERWRITE clean SELECT id, amount FROM orders WHERE amount > 0",
            "b.sql": "INSERT INTO clean SELECT id, amount FROM mid",
        },
        {"a.sql", "b.sql"},
    ),
    "a path with a blank": (
        {
            "a.py": writes(".parquet('/data/my orders')"),
            "b.py": reads(f"read{SCHEMA_OF}.parquet('/data/my orders')"),
        },
        {"a.py:build", "b.py:build"},
    ),
    "one place by two schemes": (
        {
            "a.py": writes(".parquet('s3a://b/x')"),
            "b.py": reads(f"read{SCHEMA_OF}.parquet('s3://b/x')"),
        },
        {"a.py:build", "b.py:build"},
    ),
    "a table with a path": (
        {
            "a.py": writes(".option('path', '/data/t').saveAsTable('tt')"),
            "b.py": reads(f"read{SCHEMA_OF}.parquet('/data/t')"),
        },
        {"a.py:build", "b.py:build"},
    ),
    "a table with a declared location": (
        {
            "a.py": writes(".saveAsTable('lt')"),
            "b.py": reads(f"read{SCHEMA_OF}.parquet('/data/lt')"),
        },
        {"a.py:build", "b.py:build"},
    ),
    "the files of a table": (
        {
            "a.py": writes(".saveAsTable('tt')"),
            "b.py": reads(f"read{SCHEMA_OF}.parquet('spark-warehouse/tt')"),
        },
        {"a.py:build", "b.py:build"},
    ),
    "what is chosen upstream is chosen anew": (
        {
            "a.sql": "CREATE TABLE clean AS SELECT id, amount FROM orders WHERE amount > 0 LIMIT 10",
            "b.sql": "CREATE TABLE report AS SELECT id FROM mid WHERE id IN (SELECT id FROM clean)",
        },
        {"a.sql", "b.sql"},
    ),
    "the day of the run upstream is another one": (
        {
            "a.sql": "CREATE TABLE a AS SELECT id, current_date() AS d FROM orders WHERE amount > 0",
            "b.sql": "CREATE TABLE report AS SELECT d FROM a WHERE id > 5",
        },
        {"a.sql", "b.sql"},
    ),
    "a job that runs again writes all of its results": (
        {
            "a.py": writes(".saveAsTable('clean')")
            + "    spark.table('mid').write.mode('append').saveAsTable('log')\n",
            "b.sql": "CREATE TABLE log (id INT, amount INT); CREATE TABLE report AS SELECT id FROM log",
        },
        {"a.py:build", "b.sql"},
    ),
    "a view reads what no result of its job reads": (
        {
            "a.sql": "CREATE TABLE clean AS SELECT id, amount FROM orders WHERE amount > 0",
            "v.sql": "CREATE OR REPLACE /* for all */ VIEW v AS SELECT id, amount FROM clean; "
            "CREATE TABLE t AS SELECT id FROM mid",
            "b.sql": "CREATE TABLE report AS SELECT id FROM v",
        },
        {"a.sql", "v.sql", "b.sql"},
    ),
    "a function that a program calls from main": (
        {
            "a.py": writes(".saveAsTable('clean')")
            + "\n\ndef main():\n    build(SparkSession.builder.getOrCreate())\n",
            "b.sql": "CREATE TABLE report AS SELECT id FROM clean WHERE amount > 5",
        },
        {"a.py:build", "b.sql"},
    ),
    "code that is no job": (
        {
            "a.py": "from pyspark.sql import SparkSession\n\nspark = SparkSession.builder.getOrCreate()\n"
            "spark.sql('INSERT OVERWRITE clean SELECT id, amount FROM orders WHERE amount > 0')\n",
            "b.sql": "CREATE TABLE report AS SELECT id FROM clean WHERE amount > 5",
        },
        {"b.sql"},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_what_may_differ_runs_again(case: tuple[dict[str, str], set[str]], tmp_path: Path) -> None:
    files, stale = case
    folder = repository(tmp_path / "project", {**BASE, **files})
    name = "a.sql" if "a.sql" in files else "a.py"
    edit(folder, name, "amount > 0", "amount > 10")
    assert set(check(folder)["stale_jobs"]) == stale


def test_a_job_that_is_gone_and_could_not_be_read(tmp_path: Path) -> None:
    files = {
        "a.sql": f"CREATE TABLE clean AS {UNREAD}",
        "b.sql": "CREATE TABLE report AS SELECT id FROM clean",
    }
    folder = repository(tmp_path / "project", {**BASE, **files})
    (folder / "a.sql").unlink()
    assert check(folder)["stale_jobs"] == ["b.sql"]


def test_data_of_the_repository(tmp_path: Path) -> None:
    job = reads("read.csv('data/rates.csv', header=True, schema='id INT, rate INT')")
    files = {"job.py": job, "data/rates.csv": "id,rate\n1,2\n"}
    folder = repository(tmp_path / "project", {**BASE, **files})
    edit(folder, "data/rates.csv", "1,2", "1,3")
    assert check(folder)["stale_jobs"] == ["job.py:build"]


IMPORTED = {
    "the package of a job": {
        "jobs/__init__.py": "from common import config\n\nconfig.RATE = 2\n",
        "jobs/daily/__init__.py": "",
        "common/config.py": "RATE = 1\n",
        "jobs/daily/job.py": "from common import config\n"
        + reads("table('orders')").replace("id > 5", "id > ' + str(config.RATE) + '"),
    },
    "a package behind a star": {
        "pkg/__init__.py": '__all__ = ["rates"]\n',
        "pkg/rates/__init__.py": "RATE = 2\n",
        "job.py": "from pkg import *\n"
        + reads("table('orders')").replace("id > 5", "id > ' + str(rates.RATE) + '"),
    },
    "a job that an entry point calls": {
        "jobs/daily.py": reads("table('orders')").replace("id > 5", "id > 2"),
        "main.py": "from jobs.daily import build\n\nif __name__ == '__main__':\n    build(None)\n",
    },
}


@pytest.mark.parametrize("files", IMPORTED.values(), ids=IMPORTED.keys())
def test_what_decides_a_job_is_seen(files: dict[str, str], tmp_path: Path) -> None:
    folder = repository(tmp_path / "project", {**BASE, **files})
    name = next(n for n, text in files.items() if "2" in text)
    edit(folder, name, "2", "3")
    report = check(folder, status=1)
    assert [job["verdict"] for job in report["jobs"]] == ["changed"]


def test_links_lead_elsewhere(tmp_path: Path) -> None:
    job = "from common.rates import RATE\n" + reads("table('orders')").replace(
        "id > 5", "id > ' + str(RATE) + '"
    )
    folder = repository(
        tmp_path / "project", {**BASE, "shared/rates.py": "RATE = 2\n", "jobs/job.py": job}
    )
    os.symlink("../shared", folder / "jobs" / "common")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "a link")
    edit(folder, "shared/rates.py", "2", "3")
    assert check(folder, status=1)["jobs"][0]["verdict"] == "changed"


def test_files_that_git_is_told_not_to_look_at(tmp_path: Path) -> None:
    folder = repository(
        tmp_path / "project", {**BASE, "a.sql": "SELECT id FROM orders WHERE id > 2"}
    )
    git(folder, "update-index", "--skip-worktree", "a.sql")
    edit(folder, "a.sql", "2", "3")
    assert check(folder, status=1)["jobs"][0]["verdict"] == "changed"


def test_a_broken_project_file_at_the_base_is_told(tmp_path: Path) -> None:
    folder = repository(tmp_path / "project", {**BASE, "a.sql": "SELECT id FROM orders"})
    write(folder, {"veer.toml": "schema = ["})
    git(folder, "commit", "-q", "-a", "-m", "broken")
    write(folder, {"veer.toml": BASE["veer.toml"]})
    report = check(folder, status=0)
    assert any("project file of the base" in note for note in report["notes"])


def test_answers_that_others_may_have_written_are_not_believed(tmp_path: Path) -> None:
    folder = repository(
        tmp_path / "project", {**BASE, "a.sql": "SELECT id FROM orders", "answers/x.json": "{}"}
    )
    done = veer("check", "--base", "HEAD", "--cache", "answers", cwd=folder)
    assert done.returncode == 64 and "--cache" in done.stderr


def test_a_key_of_now_says_nothing_of_rows_of_before(tmp_path: Path) -> None:
    child = "CREATE TABLE child (cid INT NOT NULL, x INT);"
    files = {
        "tables.ddl": f"{TABLES}{child}",
        "a.sql": "CREATE TABLE clean AS SELECT id, amount FROM orders",
        "b.sql": "CREATE TABLE b AS SELECT cid, x FROM child LEFT JOIN clean ON cid = id",
    }
    folder = repository(tmp_path / "project", {**BASE, **files})
    keyed = TABLES.replace(
        "clean (id INT, amount INT)", "clean (id INT NOT NULL, amount INT, PRIMARY KEY (id))"
    )
    write(
        folder,
        {
            "tables.ddl": f"{keyed}{child}",
            "a.sql": "CREATE TABLE clean AS SELECT id, max(amount) AS amount FROM orders "
            "WHERE id IS NOT NULL GROUP BY id",
            "b.sql": "CREATE TABLE b AS SELECT cid, x FROM child",
        },
    )
    assert set(check(folder)["stale_jobs"]) == {"a.sql", "b.sql"}


def test_rows_that_are_the_same_as_a_set_are_not_kept(tmp_path: Path) -> None:
    files = {
        "a.sql": "CREATE TABLE a AS SELECT id FROM orders",
        "b.sql": "CREATE TABLE b AS SELECT count(*) AS n FROM a",
    }
    folder = repository(tmp_path / "project", {**BASE, **files})
    edit(folder, "a.sql", "SELECT id", "SELECT DISTINCT id")
    report = check(folder, "--semantics", "set", status=0)
    assert set(report["stale_jobs"]) == {"a.sql", "b.sql"}


def test_each_revision_is_read_as_its_spark_means_it(tmp_path: Path) -> None:
    files = {
        "veer.toml": 'schema = ["tables.ddl"]\nspark = "3.5"\n',
        "a.sql": "CREATE TABLE a AS SELECT CAST(name AS INT) AS n FROM orders",
    }
    folder = repository(tmp_path / "project", {**BASE, **files})
    edit(folder, "veer.toml", "3.5", "4.0")
    assert check(folder)["stale_jobs"] == ["a.sql"]


def test_a_table_that_is_declared_otherwise(tmp_path: Path) -> None:
    folder = repository(
        tmp_path / "project", {**BASE, "a.sql": "CREATE TABLE a AS SELECT * FROM mid"}
    )
    edit(folder, "tables.ddl", "mid (id INT, amount INT)", "mid (id INT, amount INT, day DATE)")
    assert check(folder)["stale_jobs"] == ["a.sql"]
