"""The null rules of the registry, by enumeration: every function with every choice of null arguments.

A rule is held against what the interpreter computes, and that against Spark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import pytest

from tests.generators.tables import Table, wide_table
from tests.recorded import RecordedSpark
from tests.spark.batches import Tally, compare_expressions
from tests.spark.compare import register
from tests.spark.test_functions import AGGREGATE_CASES, SCALAR_CASES
from veer.errors import InputError, UnsupportedError
from veer.functions.registry import AGGREGATE, SCALAR, Failure, Kind, Nulls, scalar_function
from veer.interpreter import Run, run_dataflow
from veer.interpreter.expressions import compile_expr
from veer.ir.expr import Call, Expr, Literal, OpaqueCall
from veer.ir.nullability import is_nullable
from veer.ir.schema import Field, Schema
from veer.ir.walk import parts
from veer.read.sql import ExpressionReader, read_sql

CALLS = 4  # of a function with so many arguments
MOST_ARGUMENTS = 4
ROWS = 6


def arguments(text: str) -> tuple[str, list[str]] | None:
    """A call as a pattern and its arguments: `f(a, b)` or `(a + b)`; None for other texts."""
    infix = re.fullmatch(r"\(?([^\s()]+) (\S+|LIKE|RLIKE|ILIKE) ([^\s()]+)\)?", text)
    if infix:
        return f"({{}} {infix[2]} {{}})", [infix[1], infix[3]]
    call = re.fullmatch(r"(\w+)\((.*)\)", text, re.DOTALL)
    if call is None:
        return None
    found, depth, quoted = [""], 0, False
    for sign in call[2]:
        quoted ^= sign == "'"
        depth += 0 if quoted else (sign in "([") - (sign in ")]")
        if depth < 0:
            return None
        if sign == "," and not depth and not quoted:
            found.append("")
        else:
            found[-1] += sign
    if " FROM " in call[2] or not call[2]:
        return None
    return f"{call[1]}({', '.join(['{}'] * len(found))})", [arg.strip() for arg in found]


def read(text: str, table: Table) -> Expr | None:
    """A text as an expression, if it is read."""
    try:
        return ExpressionReader([(table.name, schema_of(table))]).read(text)
    except InputError:
        return None


def schema_of(table: Table) -> Schema:
    return Schema(tuple(Field(n, t) for n, t in zip(table.names, table.types, strict=True)))


# What Veer refuses: a number of places that is null, and what holds nothing but nulls.
REFUSED = re.compile(r"^b?round\(.*CAST\(NULL AS int\)\)$|void")


def with_nulls(text: str, table: Table) -> Iterator[str]:
    """A call with every choice of arguments being null, in every row and as a constant."""
    split = arguments(text)
    if split is None or len(split[1]) > MOST_ARGUMENTS:
        return
    pattern, args = split
    types = [None if (e := read(a, table)) is None else str(e.type) for a in args]
    if any(t is None or t == "void" for t in types):
        return
    ways = [
        (a, f"IF(id < -1, {a}, NULL)", f"CAST(NULL AS {t})")
        for a, t in zip(args, types, strict=True)
    ]
    for chosen in product(*ways):
        made = pattern.format(*chosen)
        if not REFUSED.search(made):
            yield made


def calls(table: Table) -> list[str]:
    """Some calls of every function, with nulls."""
    found: dict[str, None] = {}
    for name, texts in SCALAR_CASES.items():
        if SCALAR[name].kind is not Kind.PURE:
            continue
        taken: dict[int, int] = {}
        for text in texts:
            split = arguments(text)
            count = 0 if split is None else len(split[1])
            taken[count] = taken.get(count, 0) + 1
            if count and taken[count] <= CALLS:
                found |= dict.fromkeys(with_nulls(text, table))
    return [text for text in found if is_known(read(text, table))]


def is_known(expr: Expr | None) -> bool:
    """Whether nothing in a call is a function of which no value is known."""
    return expr is None or not any(isinstance(part, OpaqueCall) for part in parts(expr))


@pytest.fixture(scope="module")
def table() -> Table:
    return wide_table(Random("nulls"), ROWS)


def test_what_every_function_makes_of_nulls_is_what_its_rule_says(table: Table) -> None:
    schema, held = schema_of(table), set()
    for text in calls(table):
        expr = read(text, table)
        if isinstance(expr, Call) and keeps_rule(expr, schema, table, text):
            held.add(expr.function)
    pure = {n for n, f in SCALAR.items() if f.kind is Kind.PURE and f.nulls is not Nulls.CUSTOM}
    own = {n for n in pure if "." not in n}
    # What syntax makes of intervals, and functions of Spark's whose values are not computed.
    assert len(own - held) < 12, sorted(own - held)


def keeps_rule(call: Call, schema: Schema, table: Table, text: str) -> bool:
    """Whether a call was computed; then its rule must hold."""
    rule, nullable = scalar_function(call.function).nulls, is_nullable(call, schema)
    scope, computed = (Run({}),), False
    whole = compile_expr(call, (schema,))
    args = [compile_expr(arg, (schema,)) for arg in call.args]
    for row in table.rows:
        try:
            value, given = whole(row, scope), [arg(row, scope) for arg in args]
        except (Failure, UnsupportedError):
            continue
        computed = True
        assert nullable or value is not None, text
        match rule:
            case Nulls.STRICT:
                assert (value is None) == (None in given), text
            case Nulls.PROPAGATE:
                assert value is None or None not in given, text
            case Nulls.NEVER:
                assert value is not None, text
    return computed


@pytest.mark.spark
def test_nulls_are_what_spark_makes_of_them(recorded: RecordedSpark, table: Table) -> None:
    register(recorded, [table])
    tally = Tally()
    compare_expressions(recorded, table, calls(table), tally, batch=150, most_failures=1)
    assert not tally.differences, "\n".join(tally.differences)


# -- aggregates ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(AGGREGATE_CASES))
def test_aggregates_of_no_rows_and_of_nulls(name: str, table: Table) -> None:
    """Where a rule says that nulls are skipped, a group of nulls is as one without rows."""
    function = AGGREGATE[name]
    nulls: list[tuple[Any, ...]] = [(None,) * len(table.names)] * 2
    for text in AGGREGATE_CASES[name]:
        if "(1)" in text or "('a'" in text or "*" in text or "(1," in text:
            continue  # of constants
        flow = read_sql(f"SELECT {text} AS x FROM w", {"w": table.source})
        try:
            empty, hollow = (
                run_dataflow(flow, {"w": rows})["result"].rows[0][0] for rows in ([], nulls)
            )
        except (Failure, UnsupportedError):
            continue
        if text.startswith(name):
            assert (empty is None) == function.empty_is_null, text
        if function.ignores_nulls:
            assert empty == hollow, text


# -- formats ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", ["CAST(NULL AS STRING)", "IF(id < -1, '%s', NULL)"])
def test_a_format_that_is_null_may_give_null(pattern: str, table: Table) -> None:
    expr = read(f"format_string({pattern}, i)", table)
    assert expr is not None and not isinstance(expr, Literal)
    assert is_nullable(expr, schema_of(table))
