"""What queries give on small tables: rows that Spark gives too (tests/spark/test_scoping.py)."""

from __future__ import annotations

import json

import pytest

from tests.support import Case, load_cases
from tests.tables import ROWS, SCHEMA
from veer.errors import InputError
from veer.functions.registry import Failure
from veer.interpreter import Result, difference, run_dataflow, same_result
from veer.ir.dag import Dataflow, Link
from veer.ir.ops import Filter, Sink
from veer.ir.pprint import show_value
from veer.read.sql import read_sql
from veer.read.workflow.reader import read_workflow
from veer.verdict import TableSemantics

BAG, SET, ORDERED = TableSemantics.BAG, TableSemantics.SET, TableSemantics.ORDERED_BAG


def result(text: str) -> Result:
    return run_dataflow(read_sql(text, SCHEMA), ROWS)["result"]


@pytest.mark.parametrize("case", load_cases("meaning.cases"), ids=lambda c: c.title)
def test_rows(case: Case) -> None:
    query, expected = case.texts
    found = result(query)
    shown = [show_value(row) for row in found.rows]
    wanted = expected.rstrip(";").splitlines()[1:]
    assert expected.splitlines()[0].rstrip(";") == ", ".join(found.names)
    if "ORDER BY" not in query:
        shown, wanted = sorted(shown), sorted(wanted)
    assert shown == wanted


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("SELECT 1 / (a - a) AS x FROM t", "DIVIDE_BY_ZERO"),
        ("SELECT CAST('x' AS INT) AS x", "CAST_INVALID_INPUT"),
        ("SELECT 2147483647 + a AS x FROM t", "ARITHMETIC_OVERFLOW"),
        ("SELECT (SELECT a FROM t) AS x", "SCALAR_SUBQUERY_TOO_MANY_ROWS"),
        ("SELECT element_at(array(1), 3) AS x", "INVALID_ARRAY_INDEX_IN_ELEMENT_AT"),
    ],
)
def test_runs_that_fail_say_so(text: str, condition: str) -> None:
    with pytest.raises(Failure, match=condition):
        result(text)


def test_branches_not_taken_do_not_fail() -> None:
    found = result("SELECT CASE WHEN a IS NULL THEN 1 / 0 ELSE a END AS x FROM t WHERE a = 1")
    assert [row[0] for row in found.rows] == [1.0, 1.0]
    assert result("SELECT a FROM t WHERE a IS NULL AND b > 99 AND 1 / 0 > 1").rows == []


def test_results_are_compared_as_sets_bags_and_weak_orders() -> None:
    once = result("SELECT DISTINCT a FROM t")
    twice = result("SELECT a FROM t")
    assert same_result(once, twice, SET)
    assert not same_result(once, twice, BAG)
    ascending = result("SELECT a FROM t ORDER BY a")
    assert same_result(ascending, twice, BAG)
    assert not same_result(ascending, twice, ORDERED)
    assert not same_result(ascending, result("SELECT a FROM t ORDER BY a DESC"), ORDERED)
    by_s, by_s_and_b = (result(f"SELECT b FROM t ORDER BY {keys}") for keys in ("s", "s, b"))
    assert same_result(by_s, result("SELECT b FROM t ORDER BY s"), ORDERED)
    assert not same_result(by_s, by_s_and_b, ORDERED)  # ties of the one are ordered in the other
    only_once, only_twice = difference(once, twice)
    assert only_once == []
    assert sorted(only_twice) == [(1,), (2,)]


def test_zero_has_two_representations() -> None:
    plus, minus = result("SELECT 0.0D AS x"), result("SELECT -(0.0D) AS x")
    assert not same_result(plus, minus, BAG)
    assert same_result(plus, result("SELECT DISTINCT -(0.0D) AS x"), BAG)
    nan = (
        result("SELECT DOUBLE('NaN') AS x")
        if False
        else result("SELECT CAST('NaN' AS DOUBLE) AS x")
    )
    assert same_result(nan, result("SELECT CAST('NaN' AS DOUBLE) + 1 AS x"), BAG)


OPAQUE = """
operators:
  t: {type: source, columns: {a: int}}
  f: {type: udf, function: f-1, reads: [a], adds: {x: int, y: string}}
  g: {type: udf, function: g-1, scope: group, by: [a], adds: {z: int}}
  r: {type: sink}
  q: {type: sink}
links: [[t, f], [f, r], [t, g], [g, q]]
"""


def test_opaque_operators_are_fixed_functions() -> None:
    dataflow = read_workflow(OPAQUE, yaml=True)
    tables = {"t": [(1,), (2,), (1,), (None,)]}
    one, two = run_dataflow(dataflow, tables), run_dataflow(dataflow, tables)
    assert one["r"].rows == two["r"].rows
    assert one["r"].rows[0] == one["r"].rows[2]
    supplied = {"f-1": lambda a: (a, f"<{a}>"), "g-1": lambda groups: [(len(groups[0]),)]}
    rows = run_dataflow(dataflow, tables, supplied)
    assert rows["r"].rows[1] == (2, 2, "<2>")
    assert sorted(rows["q"].rows) == [(1,), (1,), (2,)]


def test_a_missing_table_is_an_error() -> None:
    with pytest.raises(InputError, match="no rows given for table 't'"):
        run_dataflow(read_sql("SELECT a FROM t", SCHEMA), {})


def test_a_program_does_not_keep_rows_between_runs() -> None:
    dataflow = read_sql("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)", SCHEMA)
    assert run_dataflow(dataflow, ROWS)["result"].rows
    empty = {**ROWS, "u": []}
    assert run_dataflow(dataflow, empty)["result"].rows == []


def test_shared_operators_are_not_inlined_away() -> None:
    base = read_sql("SELECT a FROM t WHERE a > 1", SCHEMA)
    (below,) = base.inputs["result"]
    both = Dataflow({**base.operators, "other": Sink("other")}, [*base.links, Link(below, "other")])
    results = run_dataflow(both, ROWS)
    assert results["result"].rows == results["other"].rows
    assert any(isinstance(op, Filter) for op in both.operators.values())


def test_long_chains_run() -> None:
    """The guard stands on the interpreter: it must not give up on depth."""
    operators = {"t": {"type": "source", "columns": {"a": "int"}}}
    links, last = [], "t"
    for number in range(3000):
        operators[f"f{number}"] = {"type": "filter", "predicate": f"a > {number % 5}"}
        links.append([last, f"f{number}"])
        last = f"f{number}"
    dataflow = read_workflow(json.dumps({"operators": operators, "links": links}))
    found = run_dataflow(dataflow, {"t": [(1,), (9,), (None,)]})
    assert found["f2999.result"].rows == [(9,)]
