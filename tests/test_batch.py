"""Batches: streamed, resumable, and hostile pairs cost only themselves."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import veer
from veer.batch.pairs import BatchOptions, finished_ids, run_batch

SCHEMA = "CREATE TABLE t (a INT, b INT)"
PAIRS: list[dict[str, Any]] = [
    {"id": "same", "p": "SELECT a FROM t", "q": "SELECT x.a FROM t AS x"},
    {"id": "other", "p": "SELECT a FROM t WHERE a > 1", "q": "SELECT a FROM t WHERE a > 2"},
    {"id": "position", "p": "SELECT a AS x FROM t", "q": "SELECT a AS y FROM t"},
    {"id": "widths", "p": "SELECT a FROM t", "q": "SELECT CAST(a AS BIGINT) AS a FROM t"},
    {"id": "as sets", "p": "SELECT a FROM t", "q": "SELECT DISTINCT a FROM t", "semantics": "set"},
    {"id": "as bags", "p": "SELECT a FROM t", "q": "SELECT DISTINCT a FROM t"},
    {"id": "unreadable", "p": "SELEC a", "q": "SELECT a FROM t"},
    {"id": "no text", "p": 1, "q": "SELECT a FROM t"},
]
EXPECTED = {
    "same": "equivalent",
    "other": "inequivalent",
    "position": "equivalent",
    "widths": "equivalent",
    "as sets": "equivalent",
    "as bags": "inequivalent",
    "unreadable": "error",
    "no text": "error",
}


def write(path: Path, pairs: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps({"schema": SCHEMA, **p}) + "\n" for p in pairs))
    return path


def results(path: Path) -> dict[str, dict[str, Any]]:
    return {line["id"]: line for line in map(json.loads, path.read_text().splitlines())}


def test_every_pair_gets_a_result(tmp_path: Path) -> None:
    source, target = write(tmp_path / "pairs.jsonl", PAIRS), tmp_path / "results.jsonl"
    done = veer("batch", str(source), "--out", str(target))
    assert done.returncode == 0, done.stderr
    found = results(target)
    assert {i: line["verdict"] for i, line in found.items()} == EXPECTED
    for line in found.values():
        assert list(line) == ["id", "verdict", "reason", "ev", "seconds", "counts", "witness"]
    assert found["other"]["witness"]["kind"] == "rows"
    assert found["same"]["ev"] is None  # the same operators need no verifier
    assert found["widths"]["ev"] == "spes"
    assert found["as sets"]["ev"] == "obligations"
    assert "line 8: 'p' is not SQL text" in found["no text"]["reason"]


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    source, target = write(tmp_path / "pairs.jsonl", PAIRS), tmp_path / "results.jsonl"
    whole = io.StringIO()
    run_batch(source, whole, set(), BatchOptions())
    lines = whole.getvalue().splitlines(keepends=True)
    target.write_text("".join(lines[:3]) + lines[3][:20])  # killed while writing the fourth
    assert len(finished_ids(target)) == 3
    assert target.read_text() == "".join(lines[:3])
    assert veer("batch", str(source), "--out", str(target)).returncode == 0
    assert len(target.read_text().splitlines()) == len(PAIRS)
    assert {i: line["verdict"] for i, line in results(target).items()} == EXPECTED


def test_broken_lines_are_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    source = write(tmp_path / "pairs.jsonl", PAIRS[:1])
    source.write_text(source.read_text() + "{broken\n[1, 2]\n" + source.read_text())
    done = veer("batch", str(source))
    lines = {line["id"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 0
    assert lines["same"]["verdict"] == "equivalent"
    assert "line 2: broken JSON" in lines["line 2"]["reason"]
    assert lines["line 3"]["verdict"] == "error"
    assert "given twice" in lines["same (line 4)"]["reason"]


def test_hostile_pairs_cost_only_themselves(tmp_path: Path) -> None:
    many = ", ".join(f"t AS t{i}" for i in range(14))
    slow = f"SELECT COUNT(*) AS n FROM {many} WHERE t1.a + t2.a > t3.a"
    hostile = {"id": "slow", "p": slow, "q": slow.replace(">", ">=")}
    source = write(tmp_path / "pairs.jsonl", [hostile, *PAIRS[:2]])
    target = io.StringIO()
    counted = run_batch(source, target, set(), BatchOptions(workers=1, timeout=3))
    lines = {line["id"]: line for line in map(json.loads, target.getvalue().splitlines())}
    assert lines["slow"]["verdict"] == "unknown"
    assert lines["slow"]["reason"] in ("timeout after 3 s", "memory limit reached")
    assert lines["same"]["verdict"] == "equivalent"
    assert sum(counted.values()) == 3


@pytest.mark.parametrize(("name", "status"), [("missing.jsonl", 65)])
def test_a_missing_file_is_one_line(tmp_path: Path, name: str, status: int) -> None:
    done = veer("batch", str(tmp_path / name))
    assert done.returncode == status
    assert len(done.stderr.strip().splitlines()) == 1
