"""`benchmarks against`: two trees asked in turn, what differs is told."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from benchmarks.runners import against
from benchmarks.runners.against import Answered, Measured, chunks, pairs_of, show

PAIRS = [{"id": str(n)} for n in range(10)]
SCHEMA = "CREATE TABLE t (a INT, b INT)"


@pytest.mark.parametrize("first", range(5))
def test_chunks_hold_every_pair_once(first: int) -> None:
    parts = list(chunks(PAIRS, 4, "name", first))
    assert [pair for part in parts for pair in part.pairs] == PAIRS
    assert all(1 <= len(part.pairs) <= 4 for part in parts)
    assert len(parts[0].pairs) == (first % 4 or 4)


def _measured(rev: list[tuple[str, float]], tree: list[tuple[str, float]]) -> Measured:
    measured = Measured()
    for side, answers in enumerate((rev, tree)):
        for verdict, seconds in answers:
            measured.add(side, {"pair": Answered(verdict, "why", seconds)})
    return measured


def test_the_ratio_is_of_the_best_times(capsys: pytest.CaptureFixture[str]) -> None:
    same = _measured([("unknown", 2.0), ("unknown", 4.0)], [("unknown", 3.0), ("unknown", 5.0)])
    assert show(same, "old") == 0
    shown = capsys.readouterr().out
    assert "tree / old: 1.500 of best times; rounds 1.250 to 1.500" in shown
    assert "0 of 1 pairs differ" in shown


def test_what_unknowns_cost_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    measured = Measured()
    for number in range(20):
        measured.add(1, {f"pair {number}": Answered("unknown", "", number + 0.04)})
        measured.add(0, {f"pair {number}": Answered("equivalent", "", 99.0)})
    show(measured, "old")
    shown = capsys.readouterr().out
    assert shown.count("nine in ten unknowns") == 1
    assert "nine in ten unknowns within 17.0 s, all within 19.0 s\n" in shown


def test_another_verdict_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert show(_measured([("unknown", 1.0)], [("equivalent", 1.0)]), "old") == 1
    assert (
        "DIFFERS pair\n    old: unknown: why\n    tree: equivalent: why" in capsys.readouterr().out
    )


def test_a_verdict_that_changes_from_round_to_round_differs() -> None:
    measured = _measured([("unknown", 1.0)] * 2, [("unknown", 1.0), ("equivalent", 1.0)])
    assert list(measured.differing()) == ["pair"]


def test_a_pair_only_one_tree_answers_differs() -> None:
    measured = Measured()
    measured.add(1, {"pair": Answered("unknown", "", 1.0)})
    assert list(measured.differing()) == ["pair"]


def test_ids_carry_the_name_of_their_file(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.jsonl").write_text('{"id": "x", "p": "", "q": ""}\n')
    assert [pair["id"] for pair in pairs_of(tmp_path)] == ["one: x", "two: x"]
    with pytest.raises(SystemExit, match="holds no"):
        pairs_of(tmp_path / "none")


@pytest.mark.slow
def test_the_last_commit_against_the_tree(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if subprocess.run(["git", "rev-parse", "HEAD"], cwd=against.ROOT, check=False).returncode:
        pytest.skip("not a git repository")
    file = tmp_path / "pairs.jsonl"
    queries = [
        ("same", "SELECT a FROM t WHERE a > 1 AND b > 1", "SELECT a FROM t WHERE b > 1 AND a > 1"),
        ("other", "SELECT a FROM t", "SELECT b FROM t"),
    ]
    lines = [json.dumps({"id": i, "schema": SCHEMA, "p": p, "q": q}) for i, p, q in queries]
    file.write_text("\n".join(lines) + "\n")
    status = against.main(["HEAD", "--data", str(file), "--rounds", "1"])
    shown = capsys.readouterr().out
    assert status == 0
    assert shown.count("1 equivalent, 1 inequivalent") == 2
    assert "0 of 2 pairs differ" in shown


def test_an_unknown_revision_is_told(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no-such-revision"):
        against.source_of("no-such-revision", tmp_path)
