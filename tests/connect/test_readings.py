"""One truth: plans of Spark Connect are read as Spark analyzes them.

The cases are functions in `tests/cases/connect`; `schemas.json` there has the columns Spark gives
each. Here every column of every case is compared, and what some of them mean; `python -m benchmarks
readings` compares all of them, and as many random programs as are asked for.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from benchmarks.readings import programs
from benchmarks.readings.classic import classic_readings
from benchmarks.readings.compare import ONE_SIDED, compared, different_columns
from benchmarks.readings.connect import ConnectReader
from benchmarks.readings.sides import READ, Program, Reading
from veer.verdict import Verdict
from veer.verification.comparison import Comparison
from veer.verification.verify import verify_versions
from veer.verification.versions.version import Version

SEED = int(os.environ.get("VEER_SEED", "11"))
ROUNDS = int(os.environ.get("VEER_ROUNDS", "1"))
RANDOM = 30 * ROUNDS  # programs
ONE_OF = 8 if ROUNDS == 1 else 1  # cases, of which one is compared here
PROOF = 1.5  # seconds
RECORDED = json.loads((programs.CASES / "schemas.json").read_text(encoding="utf-8"))
FRAMES_APART = "frames_apart."  # a classic session does not take these
NOT_READ = frozenset(
    (programs.CASES / "not_read.txt").read_text(encoding="utf-8").split()
)  # refused by name


@pytest.fixture(scope="module")
def reader() -> Iterator[ConnectReader]:
    with ConnectReader() as made:
        yield made


@pytest.mark.slow
def test_cases_have_the_columns_spark_gives_them(reader: ConnectReader) -> None:
    wrong = []
    for program in programs.cases():
        reading = reader.read(program)
        if program.id.startswith(FRAMES_APART):
            continue
        if program.id not in RECORDED:
            assert reading.outcome != READ, f"{program.id} has no columns of Spark to compare"
        elif reading.outcome != READ:
            if program.id not in NOT_READ:
                wrong.append(f"{program.id}: {reading.why}")
        else:
            recorded = tuple((str(n), str(t)) for n, t in RECORDED[program.id])
            difference = different_columns(recorded, reading.columns)
            if difference:
                wrong.append(f"{program.id}: {difference}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_programs_that_differ_are_not_proven_equal(reader: ConnectReader, part: int) -> None:
    file = programs.CASES / "changed.py"
    pairs = [
        tuple(
            reader.read(Program(f"{side} {place}", file, f"{side}_{place}", programs.TABLES))
            for side in ("old", "new")
        )
        for place in range(part, changed_pairs(file), 4)
    ]
    read = [(p, q) for p, q in pairs if p.dataflow is not None and q.dataflow is not None]
    assert len(read) >= 0.9 * len(pairs)
    assert [p for p, q in read if p.columns == q.columns and are_proven_equal(p, q)] == []


def changed_pairs(file: Path) -> int:
    """How many pairs the file has: the entries of its dictionaries."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    tables = [n.value for n in tree.body if isinstance(n, ast.Assign)]
    return sum(len(t.keys) for t in tables if isinstance(t, ast.Dict))


def are_proven_equal(p: Reading, q: Reading) -> bool:
    assert p.dataflow is not None and q.dataflow is not None
    ours, theirs = Version("old", p.dataflow, False), Version("new", q.dataflow, False)
    report = verify_versions(ours, theirs, Comparison(budget=500_000))
    return report.verdict is Verdict.EQUIVALENT


@pytest.mark.spark
def test_cases_are_read_alike(spark: SparkSession, reader: ConnectReader) -> None:
    wrong, one_sided = disagreements(spark, reader, programs.cases()[SEED % ONE_OF :: ONE_OF])
    assert not wrong, "\n".join(wrong)
    assert one_sided <= NOT_READ


@pytest.mark.spark
def test_random_programs_are_read_alike(
    spark: SparkSession, reader: ConnectReader, tmp_path: Path
) -> None:
    some = [p for block in programs.random_programs(SEED, RANDOM, tmp_path) for p in block]
    wrong, one_sided = disagreements(spark, reader, some)
    assert not wrong, "\n".join(wrong)
    assert len(one_sided) <= 0.02 * RANDOM, one_sided


def disagreements(
    spark: SparkSession, reader: ConnectReader, some: Sequence[Program]
) -> tuple[list[str], set[str]]:
    """What the two readings of programs disagree on; those that only the classic side reads."""
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(reader.read_all, some)
        classic = classic_readings(spark, some)
        readings = zip(some, classic, waiting.result(), strict=True)
    wrong, one_sided = [], set()
    for program, ours, theirs in readings:
        found = compared(ours, theirs, PROOF)
        if found.is_alarm:
            wrong.append(f"{program.id}: {found.verdict}: {found.why}")
        elif found.verdict == ONE_SIDED and theirs.outcome != READ:
            one_sided.add(program.id)
        if program.id in RECORDED:
            recorded = tuple((str(n), str(t)) for n, t in RECORDED[program.id])
            if ours.columns != recorded:
                wrong.append(f"{program.id}: recorded {recorded}, in Spark {ours.columns}")
    return wrong, one_sided
