"""Random numbers whose seed a job leaves to Spark: choices; near misses are told apart or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import command

pytest.importorskip("grpc")
SCHEMA = "CREATE TABLE t (a INT, b INT)"
SAME, UNKNOWN, REFUSED = 0, 2, 65
ONE_SEED = "at several places"
NO_NAME = "given no name of its own"
TWICE = "r = {}; return r.union(r)"
VIEW = "t.withColumn('u', F.uuid()).createOrReplaceTempView('v'); return spark.sql('{}')"
# A title, the job before and after, the status of the command, a part of what it says.
PAIRS = [
    ("a seed is drawn", "t.select('a', F.rand().alias('r'))", "t.select('a', F.rand().alias('r'))", SAME, "gives the same result in both versions"),
    ("normal", "t.withColumn('r', F.randn())", "t.withColumn('r', F.randn())", SAME, "gives the same result in both versions"),
    ("uuid", "t.withColumn('u', F.uuid())", "t.withColumn('u', F.uuid())", SAME, "gives the same result in both versions"),
    ("uuid has a name", "t.select(F.uuid())", "t.select(F.uuid().alias('uuid()'))", SAME, "gives the same result in both versions"),
    ("a filter", "t.filter(F.rand() < 0.5)", "t.filter(F.rand() < 0.5)", SAME, "gives the same result in both versions"),
    ("another filter", "t.filter(F.rand() < 0.5)", "t.filter(F.rand() < 0.6)", UNKNOWN, ""),
    ("a seed that is given", "t.filter(F.rand() < 0.5)", "t.filter(F.rand(0) < 0.5)", UNKNOWN, ""),
    ("given by name", "t.filter(F.rand(seed=1) < 0.5)", "t.filter(F.rand(1) < 0.5)", SAME, "rand(1)"),
    ("another seed", "t.filter(F.rand(1) < 0.5)", "t.filter(F.rand(2) < 0.5)", UNKNOWN, ""),
    ("shuffled", "t.orderBy(F.rand()).limit(3)", "t.orderBy(F.rand()).limit(3)", SAME, "gives the same result in both versions"),
    ("a sample", "t.sample(0.5)", "t.sample(False, 0.5)", SAME, "gives the same result in both versions"),
    ("a sample of a seed", "t.sample(0.5, 3)", "t.sample(fraction=0.5, seed=3)", SAME, "seed 3"),
    ("samples with and without", "t.sample(0.5)", "t.sample(0.5, 3)", UNKNOWN, ""),
    ("a part", "t.randomSplit([0.5, 0.5])[0]", "t.randomSplit([0.5, 0.5])[0]", SAME, "gives the same result in both versions"),
    ("the other part", "t.randomSplit([0.5, 0.5])[0]", "t.randomSplit([0.5, 0.5])[1]", UNKNOWN, ""),
    ("two samples", "t.sample(0.5).union(t.sample(0.5))", "t.sample(0.5).union(t.sample(0.5))", SAME, "gives the same result in both versions"),
    ("two calls", "t.select(F.rand().alias('x'), F.rand().alias('y'))", "t.select(F.rand().alias('x'), F.rand().alias('y'))", SAME, "gives the same result in both versions"),
    ("a view", VIEW.format("SELECT * FROM v"), VIEW.format("SELECT a, b, u FROM v"), SAME, "gives the same result in both versions"),
    ("no name", "t.select('a', F.rand())", "t.select('a', F.rand())", REFUSED, NO_NAME),
    ("no name above", "t.select(F.rand() + 1)", "t.select(F.rand() + 1)", REFUSED, NO_NAME),
    ("a named call of SQL", "t.select(F.expr('rand()'))", "t.select(F.expr('rand()'))", SAME, "gives the same result in both versions"),
    ("one frame twice", TWICE.format("t.select(F.rand().alias('u'))"), "t", REFUSED, ONE_SEED),
    ("one sample twice", TWICE.format("t.sample(0.5)"), "t", REFUSED, ONE_SEED),
    ("both parts", "r = t.randomSplit([0.5, 0.5]); return r[0].union(r[1])", "t", REFUSED, ONE_SEED),
    ("one column twice", "u = F.rand(); return t.select(u.alias('x'), u.alias('y'))", "t", REFUSED, ONE_SEED),
    ("a view twice", VIEW.format("SELECT * FROM v UNION ALL SELECT * FROM v"), "t", REFUSED, ONE_SEED),
]  # fmt: skip


def job(text: str) -> str:
    *lines, last = text.split("; ")
    body = "\n".join(f"    {line}" for line in [*lines, f"return {last.removeprefix('return ')}"])
    head = (
        "from pyspark.sql import functions as F\n\n\ndef build(spark):\n    t = spark.table('t')\n"
    )
    return head + body


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0])
def test_pairs(tmp_path: Path, pair: tuple[str, str, str, int, str]) -> None:
    _, *versions, status, said = pair
    for name, text in zip(("old", "new"), versions, strict=True):
        (tmp_path / f"{name}.py").write_text(job(str(text)), encoding="utf-8")
    specs = ("old.py:build", "new.py:build", "--schema", SCHEMA, "--jvm", "never")
    ended = command.veer("verify", *specs, cwd=tmp_path, columns="300")
    shown = ended.stdout + ended.stderr
    assert ended.returncode == status and said in shown, shown
