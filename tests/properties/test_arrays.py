"""Functions of arrays, and groups of the items of one row: what normal forms make of them means the same.

VEER_SEED picks the queries, VEER_ROUNDS how many.
"""

from __future__ import annotations

import os
from random import Random
from typing import Any

import pytest

from veer.api import Version, verify
from veer.interpreter import run_dataflow
from veer.ir.pprint import show_dataflow
from veer.read.sql import read_sql
from veer.rewrite.normalize import normalized
from veer.verdict import Verdict

SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "3"))
QUERIES = 30
SCHEMA = """
CREATE TABLE t (k INT NOT NULL, n INT, a ARRAY<INT>, o ARRAY<STRUCT<x: INT, y: STRING>>, PRIMARY KEY (k));
CREATE TABLE u (k INT, n INT, b ARRAY<INT>)
"""
CONDITIONS = [
    "{0} IS NOT NULL",
    "{0} > 1",
    "{0} <> n",
    "{0} IN (0, 2)",
    "({0} = 1 OR {0} IS NULL)",
    "NOT ({0} < 2)",
    "{0} <=> n",
    "coalesce({0} = 1, FALSE)",
    "n > 0",
    "{0} > 0 AND n IS NOT NULL",
]
VALUES = ["{0} + 1", "coalesce({0}, 0)", "{0}", "{0} * n", "CASE WHEN {0} > 1 THEN 1 ELSE {0} END"]
CALLS = [
    "count(*)",
    "count({0})",
    "count(DISTINCT {0})",
    "max({0})",
    "min({0} + n)",
    "bool_or({0} > 1)",
    "bool_and({0} > 1)",
    "max({0} = 1)",
    "count_if({0} > n)",
    "count({0}) FILTER (WHERE {0} < 3)",
    "sum({0})",
]


class Queries:
    """Random queries about arrays and their items."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def one(self, forms: list[str]) -> str:
        return self.random.choice(forms).format("z")

    def array(self, depth: int) -> str:
        if depth == 0:
            start = [
                "a",
                "a",
                "coalesce(a, array())",
                "transform(o, z -> z.x)",
                "array_distinct(a)",
            ]
            return self.random.choice(start)
        inner = self.array(depth - 1)
        return self.random.choice(
            [
                f"filter({inner}, z -> {self.one(CONDITIONS)})",
                f"transform({inner}, z -> {self.one(VALUES)})",
                f"array_compact({inner})",
                f"array_distinct({inner})",
                f"coalesce({inner}, array())",
            ]
        )

    def computed(self) -> str:
        array = self.array(self.random.randint(0, 3))
        value = self.random.choice(
            [
                f"size({array})",
                f"exists({array}, z -> {self.one(CONDITIONS)})",
                f"coalesce(forall({array}, z -> {self.one(CONDITIONS)}), false)",
                f"array_contains({array}, 1)",
                f"array_max({array})",
                f"size(array_distinct({array}))",
                f"{array} IS NULL",
                array,
            ]
        )
        return f"SELECT k, {value} AS x FROM t WHERE {self.random.choice(['TRUE', f'size({array}) > 1'])}"

    def grouped(self) -> str:
        table = self.random.choice(["t", "t", "u"])
        array = self.array(1) if table == "t" else "b"
        rows = f"SELECT k, n, z FROM {table} LATERAL VIEW explode({array}) e AS z WHERE {self.one(CONDITIONS)}"
        distinct = f"SELECT DISTINCT k, z * 2 AS z FROM ({rows})"
        groups = f"SELECT k, {self.one(CALLS)} AS c FROM ({rows}) GROUP BY k"
        negated = self.random.choice(["", "NOT "])
        return self.random.choice(
            [
                f"SELECT k, {self.one(CALLS)} AS c, {self.one(CALLS)} AS d FROM ({rows}) GROUP BY k",
                f"SELECT k, count(*) AS c FROM ({distinct}) GROUP BY k",
                f"SELECT k, n, {self.one(CALLS)} AS c FROM ({rows}) GROUP BY k, n HAVING count(*) > 1",
                f"SELECT u.k FROM u WHERE {negated}EXISTS (SELECT 1 FROM ({rows}) x WHERE x.k = u.k)",
                f"SELECT u.k, c.c FROM u LEFT JOIN ({groups}) c ON u.k = c.k",
            ]
        )


def tables(random: Random) -> dict[str, list[tuple[Any, ...]]]:
    """Random rows, arrays with nulls and without items among them."""

    def value() -> int | None:
        return random.choice([None, 0, 1, 2, 3])

    def array(make: Any) -> tuple[Any, ...] | None:
        items = tuple(make() for _ in range(random.randint(0, 4)))
        return None if random.random() < 0.15 else items

    def struct() -> Any:
        return random.choice([None, (value(), "a"), (value(), None)])

    keyed = [(k, value(), array(value), array(struct)) for k in range(random.randint(0, 3))]
    return {
        "t": keyed,
        "u": [(value(), value(), array(value)) for _ in range(random.randint(0, 3))],
    }


@pytest.mark.parametrize("number", range(ROUNDS))
@pytest.mark.parametrize("kind", ["computed", "grouped"])
def test_normal_forms_mean_the_same(kind: str, number: int) -> None:
    random = Random(f"arrays {kind} {SEED} {number}")
    queries, changed = Queries(random), 0
    for _ in range(QUERIES):
        text = getattr(queries, kind)()
        dataflow = read_sql(text, SCHEMA)
        other = normalized(dataflow)
        changed += "Unnest" not in show_dataflow(other)
        for _ in range(8):
            given = tables(random)
            one, two = (
                sorted(map(repr, run_dataflow(d, given)["result"].rows)) for d in (dataflow, other)
            )
            assert one == two, (text, given)
    assert changed > QUERIES // 3


GROUPS = "(SELECT k, {0} AS c FROM t LATERAL VIEW explode(a) e AS z WHERE {1} GROUP BY k)"
PAIRS = [
    (
        "CAST(count(*) AS INT)",
        "z > 1",
        "coalesce(g.c, 0)",
        "coalesce(size(filter(a, z -> z > 1)), 0)",
        True,
    ),
    (
        "CAST(count(*) AS INT)",
        "z > 1",
        "coalesce(g.c, 0)",
        "coalesce(size(filter(a, z -> z > 0)), 0)",
        False,
    ),
    ("CAST(count(*) AS INT)", "z > 1", "g.c", "size(filter(a, z -> z > 1))", False),
    ("max(z)", "TRUE", "g.c", "array_max(a)", True),
    ("max(z)", "z < 5", "g.c", "array_max(a)", False),
    ("true", "z = 1", "coalesce(g.c, false)", "coalesce(array_contains(a, 1), false)", True),
    ("true", "z = 1", "g.c", "array_contains(a, 1)", False),
    (
        "CAST(count(DISTINCT z % 2) AS INT)",
        "TRUE",
        "coalesce(g.c, 0)",
        "coalesce(size(array_distinct(filter(transform(a, z -> z % 2), z -> z IS NOT NULL))), 0)",
        True,
    ),
    (
        "CAST(count(DISTINCT z % 2) AS INT)",
        "TRUE",
        "coalesce(g.c, 0)",
        "coalesce(size(array_distinct(transform(a, z -> z % 2))), 0)",
        False,
    ),
]


@pytest.mark.parametrize(("call", "where", "old", "new", "equal"), PAIRS)
def test_exploded_and_counted(call: str, where: str, old: str, new: str, equal: bool) -> None:
    groups = GROUPS.format(call, where)
    p = f"SELECT u.k, {old} AS c FROM u LEFT JOIN {groups} g ON u.k = g.k"
    q = f"SELECT u.k, {new} AS c FROM u LEFT JOIN t ON u.k = t.k"
    one, two = (Version(text, read_sql(text, SCHEMA), False) for text in (p, q))
    verdict = verify(one, two).verdict
    assert verdict is (Verdict.EQUIVALENT if equal else Verdict.INEQUIVALENT)
