"""Types, schemas, expressions and operators: what is well-formed, and how errors read."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys

import pytest

from benchmarks.support import tpcds
from veer.errors import IllFormedError, ParseError
from veer.facts.fingerprint import fingerprint, fingerprints
from veer.ir.dag import Dataflow, Link
from veer.ir.expr import Call, Cast, Column, Compare, Expr, Literal, Named, Not
from veer.ir.json import from_json, to_json
from veer.ir.ops import (
    Aggregate,
    AnyOperator,
    Filter,
    Join,
    JoinKind,
    Limit,
    Project,
    Sink,
    Source,
    Union,
)
from veer.ir.pprint import show_dataflow, show_expr
from veer.ir.schema import Field, Schema
from veer.ir.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    NULL,
    STRING,
    DataType,
    DecimalType,
    MapType,
    parse_type,
)
from veer.read.coercion import arithmetic, call, case, cast, compare, in_list
from veer.read.sql import read_sql

A, B, S = Column("a", INT), Column("b", INT), Column("s", STRING)
TABLE = Source("t", (Field("a", INT), Field("b", INT), Field("s", STRING)))

SPELLINGS = [
    "boolean",
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "float",
    "double",
    "decimal(7,2)",
    "string",
    "binary",
    "date",
    "timestamp",
    "timestamp_ntz",
    "interval",
    "interval day to second",
    "interval year to month",
    "interval day",
    "void",
    "array<int>",
    "map<string,array<double>>",
    "struct<a:int,`b c`:struct<d:date>>",
]


@pytest.mark.parametrize("text", SPELLINGS)
def test_types_read_back(text: str) -> None:
    assert str(parse_type(text)) == text
    assert str(parse_type(text.upper().replace("`B C`", "`b c`"))).lower() == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "integr",
        "decimal(39,0)",
        "decimal(3,4)",
        "array<",
        "array<int",
        "map<int>",
        "int int",
        "a-b",
        "interval second to day",
        "array<" * 70 + "int" + ">" * 70,
    ],
)
def test_what_is_no_type_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse_type(text)


COERCIONS: list[tuple[Expr, str]] = [
    (arithmetic("+", A, Column("l", LONG)), "bigint"),
    (arithmetic("+", A, Column("f", FLOAT)), "double"),
    (arithmetic("/", A, B), "double"),
    (arithmetic("+", A, S), "bigint"),
    (arithmetic("*", Column("x", DecimalType(7, 2)), Literal(2, INT)), "decimal(9,2)"),
    (
        arithmetic("/", Column("x", DecimalType(7, 2)), Column("y", DecimalType(7, 2))),
        "decimal(17,10)",
    ),
    (arithmetic("+", Column("d", DATE), A), "date"),
    (call("coalesce", A, Literal(None, NULL)), "int"),
    (call("coalesce", A, S), "bigint"),
    (case([(compare(">", A, B), A)], Column("l", LONG)), "bigint"),
    (call("concat", A, S), "string"),
    (call("round", Column("x", DecimalType(7, 3)), Literal(1, INT)), "decimal(6,1)"),
]


@pytest.mark.parametrize(
    ("expr", "expected"), COERCIONS, ids=lambda x: x if isinstance(x, str) else ""
)
def test_coercion_gives_sparks_types(expr: Expr, expected: str) -> None:
    assert str(expr.type) == expected


def test_comparisons_cast_to_a_common_type() -> None:
    assert compare("=", A, S) == Compare("=", Cast(A, LONG), Cast(S, LONG))
    assert in_list(A, [Literal("1", STRING)]).arg.type == LONG  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "build",
    [
        lambda: Compare("=", A, S),
        lambda: Not(A),
        lambda: Call("upper", (A,), STRING),
        lambda: Call("upper", (S,), INT),
        lambda: compare("<", Column("m", MapType(INT, INT)), Column("n", MapType(INT, INT))),
        lambda: call("substring", S),
        lambda: call("year", Column("b", BOOLEAN)),
        lambda: cast(Column("d", DATE), INT),
    ],
)
def test_ill_typed_expressions_cannot_be_built(build: object) -> None:
    with pytest.raises(IllFormedError):
        build()  # type: ignore[operator]


def flow(*operators: AnyOperator) -> Dataflow:
    """A chain from the table to a sink."""
    ids = ["t", *(f"n{i}" for i in range(len(operators))), "r"]
    return Dataflow(
        dict(zip(ids, [TABLE, *operators, Sink("r")], strict=True)),
        [Link(a, b) for a, b in itertools.pairwise(ids)],
    )


def gt(column: Column, number: int) -> Expr:
    return compare(">", column, Literal(number, INT))


@pytest.mark.parametrize(
    ("operator", "message"),
    [
        (
            Filter(gt(Column("z", INT), 1)),
            "operator 'n0' (Filter): unknown column 'z'; there are a, b, s",
        ),
        (Filter(compare("=", Column("a", STRING), S)), "column 'a' is int, expected string"),
        (Filter(A), "a condition must be boolean, got int"),
        (Aggregate(()), "GlobalAggregate"),
        (Limit(-1), "not negative"),
        (Project((Named("x", Column("a", INT, 1)),)), "unknown column 'a' (occurrence 2)"),
    ],
)
def test_ill_formed_operators_are_named(operator: AnyOperator, message: str) -> None:
    with pytest.raises(IllFormedError) as caught:
        flow(operator)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("operators", "links", "message"),
    [
        ({"t": TABLE, "r": Sink("r")}, [], "has 0 inputs, expected 1"),
        ({"t": TABLE, "r": Sink("r")}, [Link("t", "q")], "no operator 'q'"),
        (
            {"t": TABLE, "u": TABLE, "r": Sink("r")},
            [Link("t", "r"), Link("u", "r")],
            "two producers",
        ),
        (
            {"t": TABLE, "r": Sink("r"), "x": Sink("x")},
            [Link("t", "r"), Link("r", "x")],
            "leaves a sink",
        ),
        ({"t": TABLE, "u": TABLE, "r": Sink("r")}, [Link("t", "r")], "'u' (Source) feeds nothing"),
        (
            {"t": TABLE, "j": Join(JoinKind.CROSS), "r": Sink("r")},
            [Link("t", "j"), Link("j", "r")],
            "1 inputs, expected 2",
        ),
        (
            {"t": TABLE, "u": Union(), "r": Sink("r")},
            [Link("t", "u", 1), Link("u", "r")],
            "nothing feeds port 0",
        ),
        (
            {"t": TABLE, "x": Union(), "y": Limit(1), "r": Sink("r")},
            [Link("t", "x"), Link("y", "x", 1), Link("x", "y"), Link("x", "r")],
            "cycle: x -> y -> x",
        ),
    ],
)
def test_ill_formed_dataflows_cannot_be_built(
    operators: dict[str, AnyOperator], links: list[Link], message: str
) -> None:
    with pytest.raises(IllFormedError) as caught:
        Dataflow(operators, links)
    assert message in str(caught.value) or "y -> x -> y" in str(caught.value)


def test_union_needs_equal_types() -> None:
    other = Source("u", (Field("a", LONG), Field("b", INT), Field("s", STRING)))
    with pytest.raises(IllFormedError, match="column 'a' is int, but 'a' is bigint"):
        Dataflow(
            {"t": TABLE, "u": other, "x": Union(), "r": Sink("r")},
            [Link("t", "x"), Link("u", "x", 1), Link("x", "r")],
        )


def test_a_fact_is_derived_once_for_each_dataflow() -> None:
    rows: dict[str, AnyOperator] = {"t": TABLE, "out": Sink("out")}
    dataflow = Dataflow(rows, [Link("t", "out")])
    calls: list[str] = []

    def width() -> int:
        calls.append("width")
        return dataflow.cached("columns", lambda: len(dataflow.schemas["t"]))

    assert [dataflow.cached("width", width) for _ in range(3)] == [3, 3, 3]
    assert calls == ["width"]
    assert dataflow.cached(("width", "t"), lambda: None) is None
    equal = Dataflow(rows, [Link("t", "out")])
    assert equal == dataflow
    assert equal.cached("width", lambda: 4) == 4  # facts belong to one value, not to its equals


def test_columns_are_found_by_occurrence() -> None:
    schema = Schema((Field("a", INT), Field("b", INT), Field("a", STRING)))
    assert schema.place("a") == 0
    assert schema.place("a", 1) == 2
    assert schema.occurrence(2) == 1


def test_nullability_follows_joins() -> None:
    key = Source("k", (Field("k", INT, False),), (("k",),))
    dataflow = Dataflow(
        {
            "t": TABLE,
            "k": key,
            "j": Join(JoinKind.LEFT, compare("=", A, Column("k", INT))),
            "r": Sink("r"),
        },
        [Link("t", "j"), Link("k", "j", 1), Link("j", "r")],
    )
    assert [f.nullable for f in dataflow.schemas["j"]] == [True, True, True, True]
    assert not dataflow.schemas["k"].fields[0].nullable


@pytest.mark.parametrize("number", sorted(tpcds.queries()))
def test_dataflows_survive_json(number: int) -> None:
    dataflow = read_sql(tpcds.queries()[number], tpcds.catalog())
    again = from_json(json.loads(json.dumps(to_json(dataflow))))
    assert again == dataflow
    assert fingerprint(again) == fingerprint(dataflow)
    assert show_dataflow(again) == show_dataflow(dataflow)


@pytest.mark.parametrize(
    "data", [{}, [], {"veer": 2}, {"veer": 1, "operators": {"a": {"is": "Nope"}}, "links": []}]
)
def test_json_that_is_no_dataflow_is_refused(data: object) -> None:
    with pytest.raises(ParseError):
        from_json(data)


NEAR_MISSES: list[AnyOperator] = [
    Filter(gt(A, 1)),
    Filter(gt(A, 2)),
    Filter(gt(B, 1)),
    Filter(compare(">=", A, Literal(1, INT))),
    Filter(Not(gt(A, 1))),
    Limit(1),
    Limit(2),
    Limit(1, 1),
    Project((Named("x", A), Named("y", B))),
    Project((Named("x", B), Named("y", A))),
    Project((Named("x", Cast(A, LONG)), Named("y", B))),
    Project((Named("x", Literal(0.0, DOUBLE)),)),
    Project((Named("x", Literal(-0.0, DOUBLE)),)),
    Project((Named("x", Literal(1, INT)),)),
    Project((Named("x", Literal(1, LONG)),)),
    Project((Named("x", Literal("1", STRING)),)),
]


def test_fingerprints_tell_different_computations_apart() -> None:
    found = [fingerprints(flow(op))["n0"] for op in NEAR_MISSES]
    assert len(set(found)) == len(found)


def test_fingerprints_ignore_ids_and_inner_names_but_not_result_names() -> None:
    one = flow(Project((Named("x", A),)), Filter(gt(Column("x", INT), 1)))
    two = flow(Project((Named("y", A),)), Filter(gt(Column("y", INT), 1)))
    assert fingerprints(one)["n1"] == fingerprints(two)["n1"]
    assert fingerprint(one) != fingerprint(two)


def test_fingerprints_are_the_same_in_every_process() -> None:
    code = (
        "from veer.read.sql import read_sql\nfrom veer.facts.fingerprint import fingerprint\n"
        "print(fingerprint(read_sql('SELECT a, count(*) AS n FROM t WHERE s IN (\\'x\\', \\'y\\') "
        "AND EXISTS (SELECT 1 FROM t AS u WHERE u.a = t.a) GROUP BY a', "
        "'CREATE TABLE t (a INT, s STRING)')))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "src"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(found) == 1


def test_printing_is_readable() -> None:
    text = show_dataflow(flow(Filter(gt(A, 24)), Limit(3)))
    assert text.splitlines() == [
        "t   Source t(a int, b int, s string)",
        "n0  Filter (a > 24)  <- t",
        "n1  Limit 3  <- n0",
        "r   Sink r (table)  <- n1",
    ]
    assert show_expr(case([(gt(A, 1), S)], None)) == "CASE WHEN (a > 1) THEN s ELSE NULL END"


def test_types_are_values() -> None:
    kinds: set[DataType] = {INT, parse_type("int"), LONG}
    assert kinds == {INT, LONG}
