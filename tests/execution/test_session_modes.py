"""Runs in sessions with and without ANSI: a session computes what was read, or refuses it by name."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import veer
from tests.command import veer as command
from tests.spark.compare import collect, same_rows
from tests.spark.session import ANSI, session_mode
from tests.sparks import installed_spark
from veer.errors import UnsupportedError
from veer.execution.compiler import Compiler
from veer.execution.session import Session
from veer.execution.start import RunOptions, Started, start
from veer.functions.registry import Failure
from veer.interpreter import Result, run_dataflow
from veer.read.function_bodies import Bodies
from veer.read.sql import read_sql
from veer.settings import SPARK_4_0, SessionSettings, under

pytestmark = pytest.mark.spark
LARGEST = 2147483647
ROWS = [(LARGEST, 0, "x1", (1,)), (7, 2, "9", ()), (None, None, None, None)]
DDL = "CREATE TABLE t (x INT, n INT, s STRING, xs ARRAY<INT>)"
# Expressions that mean one thing under ANSI and another without.
DIFFERENT = [
    "x + 1", "x - -2", "x * 2", "-x + -2", "abs(x - 5)", "x / n", "x % n", "x div n", "pmod(x, n)",
    "CAST(s AS INT)", "CAST(s AS DOUBLE)", "CAST(s AS DATE)", "CAST(x AS TINYINT)", "xs[3]",
    "element_at(xs, 3)", "size(xs)", "round(x, -1)", "make_date(x, n, n)",
]  # fmt: skip
# Those that mean the same in both.
ALIKE = [
    "x > n", "try_add(x, 1)", "try_divide(x, n)", "TRY_CAST(s AS INT)", "CAST(x AS BIGINT)",
    "upper(s)", "coalesce(x, 0)", "CAST(n AS STRING)", "x & n",
]  # fmt: skip


def results(text: str, ansi: bool) -> tuple[Any, Result | None]:
    """A query read in a mode, and its rows there; none if it fails."""
    with under(SessionSettings(ansi=ansi, spark=installed_spark())):
        flow = read_sql(text, DDL)
    try:
        return flow, run_dataflow(flow, {"t": ROWS})["result"]
    except Failure:
        return flow, None


@pytest.mark.parametrize("run", [True, False], ids=["ANSI", "without ANSI"])
def test_a_session_computes_what_was_read_or_refuses_it(spark: SparkSession, run: bool) -> None:
    rows = [(x, n, s, None if xs is None else list(xs)) for x, n, s, xs in ROWS]
    table = spark.createDataFrame(rows, "x int, n int, s string, xs array<int>")
    refused = []
    with session_mode(spark, ansi=run):
        for expression, read in itertools.product([*DIFFERENT, *ALIKE], (True, False)):
            flow, ours = results(f"SELECT {expression} AS y FROM t", read)
            try:
                frame = Compiler(spark, flow, lambda _: table, Bodies()).frame("result")
            except UnsupportedError as error:
                assert "ANSI" in str(error) and read is not run, error
                refused.append(expression)
                continue
            if ours is None:
                with pytest.raises(Exception, match=r"Exception|\["):
                    frame.collect()
                continue
            theirs = collect(frame, ours.types)
            assert same_rows(ours.rows, theirs, ours.types, ordered=False), (expression, read)
    assert {*refused} <= {*DIFFERENT} and len(refused) >= len(DIFFERENT) // 2
    assert "x + 1" in refused and "CAST(s AS INT)" in refused and "size(xs)" in refused


def test_aggregates_mean_what_was_read(spark: SparkSession) -> None:
    table = spark.createDataFrame([(2**63 - 1,), (1,)], "b bigint")
    ddl, text = "CREATE TABLE t (b BIGINT)", "SELECT sum(b) AS y FROM t"
    for read, run in itertools.product((True, False), repeat=2):
        with under(SessionSettings(ansi=read, spark=installed_spark())):
            flow = read_sql(text, ddl)
        with session_mode(spark, ansi=run):
            compiler = Compiler(spark, flow, lambda _: table, Bodies())
            if read is not run:
                with pytest.raises(UnsupportedError, match=r"sum.*ANSI"):
                    compiler.frame("result")
            elif run:
                with pytest.raises(Exception, match="OVERFLOW"):
                    compiler.frame("result").collect()
            else:
                assert [tuple(r) for r in compiler.frame("result").collect()] == [(-(2**63),)]


# -- the store ---------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a table and a query that means something else in each mode."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(f"x,n\n{LARGEST},0\n7,2\n")
    (tmp_path / "t.ddl").write_text("CREATE TABLE t (x INT, n INT) USING csv")
    (tmp_path / "sum.sql").write_text("SELECT x + 1 AS y, x / n AS r FROM t WHERE n < 9")
    yield tmp_path


def started(spark: SparkSession, spec: str, **asked: Any) -> Started:
    options = RunOptions(store="kept", schema="t.ddl", name="q", **asked)
    return start(spec, options, Session(given=spark))


def test_results_of_one_mode_never_serve_the_other(spark: SparkSession, folder: Path) -> None:
    def outcome(spec: str, ansi: bool) -> str:
        with session_mode(spark, ansi=ansi), started(spark, spec) as run:
            done = run.running.run().sinks[0]
            return done.how

    (folder / "sum.sql").write_text("SELECT x + n AS y FROM t WHERE x < 9")
    assert [outcome("sum.sql", ansi) for ansi in (True, False, False, True)] == [
        "computed", "computed", "reused", "reused"
    ]  # fmt: skip
    with session_mode(spark, ansi=False), pytest.raises(UnsupportedError, match="ran under ANSI"):
        started(spark, "store:q@1").close()


def test_live_frames_of_both_modes(spark: SparkSession, folder: Path) -> None:
    def served(ansi: bool, expression: str) -> list[tuple[Any, ...]]:
        with session_mode(spark, ansi=ansi):
            table = spark.read.csv(str(folder / "t.csv"), schema="x int, n int", header=True)
            frame = veer.run(table.selectExpr(f"{expression} AS y"), name="live", store="kept")
            return sorted(map(tuple, frame.collect()), key=repr)

    assert served(False, "x + 1") == served(False, "1 + x") == [(-LARGEST - 1,), (8,)]
    assert served(True, "try_add(x, 1)") == [(8,), (None,)]


def test_the_command_runs_without_ansi(folder: Path) -> None:
    """SQL by `--conf`, a PySpark job by the project file."""
    conf = ("--conf", f"{ANSI}=false")
    words = ("run", "sum.sql", "--schema", "t.ddl", "--store", "kept", "--format", "json")
    done = command(*words, *conf, "--out", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    rows = rows_of(folder / "out" / "result")
    assert rows == [(-LARGEST - 1, None), (8, 3.5)]
    if installed_spark() >= SPARK_4_0:
        failing = command(*words, cwd=folder)
        assert failing.returncode != 0 and "OVERFLOW" in failing.stdout + failing.stderr
    (folder / "veer.toml").write_text(f"[conf]\n{ANSI} = false\n")
    (folder / "job.py").write_text(
        "def build(spark):\n"
        "    t = spark.read.csv('t.csv', schema='x int, n int', header=True)\n"
        "    t.selectExpr('x + 1 AS y').write.parquet('written')\n"
    )
    done = command("run", "job.py:build", "--store", "kept", "--format", "json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "computed" in json.dumps(json.loads(done.stdout)["frames"])
    assert rows_of(folder / "written") == [(-LARGEST - 1,), (8,)]


def rows_of(path: Path) -> list[tuple[Any, ...]]:
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path)
    return sorted(zip(*(c.to_pylist() for c in table.columns), strict=True), key=repr)
