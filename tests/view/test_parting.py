"""Where the tables of a witness part: the operator that was edited, whatever else is different."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.generators.edits import BREAKING, random_query
from tests.view.test_graph import COMPARISON, viewed
from veer.api import Comparison, Version, load_pair, verify
from veer.verdict import TableSemantics, Verdict

SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "6"))
SCHEMA = """
CREATE TABLE t (id INT NOT NULL, a INT, b INT, s STRING, PRIMARY KEY (id));
CREATE TABLE u (id INT NOT NULL, v INT, PRIMARY KEY (id));
"""
RENAMED = "SELECT {0} + 1 AS z FROM (SELECT {1} AS {0} FROM t WHERE b {2} 1)"
JOINED = "SELECT t.id, t.a FROM t JOIN u ON t.id = u.id"
FIRST = "SELECT id FROM (SELECT id, a FROM t ORDER BY id {} LIMIT 1)"
BRANCHES = """
SELECT x.id, y.v FROM (SELECT id FROM t WHERE a > {}) x JOIN (SELECT id, v FROM u WHERE v > {}) y ON x.id = y.id
"""
CASES: dict[str, tuple[str, str, dict[str, Any], list[str]]] = {
    "columns that are swapped, by position": (
        "SELECT a AS x, b AS y FROM t WHERE id > 1",
        "SELECT b AS c, a AS d FROM t WHERE id > 1",
        {"columns": "position"},
        ["Project b AS c, a AS d"],
    ),
    "a filter below columns that are renamed, by position": (
        "SELECT a AS x, b AS y FROM t WHERE id > 1",
        "SELECT a AS c, b AS d FROM t WHERE id > 2",
        {"columns": "position"},
        ["Filter (id > 2)"],
    ),
    "a filter below a column that is renamed": (
        RENAMED.format("x", "a", ">"),
        RENAMED.format("y", "a", ">="),
        {},
        ["Filter (b >= 1)"],
    ),
    "another column under another name": (
        RENAMED.format("x", "a", ">"),
        RENAMED.format("y", "b", ">"),
        {},
        ["Project b AS y"],
    ),
    "a join that is added": (
        "SELECT t.id, a FROM t",
        "SELECT t.id, a FROM t JOIN u ON t.id = u.id",
        {},
        ["Join inner on (id = id@2)"],
    ),
    "a join that is added to a table that was there": (
        JOINED,
        f"{JOINED} JOIN t AS w ON w.id = u.v",
        {},
        ["Join inner on (id@3 = v)"],
    ),
    "the order below a limit": (
        FIRST.format(""),
        FIRST.format("DESC"),
        {},
        ["Sort by id DESC"],
    ),
    "the order of a sink": (
        "SELECT id, a FROM t ORDER BY id",
        "SELECT id, a FROM t ORDER BY id DESC",
        {"semantics": TableSemantics.ORDERED_BAG},
        ["Sort by id DESC"],
    ),
    "sets, where duplicates are no difference": (
        "SELECT DISTINCT a FROM t WHERE b > 1",
        "SELECT a FROM t WHERE b > 2",
        {"semantics": TableSemantics.SET},
        ["Filter (b > 2)"],
    ),
    "values, where types are no difference": (
        "SELECT CAST(a AS BIGINT) AS a, b FROM t WHERE b > 1",
        "SELECT a, b FROM t WHERE b > 2",
        {"types": "value"},
        ["Filter (b > 2)"],
    ),
    "inputs that are swapped": (
        "SELECT id FROM t EXCEPT SELECT id FROM u",
        "SELECT id FROM u EXCEPT SELECT id FROM t",
        {},
        ["Join anti on (id <=> id@2)"],
    ),
    "a column that nobody reads is another too": (
        "SELECT id, a FROM (SELECT id, a, b + 1 AS c FROM t) WHERE a > 1",
        "SELECT id, a FROM (SELECT id, a, b + 2 AS c FROM t) WHERE a > 2",
        {},
        ["Filter (a > 2)"],
    ),
    "an operator that moved": (
        "SELECT DISTINCT a FROM (SELECT a FROM t ORDER BY a LIMIT 3)",
        "SELECT a FROM (SELECT DISTINCT a FROM t) ORDER BY a LIMIT 3",
        {},
        ["Aggregate by a"],
    ),
    "one of two branches": (BRANCHES.format(1, 1), BRANCHES.format(1, 3), {}, ["Filter (v > 3)"]),
}


def shown(
    folder: Path, p: str, q: str, options: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    for name, text in (("p.sql", p), ("q.sql", q), ("t.ddl", SCHEMA)):
        (folder / name).write_text(text)
    pair = load_pair(str(folder / "p.sql"), str(folder / "q.sql"), schema=str(folder / "t.ddl"))
    report = verify(*pair, Comparison(**options))
    assert report.verdict is Verdict.INEQUIVALENT
    _, view = viewed(report)
    return view, view["sinks"][0]["trace"]


@pytest.mark.parametrize("case", CASES)
def test_the_tables_part_at(tmp_path: Path, case: str) -> None:
    p, q, options, expected = CASES[case]
    view, trace = shown(tmp_path, p, q, options)
    assert [view["operators"][i]["text"] for i in trace["parted"]] == expected


@pytest.mark.parametrize("number", range(ROUNDS))
def test_one_edit_that_breaks_is_where_the_tables_part(number: int) -> None:
    rng = Random(f"parting {SEED} {number}")
    seen = 0
    while not seen:
        p = random_query(rng)
        q = p and rng.choice(BREAKING)(rng, p)
        if p is None or q is None:
            continue
        report = verify(Version("p", p, True), Version("q", q, True), COMPARISON)
        _, view = viewed(report)
        edited = [i for i, o in enumerate(view["operators"]) if o["edit"] != "same"]
        for sink in view["sinks"]:
            if sink["trace"] is not None:
                assert sink["trace"]["parted"] == edited, (SEED, number)
                seen += 1


def test_rows_are_marked_by_value_in_columns_that_belong_together(tmp_path: Path) -> None:
    text = "SELECT b AS {0}, id, id AS {0} FROM t WHERE a > {1}"
    _, trace = shown(tmp_path, text.format("x", 1), text.format("y", 2), {"columns": "position"})
    for place in trace["order"]:
        p, q = (trace[side].get(str(place)) for side in ("p", "q"))
        if p and q:
            assert (len(p["rows"]) > len(p["alone"])) == (p["rows"] == q["rows"] != [])
            # Rows that were there already are not marked, whatever their columns are called.
            assert len(p["alone"]) - len(q["alone"]) == p["count"] - q["count"]
