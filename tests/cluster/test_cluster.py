"""`veer batch --master` and `veer check --master` on a real standalone cluster of two workers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.support.standalone_cluster import bare_python, standalone_cluster
from tests.command import veer
from veer.batch.cluster import needed_packages

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SCHEMA = "CREATE TABLE t (a INT, b INT, s STRING)"
PAIRS: list[dict[str, Any]] = [
    {"id": "same", "p": "SELECT a FROM t", "q": "SELECT x.a FROM t AS x"},
    {"id": "other", "p": "SELECT a FROM t WHERE a > 1", "q": "SELECT a FROM t WHERE a > 2"},
    {"id": "unreadable", "p": "SELEC a", "q": "SELECT a FROM t"},
    *(
        {
            "id": f"filter {i}",
            "p": f"SELECT a FROM (SELECT a, b FROM t WHERE b > {i}) AS u WHERE a > {i}",
            "q": f"SELECT a FROM t WHERE a > {i} AND b > {i}",
        }
        for i in range(20)
    ),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    folder = tmp_path_factory.mktemp("cluster")
    with standalone_cluster(folder, 2) as url:
        yield url, bare_python(folder / "bare")


def on_cluster(cluster: tuple[str, str], *words: str, cwd: Path | None = None) -> Any:
    """A command whose executors have a Python without Veer, z3 or sqlglot."""
    url, python = cluster
    env = {**os.environ, "PYSPARK_PYTHON": python, "SPARK_LOCAL_IP": "127.0.0.1"}
    return veer(*words, "--master", url, cwd=cwd, env=env, seconds=400)


def results(path: Path) -> dict[str, dict[str, Any]]:
    lines = map(json.loads, path.read_text().splitlines())
    return {line["id"]: {**line, "seconds": 0, "counts": 0} for line in lines}


def test_the_same_results_as_on_this_machine(cluster: tuple[str, str], tmp_path: Path) -> None:
    source = tmp_path / "pairs.jsonl"
    source.write_text("".join(json.dumps({"schema": SCHEMA, **p}) + "\n" for p in PAIRS))
    local, spread = tmp_path / "local.jsonl", tmp_path / "spread.jsonl"
    assert veer("batch", str(source), "--out", str(local)).returncode == 0
    first = local.read_text().splitlines(keepends=True)
    spread.write_text(first[0])  # a run that was stopped goes on elsewhere
    done = on_cluster(cluster, "batch", str(source), "--out", str(spread))
    assert done.returncode == 0, done.stderr
    assert "1 had a result already" in done.stderr
    assert results(spread) == results(local)


def test_a_pair_that_takes_too_long_costs_itself(cluster: tuple[str, str], tmp_path: Path) -> None:
    hostile = " AND ".join(f"a * b + {i} > a * a - b" for i in range(60))
    pairs = [
        *PAIRS[:2],
        {"id": "hostile", "p": f"SELECT a FROM t WHERE {hostile}", "q": "SELECT b AS a FROM t"},
    ]
    source, out = tmp_path / "pairs.jsonl", tmp_path / "results.jsonl"
    source.write_text("".join(json.dumps({"schema": SCHEMA, **p}) + "\n" for p in pairs))
    done = on_cluster(cluster, "batch", str(source), "--out", str(out), "--timeout", "0.001")
    assert done.returncode == 0, done.stderr
    assert {line["verdict"] for line in results(out).values()} <= {"unknown", "equivalent"}
    assert any("timeout" in line["reason"] for line in results(out).values())


def test_check_spreads_jobs(cluster: tuple[str, str], project: Path) -> None:
    spread = on_cluster(cluster, "check", "--base", "HEAD", "--format", "json", cwd=project)
    assert spread.returncode == 1, spread.stderr
    local = veer("check", "--base", "HEAD", "--format", "json", cwd=project)
    verdicts = [
        {job["job"]: job["verdict"] for job in json.loads(done.stdout)["jobs"]}
        for done in (spread, local)
    ]
    assert verdicts[0] == verdicts[1]


def test_a_master_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text(json.dumps({"schema": SCHEMA, **PAIRS[0]}) + "\n")
    done = veer("batch", str(tmp_path / "pairs.jsonl"), "--master", "nonsense")
    assert done.returncode == 65
    assert "--master nonsense" in done.stderr


def test_what_is_sent_has_all_that_is_needed() -> None:
    assert {"sqlglot", "z3-solver", "click", "rich"} <= set(needed_packages())
    assert "pyspark" not in needed_packages()
