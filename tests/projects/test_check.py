"""`veer check` as a user calls it: a repository, a change, what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import veer
from tests.projects.repositories import (
    FILES,
    JOBS,
    REPORT,
    again,
    check,
    commit,
    edit,
    git,
    repository,
    verdicts,
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return repository(tmp_path / "project")


def test_nothing_changed_is_not_looked_at(project: Path) -> None:
    report = check(project, status=0)
    assert verdicts(report) == dict.fromkeys(JOBS, "unchanged")
    assert report["counts"]["compared"] == 0 and not report["recompute"]


def test_a_refactored_job_is_proven_and_what_reads_it_is_kept(project: Path) -> None:
    edit(
        project,
        "jobs/orders.py",
        'large(spark.table("raw_orders"))',
        'spark.table("raw_orders").where("NOT total <= 10")',
    )
    report = check(project, status=0)
    assert verdicts(report)["jobs/orders.py:build"] == "equivalent"
    assert report["counts"]["compared"] == 1
    assert again(report) == set()


def test_a_changed_helper_changes_its_jobs_and_what_follows(project: Path) -> None:
    edit(project, "common/cleaning.py", "> 10", "> 11")
    report = check(project, status=1)
    told = verdicts(report)
    assert told.pop("jobs/orders.py:build") == "changed"
    assert set(told.values()) == {"unchanged"}
    assert again(report) == {
        "orders",
        "jobs/orders.py:build result",
        "spent",
        "jobs/report.py:build result",
    }
    order = report["stale_jobs"]
    assert order == ["jobs/orders.py:build", "sql/spent.sql", "jobs/report.py:build"]
    witness = report["jobs"][0]["sinks"][0]["witness"]
    assert witness["kind"] == "rows" and witness["p_rows"] != witness["q_rows"]


def test_what_does_not_read_the_changed_column_is_spared(project: Path) -> None:
    edit(project, "jobs/orders.py", 'F.year("day")', 'F.month("day")')
    report = check(project, status=1)
    assert again(report) == {"orders", "jobs/orders.py:build result"}
    (spent,) = (k for k in report["keep"] if k["target"] == "spent")
    assert spent["spared"] == ["orders"]


def test_a_filter_moved_to_the_job_that_reads_it_changes_nothing_after_it(project: Path) -> None:
    edit(project, "jobs/orders.py", 'large(spark.table("raw_orders"))', 'spark.table("raw_orders")')
    edit(project, "sql/spent.sql", "FROM orders GROUP", "FROM orders WHERE total > 10 GROUP")
    report = check(project, status=1)
    told = verdicts(report)
    assert told["jobs/orders.py:build"] == "changed"
    assert told["sql/spent.sql"] == "equivalent"
    (spent,) = (job for job in report["jobs"] if job["job"] == "sql/spent.sql")
    assert spent["sinks"][0]["with_jobs"] == ["jobs/orders.py:build"]
    assert again(report) == {"orders", "jobs/orders.py:build result"}


def test_a_column_renamed_with_its_readers(project: Path) -> None:
    edit(project, "jobs/orders.py", '"total", F', 'F.col("total").alias("amount"), F')
    edit(project, "sql/spent.sql", "SUM(total)", "SUM(amount)")
    report = check(project)
    assert verdicts(report)["sql/spent.sql"] == "equivalent"
    assert again(report) == {"orders", "jobs/orders.py:build result"}


def test_new_removed_and_renamed_jobs(project: Path) -> None:
    (project / "sql" / "spent.sql").rename(project / "sql" / "totals.sql")
    (project / "sql" / "countries.sql").unlink()
    (project / "jobs" / "more.py").write_text(REPORT.replace('"name", "total"', '"name"'))
    git(project, "add", "-A")
    report = check(project, status=0)
    assert verdicts(report) == {
        "jobs/orders.py:build": "unchanged",
        "jobs/report.py:build": "unchanged",
        "jobs/more.py:build": "new",
        "sql/countries.sql": "removed",
        "sql/totals.sql": "equivalent",
    }
    for verdict, status in (("new", 1), ("removed", 1), ("unknown", 0), ("never", 0)):
        check(project, "--fail-on", verdict, status=status)


def test_a_job_that_cannot_be_loaded_costs_itself(project: Path) -> None:
    edit(project, "jobs/report.py", 'spark.table("spent")', 'spark.table("spent").limit(broken)')
    edit(project, "sql/countries.sql", "country IS NOT NULL", "NOT country IS NULL")
    report = check(project, status=2)
    told = verdicts(report)
    assert told["jobs/report.py:build"] == "unknown" and told["sql/countries.sql"] == "equivalent"
    (job,) = (job for job in report["jobs"] if job["job"] == "jobs/report.py:build")
    assert "NameError" in job["why"]


def test_settings_of_the_project_file_are_those_of_each_revision(project: Path) -> None:
    text = "CREATE TABLE ratio AS SELECT id, 1 / id AS x FROM raw_customers"
    (project / "sql" / "ratio.sql").write_text(text)
    commit(project, "a division")
    (project / "veer.toml").write_text(
        'schema = ["tables.ddl"]\n[conf]\n"spark.sql.ansi.enabled" = false\n'
    )
    report = check(project)
    assert report["counts"]["compared"] == 4 + 1
    assert verdicts(report)["sql/ratio.sql"] != "unchanged"


def test_jobs_of_the_project_file_have_names_and_arguments(tmp_path: Path) -> None:
    job = (
        "def build(spark, least):\n    return spark.table('raw_orders').where(f'total > {least}')\n"
    )
    toml = 'schema = ["tables.ddl"]\n[jobs]\nbig = {spec = "etl.py:build", args = {least = 5}}\n'
    files = {"veer.toml": toml, "tables.ddl": FILES["tables.ddl"], "etl.py": job}
    folder = repository(tmp_path / "named", files)
    assert verdicts(check(folder)) == {"big": "unchanged"}
    edit(folder, "veer.toml", "least = 5", "least = 6")
    assert verdicts(check(folder, status=1)) == {"big": "changed"}
    edit(folder, "etl.py", "f'total > {least}'", "f'{least} < total'")
    edit(folder, "veer.toml", "least = 6", "least = 5")
    assert verdicts(check(folder, "big", status=0)) == {"big": "equivalent"}
    assert veer("show", "big", cwd=folder).stdout.count("total") >= 1


def test_answers_are_remembered(project: Path, tmp_path: Path) -> None:
    edit(project, "common/cleaning.py", "> 10", "> 11")
    cache = ("--cache", str(tmp_path / "cache"))
    first, second = check(project, *cache, status=1), check(project, *cache, status=1)
    assert first["counts"]["remembered"] == 0 and second["counts"]["remembered"] == 1
    assert again(first) == again(second)
    for file in (tmp_path / "cache").iterdir():
        file.write_text(file.read_text()[:50])  # broken, as by a machine that went down
    assert check(project, *cache, status=1)["counts"]["remembered"] == 0


def test_the_names_of_stale_jobs_for_a_scheduler(project: Path) -> None:
    edit(project, "common/cleaning.py", "> 10", "> 11")
    done = veer("check", "--base", "HEAD", "--print-stale", cwd=project)
    assert done.stdout.splitlines() == [
        "jobs/orders.py:build",
        "sql/spent.sql",
        "jobs/report.py:build",
    ]


def test_some_jobs_only_but_what_they_read_is_looked_at(project: Path) -> None:
    edit(project, "common/cleaning.py", "> 10", "> 11")
    report = check(project / "sql", ".", status=0)
    assert set(verdicts(report)) == {"sql/spent.sql", "sql/countries.sql"}
    assert again(report) == {"spent"}


def test_the_base_is_where_the_branch_began(project: Path) -> None:
    git(project, "checkout", "-q", "-b", "feature")
    edit(project, "sql/spent.sql", "SUM(total) AS total", "SUM(total) AS total, COUNT(*) AS n")
    commit(project, "on the branch")
    git(project, "checkout", "-q", "main")
    edit(project, "sql/countries.sql", "IS NOT NULL", "<> 'x'")
    commit(project, "on main meanwhile")
    git(project, "checkout", "-q", "feature")
    done = veer("check", "--format", "json", cwd=project)
    assert verdicts(json.loads(done.stdout))["sql/countries.sql"] == "unchanged"
    report = check(project, "--base", "main...", status=1)
    assert verdicts(report)["sql/spent.sql"] == "changed"
    assert verdicts(check(project, "--base", "main", status=1))["sql/countries.sql"] == "changed"


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (("--base", "nowhere"), 65, "there is no revision 'nowhere'"),
        (("--base", "-x"), 64, "not a revision"),
        (("jobs/none.py",), 64, "there is no job, file or folder of this name"),
        (("--fail-on", "green"), 64, "--fail-on"),
        (("--format", "pdf"), 64, "--format must be one of text, markdown, github"),
        (("--dbt", "manifest.json"), 64, "--base-manifest"),
    ],
)
def test_wrong_usage_is_one_clear_line(
    project: Path, words: tuple[str, ...], status: int, told: str
) -> None:
    done = veer("check", *words, cwd=project)
    assert done.returncode == status, done.stderr
    assert told in done.stderr and done.stderr.count("\n") == 1
    assert not git(project, "status", "--porcelain")


def test_without_git_or_commits(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    done = veer("check", cwd=tmp_path / "plain")
    assert done.returncode == 65 and "no git repository" in done.stderr
    git(tmp_path / "plain", "init", "-q")
    done = veer("check", cwd=tmp_path / "plain")
    assert done.returncode == 65 and "no commit yet" in done.stderr


def test_a_shallow_clone_says_what_to_do(project: Path, tmp_path: Path) -> None:
    edit(project, "sql/spent.sql", "SUM", "MAX")
    commit(project, "second")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{project}", str(clone))
    done = veer("check", "--base", "HEAD~1", cwd=clone)
    assert done.returncode == 65 and "shallow clone" in done.stderr


def test_submodules_are_told_and_never_taken_for_the_same(project: Path, tmp_path: Path) -> None:
    library = repository(tmp_path / "library", {"helpers.py": "LEAST = 10\n"})
    git(project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "lib")
    edit(project, "jobs/report.py", "from pyspark", "from lib.helpers import LEAST\nfrom pyspark")
    commit(project, "with a submodule")
    report = check(project)
    assert any("submodules" in note for note in report["notes"])
    assert verdicts(report)["jobs/report.py:build"] == "unknown"  # its base cannot be laid out
