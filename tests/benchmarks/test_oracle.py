"""The oracle of `benchmarks against`: what it observes, and what it calls a difference."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.support.oracle import compared

SOURCE = Path(__file__).parents[2] / "src"
PAIR = {
    "id": "a filter",
    "p": "SELECT a FROM t WHERE a > 1",
    "q": "SELECT a FROM t WHERE NOT a <= 1",
    "schema": "CREATE TABLE t (a INT)",
    "comparison": {},
    "conf": {},
}


def test_a_tree_differs_from_one_that_says_otherwise(tmp_path: Path) -> None:
    other = shutil.copytree(SOURCE, tmp_path / "src")
    verdicts = other / "veer" / "verdict.py"
    verdicts.write_text(verdicts.read_text("utf-8").replace('"equivalent"', '"the same"'), "utf-8")
    same = compared((SOURCE, SOURCE), [PAIR], lambda _: None)
    assert (same.pairs, same.said, same.normal_forms) == (1, [], [])
    assert dict(same.verdicts) == {"equivalent": 1}
    difference = compared((SOURCE, other), [PAIR], lambda _: None)
    assert [(p["verdict"], q["verdict"]) for _, p, q in difference.said] == [
        ("equivalent", "the same")
    ]
