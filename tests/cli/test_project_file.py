"""The project file: what it says holds for every command, and what it cannot say is told."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_cli import veer

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
        ("shema = 'a.ddl'", "tool.veer.shema is no key; did you mean schema?"),
        ("schema = 3", "tool.veer.schema is a path or a list of paths"),
        ("schema = 'nowhere.ddl'", "nowhere.ddl: No such file or directory"),
        ("conf = 'spark'", "tool.veer.conf is a table of settings"),
        ("jobs = ['a.sql']", "tool.veer.jobs is a table of names and SPECs"),
        ("store = 1", "tool.veer.store is a folder"),
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
