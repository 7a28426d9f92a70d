"""The fuzzer: what it makes is legal, the same for the same seed, and its judge sees what is wrong."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from benchmarks.fuzz.databases import DATABASES, KINDS, broken_constraints, database
from benchmarks.fuzz.frames import NOT_REALISED, World, as_csv_holds, realised
from benchmarks.fuzz.judge import Judge, Outcome
from benchmarks.fuzz.main import main
from benchmarks.fuzz.programs import COLUMNS, Program, program
from benchmarks.fuzz.rewriting import RULES
from benchmarks.fuzz.schemas import Column, Reference, Schema, Table, random_schema, read_tables
from benchmarks.fuzz.sql_mode import Pair, block_of, judged, verified
from benchmarks.fuzz.verdicts import (
    ILLEGAL_WITNESS,
    SIGNED_ZERO,
    UNSAID_FAILURE,
    WRONG_EQUIVALENT,
    WRONG_INEQUIVALENT,
    Answer,
    judged_equal,
    judged_witness,
)
from veer.assumptions import SameChoice
from veer.errors import InputError
from veer.ir.sources import location_of
from veer.read.sql import read_schema, read_sql
from veer.verdict import Witness, WitnessKind

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = Table("t", (Column("a", "INT"), Column("d", "DOUBLE")))
PARENT = Table("p", (Column("k", "INT", False),), (("k",),), True)
CHILD = Table("c", (Column("k", "INT"),), (("k",),), False, (Reference(("k",), "p", ("k",)),))
EQUAL = Answer("equivalent")


def outcome(*values: object) -> Outcome:
    return Outcome(("a",), ("int",), tuple((v,) for v in values))


def test_databases_honour_what_is_declared() -> None:
    for number in range(60):
        rng = Random(number)
        schema = random_schema(rng)
        for kind in {*KINDS, *DATABASES}:
            assert broken_constraints(schema, database(rng, schema, kind)) == []


def test_broken_constraints_are_seen() -> None:
    schema = Schema((PARENT, CHILD))
    assert broken_constraints(schema, {"p": [(1,)], "c": [(1,), (None,), (None,)]}) == []
    assert broken_constraints(schema, {"c": [(1,)]}) == ["c (k) refers to no row of p"]
    assert "c repeats its key (k)" in broken_constraints(schema, {"p": [(1,)], "c": [(1,), (1,)]})
    assert "p.k is null" in broken_constraints(schema, {"p": [(None,)]})


def test_a_schema_is_read_back() -> None:
    for number in range(20):
        schema = random_schema(Random(number))
        assert read_tables(json.loads(json.dumps([asdict(t) for t in schema.tables]))) == schema


def test_most_pairs_are_read_and_the_same_again() -> None:
    refused, used = 0, Counter[str]()
    for block in range(8):
        schema, pairs = block_of(5, block)
        assert pairs == block_of(5, block)[1]
        catalog = read_schema(schema.ddl())
        for pair in pairs:
            used.update(pair.rewrites)
            try:
                read_sql(pair.p, catalog)
                read_sql(pair.q, catalog)
            except InputError:
                refused += 1
    assert refused < 40
    assert len(used) > 0.7 * len(RULES)


def test_some_pairs_without_spark() -> None:
    _, pairs = block_of(7, 1)
    said = Counter(verified(pair).verdict for pair in pairs[:12])
    assert said["equivalent"] and said["inequivalent"]
    assert not said["crash"]


def test_programs_can_be_compiled() -> None:
    for number in range(200):
        found = program("x", Random(number))
        assert found == program("x", Random(number))
        for text in (found.p, found.q):
            compile(text, "x.py", "exec")


def test_results_are_compared_to_the_last_bit() -> None:
    assert judged_equal(EQUAL, outcome(1, 2), outcome(2, 1)) is None
    found = [
        judged_equal(EQUAL, outcome(1), outcome(1, 1)),
        judged_equal(EQUAL, outcome(0.0), outcome(-0.0)),
        judged_equal(EQUAL, outcome(0.3), outcome(0.1 + 0.2)),
        judged_equal(EQUAL, outcome(), Outcome(error="overflow")),
    ]
    kinds = [f and f.kind for f in found]
    assert kinds == [WRONG_EQUIVALENT, SIGNED_ZERO, WRONG_EQUIVALENT, UNSAID_FAILURE]
    chosen = replace(EQUAL, assumptions=(SameChoice("x", "y", "Limit 1"),))
    assert judged_equal(chosen, outcome(1), outcome(2)) is None


def test_a_witness_must_show_a_difference() -> None:
    assert judged_witness(outcome(1), outcome(2)) is None
    for q in (outcome(1), Outcome(error="overflow")):
        finding = judged_witness(outcome(1), q)
        assert finding is not None and finding.kind == WRONG_INEQUIVALENT
    finding = judged_witness(outcome(0.0), outcome(-0.0))
    assert finding is not None and finding.kind == WRONG_INEQUIVALENT


@pytest.mark.spark
def test_the_judge_tells_right_from_wrong(spark: SparkSession) -> None:
    judge = Judge(spark)
    schema = Schema((T, PARENT, CHILD))
    pair = Pair("x", schema, "SELECT a FROM t", "SELECT a FROM t WHERE a IS NOT NULL")
    child = replace(pair, p="SELECT k FROM c", q="SELECT k + 1 FROM c", columns="position")

    def kinds(one: Pair, answer: Answer) -> list[str]:
        return [f.kind for _, f in judged(judge, schema, [(one, answer)], Random(1))]

    def witness(**tables: list[list[object]]) -> Answer:
        rows = {name: {"rows": content} for name, content in tables.items()}
        return Answer("inequivalent", witness=Witness(WitnessKind.ROWS, rows, ((1,),), ()))

    try:
        assert WRONG_EQUIVALENT in kinds(pair, EQUAL)
        assert kinds(replace(pair, q="SELECT a FROM (SELECT a FROM t)"), EQUAL) == []
        failing = replace(pair, q="SELECT CAST(1 / (coalesce(a, 0) * 0) AS INT) AS a FROM t")
        assert UNSAID_FAILURE in kinds(failing, EQUAL)  # run apart where one fails
        other_type = replace(pair, q="SELECT CAST(a AS BIGINT) AS a FROM t", types="value")
        assert kinds(other_type, EQUAL) == []
        zero = replace(pair, p="SELECT 0.0D AS z FROM t", q="SELECT -(0.0D) AS z FROM t")
        assert kinds(zero, EQUAL) == [SIGNED_ZERO] * len(DATABASES)
        assert kinds(pair, witness(t=[[None, 1.0]])) == []
        assert kinds(pair, witness(t=[[1, 1.0]])) == [WRONG_INEQUIVALENT]
        assert kinds(child, witness(c=[[1]])) == [ILLEGAL_WITNESS]
        assert kinds(child, witness(c=[[1]], p=[[1]])) == []
    finally:
        Judge(spark, fast=False)  # the settings of the session, as before


@pytest.mark.spark
@pytest.mark.slow
def test_the_command(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--pairs", "8", "--runs", "3", "--seed", "7", "--out", str(tmp_path)]
    assert main(asked) in (0, 1)
    assert "wrong; files in" in capsys.readouterr().out
    assert len((tmp_path / "blocks-0.jsonl").read_text(encoding="utf-8").splitlines()) == 3
    assert main(asked) in (0, 1)  # nothing is done twice
    assert len((tmp_path / "blocks-0.jsonl").read_text(encoding="utf-8").splitlines()) == 3


@pytest.mark.spark
def test_witnesses_over_files_are_written_to_them(spark: SparkSession, tmp_path: Path) -> None:
    """Of several paths, of files that lack a column at first, of CSV, which holds no empty text."""
    formats = (("t0", "without a"), ("t1a", "parquet"), ("t1b", "parquet"), ("t2", "csv"))
    world = World(Judge(spark, fast=False), Program("x", "", "", (), formats), tmp_path)
    there, here = (f"file:{tmp_path}/{name}" for name in ("t0", "t2"))
    both = location_of([f"file:{tmp_path}/t1a", f"file:{tmp_path}/t1b"])
    table = {"columns": list(COLUMNS), "rows": [[None, "", 0.5, 1]]}
    assert realised(world, {there: table, both: table}) is None
    frame = spark.read.schema("a INT, b STRING").parquet(f"{tmp_path}/t1a", f"{tmp_path}/t1b")
    assert [tuple(r) for r in frame.collect()] == [(None, "")]
    assert realised(world, {here: table}) == NOT_REALISED
    assert realised(world, as_csv_holds(world, {here: table})) is None
    assert realised(
        world, {both: table, f"file:{tmp_path}/t1a": {**table, "rows": [[2, "", 0.5, 1]]}}
    )
