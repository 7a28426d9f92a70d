"""A function by one entry, as docs/adding-a-function.md says: read, typed, computed, proven, written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from veer.api import Comparison, Version, verify
from veer.errors import InputError
from veer.execution.sql import SqlWriter
from veer.functions import registry
from veer.functions.traits import SolverMeaning
from veer.interpreter import run_dataflow
from veer.ir.dag import Dataflow
from veer.ir.expr import Call, Compare, RowColumn
from veer.ir.ops import Project, Source
from veer.ir.schema import Field
from veer.ir.types import INT, STRING
from veer.prove.solver import Holds, Same, Solver, SolverOutcome
from veer.read.sql import read_sql
from veer.verdict import Verdict

PAGE = Path(__file__).parent.parent.parent / "docs" / "adding-a-function.md"
NAME = "octet_length"
TABLE = Source("t", (Field("a", INT), Field("s", STRING)))
SCHEMA = {"t": TABLE}


@pytest.fixture
def added() -> Iterator[None]:
    """The entry of the page, for one test."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert NAME not in registry.SCALAR
    exec(compile(code, "adding-a-function.md", "exec"), {})
    yield
    entry = registry.SCALAR.pop(NAME)
    for name in entry.spark:
        del registry.SPARK_CLASSES[name]


def sql(text: str) -> Dataflow:
    return read_sql(text, SCHEMA)


def call_of(dataflow: Dataflow) -> Call:
    (project,) = [op for op in dataflow.operators.values() if isinstance(op, Project)]
    call = project.columns[0].expr
    assert isinstance(call, Call)
    return call


def verdict(p: str, q: str) -> Verdict:
    return verify(Version("p", sql(p), False), Version("q", sql(q), False), Comparison()).verdict


def test_without_an_entry_it_is_refused() -> None:
    with pytest.raises(InputError, match="octet_length"):
        sql("SELECT octet_length(s) AS n FROM t")


@pytest.mark.usefixtures("added")
def test_it_is_read_and_typed() -> None:
    call = call_of(sql("SELECT Octet_Length(s) AS n FROM t"))
    assert (call.function, call.type) == (NAME, INT)
    assert call_of(sql("SELECT octet_length(a) AS n FROM t")).args[0].type == STRING  # cast
    with pytest.raises(InputError, match="octet_length: 2 arguments, expected 1"):
        sql("SELECT octet_length(s, a) AS n FROM t")


@pytest.mark.usefixtures("added")
def test_it_is_computed() -> None:
    flow = sql("SELECT octet_length(s) AS n FROM t")
    result = run_dataflow(flow, {"t": [(1, "né"), (2, None), (3, "")]})["result"]
    assert sorted(result.rows, key=str) == [(0,), (3,), (None,)]


@pytest.mark.usefixtures("added")
def test_the_solver_takes_it_for_a_function_and_no_more() -> None:
    a, b = RowColumn(1, 0, STRING), RowColumn(1, 1, STRING)
    sizes = Call(NAME, (a,), INT), Call(NAME, (b,), INT)
    assert registry.scalar_function(NAME).solver is SolverMeaning.UNINTERPRETED
    assert Solver().ask(Same(*sizes), [Holds(Compare("=", a, b))]) is SolverOutcome.PROVEN
    assert Solver().ask(Same(a, b), [Holds(Compare("=", *sizes))]) is not SolverOutcome.PROVEN


@pytest.mark.usefixtures("added")
def test_it_is_written_back_to_sql() -> None:
    flow = sql("SELECT octet_length(s) AS n FROM t")
    writer = SqlWriter(flow, {TABLE: "some_view"}, {}, lambda *_: "")
    assert re.search(r"\boctet_length\(\w+\.c1\)", writer.statement(flow.sinks[0]))


@pytest.mark.usefixtures("added")
def test_a_class_of_spark_means_it() -> None:
    assert registry.SPARK_CLASSES["OctetLength"] == NAME


@pytest.mark.usefixtures("added")
def test_versions_that_call_it_are_decided() -> None:
    known = "SELECT a FROM t WHERE octet_length(s) IS NULL"
    assert verdict(known, "SELECT a FROM t WHERE s IS NULL") is Verdict.EQUIVALENT
    long = "SELECT a FROM t WHERE octet_length(s) > 11"
    assert verdict(long, "SELECT a FROM t WHERE octet_length(s) > 12") is Verdict.INEQUIVALENT
