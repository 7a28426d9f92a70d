"""The project file: what it says holds for every command, and what it cannot say is told."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.command import veer

PROJECT = """
[project]
name = "shop"

[tool.veer]
schema = ["schemas/tables.ddl", "schemas/more.ddl"]
store = "results"

[tool.veer.conf]
spark.sql.ansi.enabled = false

[tool.veer.jobs]
plain = "jobs/plain.sql"
joined = "jobs/joined.sql"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder in ("schemas", "jobs", "notebooks"):
        (tmp_path / folder).mkdir()
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "schemas" / "tables.ddl").write_text("CREATE TABLE t (id INT NOT NULL, x INT);\n")
    (tmp_path / "schemas" / "more.ddl").write_text("CREATE TABLE u (id INT NOT NULL PRIMARY KEY)")
    (tmp_path / "jobs" / "plain.sql").write_text("SELECT id FROM t WHERE x IS NOT NULL")
    text = "SELECT t.id FROM t LEFT JOIN u ON t.id = u.id WHERE x + 1 > x"
    (tmp_path / "jobs" / "joined.sql").write_text(text)
    return tmp_path


def verdict(folder: Path, *words: str) -> str:
    done = veer("verify", *words, "--format", "json", cwd=folder)
    assert done.returncode in (0, 1, 2), done.stderr
    return str(json.loads(done.stdout)["verdict"])


def test_every_command_reads_it_from_a_folder_below(project: Path) -> None:
    below = project / "notebooks"
    assert verdict(below, "plain", "joined") == "inequivalent"  # without ANSI x + 1 wraps around
    assert verdict(below, "plain", "../jobs/plain.sql") == "equivalent"
    assert "legacy.+(x, 1)" in veer("show", "joined", cwd=below).stdout
    assert veer("diff", "plain", "joined", cwd=below).returncode == 0
    told = veer("doctor", cwd=below).stdout
    for said in (
        "../pyproject.toml",
        "spark.sql.ansi.enabled=false",
        "job plain = ../jobs/plain.sql",
    ):
        assert said in told


def test_the_command_line_goes_before_it(project: Path) -> None:
    conf = ("--conf", "spark.sql.ansi.enabled=true")
    assert verdict(project, "plain", "joined", *conf) == "equivalent"
    other = ("--schema", "CREATE TABLE t (id INT NOT NULL, x STRING)")
    assert veer("verify", "plain", "joined", *other, cwd=project).returncode == 65


def test_batch_reads_under_its_settings(project: Path) -> None:
    pair = {
        "id": "1",
        "schema": "CREATE TABLE t (id INT NOT NULL, x INT)",
        "p": "SELECT id FROM t WHERE x + 1 > x",
        "q": "SELECT id FROM t WHERE x IS NOT NULL",
    }
    (project / "pairs.jsonl").write_text(json.dumps(pair) + "\n")
    for conf, expected in (
        ((), "inequivalent"),
        (("--conf", "spark.sql.ansi.enabled=true"), "equivalent"),
    ):
        done = veer("batch", "pairs.jsonl", "--workers", "1", *conf, cwd=project)
        assert json.loads(done.stdout)["verdict"] == expected, done.stderr


def test_a_job_by_name_at_a_revision(project: Path) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *who, *words], cwd=project, check=True, capture_output=True)

    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    (project / "jobs" / "plain.sql").write_text("SELECT id FROM t WHERE NOT x IS NULL")
    assert verdict(project / "notebooks", "--base", "HEAD", "plain") == "equivalent"


def test_the_nearest_file_counts_and_none_above_a_repository(project: Path) -> None:
    (project / "notebooks" / "veer.toml").write_text("schema = 'own.ddl'\n")
    (project / "notebooks" / "own.ddl").write_text("CREATE TABLE v (a INT)")
    (project / "notebooks" / "q.sql").write_text("SELECT a FROM v")
    assert verdict(project / "notebooks", "q.sql", "q.sql") == "equivalent"
    (project / "inner" / ".git").mkdir(parents=True)
    assert "no veer.toml" in veer("doctor", cwd=project / "inner").stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("shema = 'a.ddl'", "tool.veer.shema is not a key; did you mean schema?"),
        ("schema = 3", "tool.veer.schema is a path or a list of paths"),
        ("schema = 'nowhere.ddl'", "nowhere.ddl: No such file or directory"),
        ("conf = 'spark'", "tool.veer.conf is a table of settings"),
        ("jobs = ['a.sql']", "tool.veer.jobs is a table of names and SPECs"),
        ("store = 1", "tool.veer.store is a folder"),
        ("stable_sources = 'orders'", "tool.veer.stable_sources is a list of tables and paths"),
        ("row_wise = [1]", "tool.veer.row_wise is a list of functions"),
        ("trusted_packages = true", "tool.veer.trusted_packages is a list of packages"),
        (
            "trusted_package = []",
            "did you mean trusted_packages? (known: schema, store, spark, conf",
        ),
        ("keys = {t = 'id'}", "tool.veer.keys is a table of tables and lists of their columns"),
        ("keys = {t = ['id']}", "tool.veer.keys without a schema of the tables"),
        ("schema = ", "pyproject.toml: Invalid value"),
        (
            "conf = {'spark.sql.timestampType' = 'TIMESTAMP_NTZ'}",
            "spark.sql.timestampType=TIMESTAMP_NTZ is not modelled",
        ),
    ],
)
def test_what_it_cannot_say_is_told(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.veer]\n{text}\n")
    (tmp_path / "p.sql").write_text("SELECT 1 AS a")
    done = veer("verify", "p.sql", "p.sql", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (65, "")
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_a_broken_file_of_others_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project\n")
    (tmp_path / "p.sql").write_text("SELECT 1 AS a")
    assert verdict(tmp_path, "p.sql", "p.sql") == "equivalent"


DECLARED = """
schema = "t.ddl"
row_wise = ["jobs.score"]
trusted_packages = ["sqlglot"]
stable_sources = ["public.countries"]

[keys]
t = ["id"]
"""
JOBS = """
import pandas as pd
from pyspark.sql import functions as F
from sqlglot.helper import camel_to_snake_case


@F.pandas_udf("double")
def score(x: pd.Series) -> pd.Series:
    return x * 2 + 1


@F.pandas_udf("double")
def other(x: pd.Series) -> pd.Series:
    return x - x.mean()


@F.udf("string")
def snake(s):
    return camel_to_snake_case(s) if s else None


@F.udf("string")
def of_a_set(s):
    return camel_to_snake_case("".join({s, "a"}))


def computed(name):
    columns = {"score": score("x"), "other": other("x"), "snake": snake("s"), "of_a_set": of_a_set("s")}
    return columns[name]


def old(spark, name):
    return spark.table("t").withColumn("y", computed(name)).where("id > 3")


def new(spark, name):
    return spark.table("t").where("id > 3").withColumn("y", computed(name))
"""


def test_what_is_declared_of_functions_is_listed(tmp_path: Path) -> None:
    (tmp_path / "veer.toml").write_text(DECLARED)
    (tmp_path / "t.ddl").write_text("CREATE TABLE t (id INT, x DOUBLE, s STRING)")
    (tmp_path / "jobs.py").write_text(JOBS)

    def answer(name: str, *words: str) -> tuple[str, list[str]]:
        jobs = ("jobs.py:old", "jobs.py:new", "--arg", f"name={name}", "--jvm", "never")
        done = veer("verify", *jobs, "--format", "json", *words, cwd=tmp_path)
        assert done.returncode in (0, 1, 2), done.stderr
        report = json.loads(done.stdout)
        return report["verdict"], report["sinks"][0]["assumptions"]

    assert answer("score") == ("equivalent", ["score works row by row, as declared"])
    pure = "functions of sqlglot depend only on their arguments, as declared"
    assert answer("snake") == ("equivalent", [pure])
    assert answer("other")[0] == "unknown"  # of it nothing is declared, and the mean is of a batch
    assert answer("of_a_set")[0] == "unknown"  # the order of a set is not the package's
    (tmp_path / "veer.toml").write_text('schema = "t.ddl"')
    assert answer("score")[0] == answer("snake")[0] == "unknown"


def test_declared_keys_are_keys_and_listed(tmp_path: Path) -> None:
    (tmp_path / "veer.toml").write_text(DECLARED)
    (tmp_path / "t.ddl").write_text("CREATE TABLE t (id INT, x DOUBLE, s STRING)")
    (tmp_path / "p.sql").write_text("SELECT id, s FROM t")
    (tmp_path / "q.sql").write_text("SELECT DISTINCT id, s FROM t")
    done = veer("verify", "p.sql", "q.sql", cwd=tmp_path)
    assert done.returncode == 0 and "assuming id is a key of t" in done.stdout
    told = veer("doctor", cwd=tmp_path).stdout
    for said in (
        "key of t: id",
        "stable sources: public.countries",
        "row-wise functions: jobs.score",
        "trusted packages: sqlglot",
    ):
        assert said in told


COUNTRIES = """
def build(spark):
    reader = spark.read.format("jdbc").option("url", "jdbc:derby:memory:x;create=true")
    reader = reader.option("driver", "org.apache.derby.jdbc.EmbeddedDriver")
    return reader.option("dbtable", "SYSIBM.SYSDUMMY1").load().groupBy("IBMREQD").count()
"""


@pytest.mark.spark
@pytest.mark.slow
def test_a_source_that_is_declared_stable_is_reused(tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text(COUNTRIES)
    outcomes = []
    for declared in (
        "",
        "stable_sources = ['sysibm.sysdummy1']",
        "stable_sources = ['sysibm.sysdummy1']",
    ):
        (tmp_path / "veer.toml").write_text(f"store = 'results'\n{declared}")
        done = veer("run", "jobs.py:build", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        outcomes.append(done.stdout + done.stderr)
    assert "computed" in outcomes[0] and "its content is not in files" in outcomes[0]
    assert (
        "computed" in outcomes[1] and "sysibm.sysdummy1 does not change, as declared" in outcomes[1]
    )
    assert (
        "reused" in outcomes[2] and "sysibm.sysdummy1 does not change, as declared" in outcomes[2]
    )
