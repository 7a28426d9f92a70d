"""Normal forms give what the query gives, on instances made for the rule in question."""

from __future__ import annotations

from typing import Any

import pytest

from veer.interpreter import run_dataflow
from veer.ir.pprint import show_dataflow
from veer.read.sql import read_sql
from veer.rewrite.normalize import normalized

SCHEMA = """CREATE TABLE r (id INT NOT NULL PRIMARY KEY, xs ARRAY<INT>, ys ARRAY<INT>, ds ARRAY<DOUBLE>,
                            xss ARRAY<ARRAY<INT>>)"""
ROWS = [
    (1, (1, 3), (2, -1, 2), (0.0, -0.0), ((1,), (2, 2))),
    (2, (1,), (-1, 3, 3), (-0.0,), ((3, 2, 1), None)),
    (3, (-1,), (1,), (-0.0, 1.0, None), ((2, 1), ())),
    (4, None, (), None, None),
]

QUERIES = [
    "SELECT id, exists(array_distinct(ds), x -> CAST(x AS STRING) = '-0.0') AS e FROM r",
    "SELECT id, array_max(array_distinct(ds)) AS e, array_min(array_distinct(ds)) AS f FROM r",
    "SELECT id, count(*) FROM r LATERAL VIEW explode(xs) AS x WHERE exists(ys, y -> y = x) GROUP BY id",
    "SELECT id, max(size(filter(ys, y -> y > x))) FROM r LATERAL VIEW explode(xs) AS x GROUP BY id",
    "SELECT id, count(*) FROM r LATERAL VIEW explode(xss) AS x WHERE array_contains(x, 1) GROUP BY id",
    "SELECT id, count(*) FROM r LATERAL VIEW explode(xss) AS x"
    " WHERE exists(x, y -> y = size(x)) GROUP BY id",
]


@pytest.mark.parametrize("text", QUERIES)
def test_functions_of_arrays(text: str) -> None:
    dataflow = read_sql(text, SCHEMA)
    tables: dict[str, list[tuple[Any, ...]]] = {"r": ROWS}
    results = [run_dataflow(d, tables) for d in (dataflow, normalized(dataflow))]
    ours, theirs = (sorted(map(repr, result["result"].rows)) for result in results)
    assert ours == theirs


RANDOM = [
    "CASE WHEN rand() > 0.5D THEN CASE WHEN rand() > 0.5D THEN 1 ELSE 2 END END",
    "CASE WHEN CAST(rand() * 9 AS INT) < 3 THEN 1 WHEN CAST(rand() * 9 AS INT) >= 3 THEN 2 ELSE 3 END",
    "(rand() > 0.5D AND id > 1) OR (rand() > 0.5D AND id < 3)",
]


@pytest.mark.parametrize("expr", RANDOM)
def test_numbers_that_are_drawn_twice_stay_two(expr: str) -> None:
    shown = show_dataflow(normalized(read_sql(f"SELECT id, {expr} AS x FROM r", SCHEMA)))
    assert shown.count("rand()") == 2


@pytest.mark.parametrize(
    ("expr", "count"),
    [
        ("avg(CASE WHEN rand() > 0.5D THEN CAST(id AS SMALLINT) END)", 1),
        ("count(*), bool_or(size(xs) > rand() * 9)", 1),
        ("max_by(rand(), rand())", 2),
        ("count(DISTINCT rand(), rand())", 2),
        ("sum(CASE WHEN rand() > 0.5D THEN id + CAST(id AS BIGINT) END)", 1),
    ],
)
def test_numbers_that_are_drawn_in_aggregates_are_as_many(expr: str, count: int) -> None:
    shown = show_dataflow(
        normalized(read_sql(f"SELECT ys, {expr} AS x FROM r GROUP BY ys", SCHEMA))
    )
    assert shown.count("rand()") == count


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id, count_if(x > rand() * 3) AS n FROM r LATERAL VIEW explode(xs) AS x GROUP BY id",
        "SELECT id, max(if(rand() > 0.5D, x, NULL)) AS n FROM r LATERAL VIEW explode(xs) AS x"
        " GROUP BY id",
        "SELECT id, count(*) AS n FROM r LATERAL VIEW explode(xs) AS x GROUP BY id, floor(rand() * 3)",
        "SELECT id, count(*) AS n FROM (SELECT DISTINCT id, x + floor(rand() * 3) AS y"
        " FROM r LATERAL VIEW explode(xs) AS x) GROUP BY id",
    ],
)
def test_a_number_is_drawn_for_each_item(text: str) -> None:
    assert "Unnest" in show_dataflow(normalized(read_sql(text, SCHEMA)))
