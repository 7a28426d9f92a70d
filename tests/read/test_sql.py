"""Reading SQL: what is read how, what is refused with which words."""

from __future__ import annotations

import pytest

from benchmarks.support import tpcds
from tests.support import Case, load_cases
from veer.errors import InputError
from veer.interpreter import run_dataflow
from veer.ir.expr import Compare, Literal, Not, OpaqueCall
from veer.ir.pprint import show_dataflow
from veer.ir.types import INT
from veer.read.sql import read_schema, read_sql
from veer.read.sql.parse import parse_expression
from veer.read.sql.placeholders import (
    Placeholder,
    SetAside,
    has_placeholder,
    number_of,
    placeholder,
)

SCHEMA = """
CREATE TABLE t (a INT, b INT, s STRING, d DOUBLE, arr ARRAY<INT>, st STRUCT<x: INT, y: STRING>);
CREATE TABLE u (k INT NOT NULL, a INT, c STRING, PRIMARY KEY (k), FOREIGN KEY (a) REFERENCES w (k));
CREATE TABLE w (k INT NOT NULL UNIQUE, n INT UNIQUE)
"""


@pytest.mark.parametrize("case", load_cases("sql.flow"), ids=lambda c: c.title)
def test_queries_are_read_as_printed(case: Case) -> None:
    query, expected = case.texts
    assert show_dataflow(read_sql(query, SCHEMA)) == expected.rstrip(";")


@pytest.mark.parametrize("kind", SetAside)
def test_a_placeholder_is_read_back_as_what_it_stands_for(kind: SetAside) -> None:
    expr = Placeholder(kind, 7).expr(INT)
    assert expr.type == INT
    assert placeholder(expr) == Placeholder(kind, 7)
    assert [number_of(k, expr) for k in SetAside] == [7 if k is kind else None for k in SetAside]
    inside = Not(Compare("=", expr, Literal(1, INT)))
    assert placeholder(inside) is None
    assert has_placeholder(inside) and has_placeholder(inside, kind)
    assert not any(has_placeholder(inside, k) for k in SetAside if k is not kind)


def test_other_opaque_calls_are_no_placeholders() -> None:
    call = OpaqueCall("aggregate 7", (), INT)
    assert placeholder(call) is None
    assert not has_placeholder(call)
    assert all(number_of(kind, call) is None for kind in SetAside)


@pytest.mark.parametrize("name", ["one_row", "result", "project_1", "filter_1", "cast", "values_1"])
def test_tables_may_be_called_like_operators(name: str) -> None:
    text = (
        "SELECT a + 1 AS a FROM {0} WHERE a IN (SELECT b + 1L FROM {0} WHERE b > 0) "
        "UNION ALL SELECT 1 UNION ALL SELECT a FROM {0} WHERE EXISTS (SELECT 1 FROM {0} WHERE a = 2)"
    )
    rows = [(1, 1), (2, 1), (2, 2), (3, None)]
    found = [
        run_dataflow(read_sql(text.format(n), f"CREATE TABLE {n} (a INT, b INT)"), {n: rows})
        for n in (name, "plain")
    ]
    (odd, *_), (plain, *_) = (tuple(f.values()) for f in found)
    assert odd.rows == plain.rows


@pytest.mark.parametrize(
    "text",
    [
        "INSERT SELECT a FROM t",
        "SELECT typeof() FROM t",
        "SELECT * FROM range(1, 2, 0)",
        "SELECT * FROM range(-9223372036854775808, 9223372036854775807)",
        "SELECT CAST(a AS DECIMAL(`` 10, 2)) FROM t",
        "SELECT X'1G' FROM t",
    ],
)
def test_odd_texts_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_sql(text, SCHEMA)


@pytest.mark.parametrize("number", sorted(tpcds.queries()))
def test_every_tpcds_query_is_read(number: int) -> None:
    read_sql(tpcds.queries()[number], tpcds.catalog())


@pytest.mark.parametrize("case", load_cases("refused.cases"), ids=lambda c: c.title)
def test_what_is_not_supported_is_refused_with_its_place(case: Case) -> None:
    with pytest.raises(InputError) as caught:
        read_sql(case.texts[0].rstrip(";"), SCHEMA)
    message = str(caught.value)
    assert case.options["says"] in message
    assert "\n" not in message


def test_keys_need_not_null_columns() -> None:
    catalog = read_schema(SCHEMA)
    assert catalog["u"].keys == (("k",),)
    assert catalog["w"].keys == (("k",),)  # n is UNIQUE but nullable: no key
    assert catalog["u"].foreign_keys[0].parent == "w"


def test_common_table_expressions_are_shared_operators() -> None:
    text = (
        "WITH w2 AS (SELECT a FROM t WHERE a > 1) SELECT x.a FROM w2 AS x JOIN w2 AS y ON x.a = y.a"
    )
    dataflow = read_sql(text, SCHEMA)
    (project,) = [
        i
        for i, op in dataflow.operators.items()
        if i.startswith("project") and len(dataflow.outputs[i]) == 2
    ]
    assert len(dataflow.outputs[project]) == 2


def test_a_shared_choice_is_made_once_per_use() -> None:
    """Spark inlines a common table expression: each use of a limit may keep other rows."""
    text = "WITH w2 AS (SELECT a FROM t LIMIT 1) SELECT x.a FROM w2 AS x JOIN w2 AS y ON x.a = y.a"
    dataflow = read_sql(text, SCHEMA)
    assert len([i for i in dataflow.operators if i.startswith("limit")]) == 2


def test_several_statements_make_several_sinks() -> None:
    text = "CREATE VIEW v AS SELECT a FROM t; INSERT INTO x SELECT * FROM v; CREATE TABLE y AS SELECT a + 1 AS a1 FROM v; SELECT * FROM v"
    dataflow = read_sql(text, SCHEMA)
    assert set(dataflow.sinks) == {"x", "y", "result"}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT " + "(" * 3000 + "1" + ")" * 3000,
        "SELECT a FROM t WHERE " + " AND ".join(["a > 1"] * 5000),
        "SELECT 1 " + "UNION ALL SELECT 1 " * 2000,
        "SELECT '" + "x" * 100_000 + "' AS x",
        "\x00\x01\x02",
        "SELECT",
        "💥",
        "SELECT a FROM t WHERE ((((",
    ],
    ids=["parentheses", "conjuncts", "unions", "literal", "control", "nothing", "emoji", "open"],
)
def test_hostile_text_is_read_or_refused(text: str) -> None:
    try:
        read_sql(text, SCHEMA)
    except InputError as error:
        assert "\n" not in str(error)


def test_functions_keep_their_names() -> None:
    """The stock dialect would turn these into other functions."""
    for text in ("date_add(d, 1)", "to_date(s)", "nvl(a, 1)", "substr(s, 1)"):
        tree = parse_expression(text)
        assert tree.sql(dialect="spark").lower().startswith(text.split("(")[0])
