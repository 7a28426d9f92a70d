"""Pairs of DataFrames through the front door: what Spark computes decides, near misses beside them."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

import veer
from veer.verdict import Verdict

pytest.importorskip("grpc")

SCHEMA = (
    "CREATE TABLE t (k INT NOT NULL, b BOOLEAN, n INT, l BIGINT, d DOUBLE, f FLOAT, p DECIMAL(10,2),"
    " s STRING, dt DATE, xs ARRAY<INT>);"
    "CREATE TABLE listed (k INT, n INT); CREATE TABLE listed_otherwise (k INT, n INT)"
)
SAME, OTHER, UNKNOWN = Verdict.EQUIVALENT, Verdict.INEQUIVALENT, Verdict.UNKNOWN
# A target, old and new writes to it, the verdict.
WRITES = [
    (
        "appended_twice",
        "t.where('k = 1').write.mode('append').saveAsTable('appended_twice'); t.where('k = 2').write.mode('append').saveAsTable('appended_twice')",
        "t.where('k = 2 OR k = 1').write.mode('append').saveAsTable('appended_twice')",
        SAME,
    ),
    (
        "appended_once",
        "t.where('k = 1').write.mode('append').saveAsTable('appended_once'); t.where('k = 2').write.mode('append').saveAsTable('appended_once')",
        "t.where('k = 2').write.mode('append').saveAsTable('appended_once')",
        OTHER,
    ),
    (
        "listed",
        "spark.sql('INSERT INTO listed (n, k) SELECT k, n FROM t')",
        "spark.sql('INSERT INTO listed (k, n) SELECT n, k FROM t')",
        SAME,
    ),
    (
        "listed_otherwise",
        "spark.sql('INSERT INTO listed_otherwise (n, k) SELECT k, n FROM t')",
        "spark.sql('INSERT INTO listed_otherwise (k, n) SELECT k, n FROM t')",
        OTHER,
    ),
]  # fmt: skip
ONE = "F.when(col('b').eqNullSafe(True), col('{}'))"
VIEWS = "t.where('k = 1').createOrReplaceTempView('vv'); spark.sql('CREATE TEMP VIEW v2 AS SELECT * FROM vv'); "
# A title, the old and the new frame (statements end in an expression), the verdict.
PAIRS = [
    (
        "pivot beside a text",
        "t.groupBy('k').pivot('b', [True]).agg(F.count('n').alias('c'), F.max('s').alias('m'))",
        f"t.groupBy('k').agg(F.count({ONE.format('n')}).alias('true_c'), F.max({ONE.format('s')}).alias('true_m'))",
        SAME,
    ),
    ("seconds of the run", "t.select(F.unix_timestamp())", "t.select(F.unix_timestamp(F.current_timestamp(), 'yyyy-MM-dd HH:mm:ss'))", SAME),
    ("seconds of a column", "t.select(F.unix_timestamp().alias('x'))", "t.select(F.unix_timestamp('dt').alias('x'))", OTHER),
    ("about how many", "t.groupBy('k').agg(F.approx_count_distinct('s').alias('x'))", "t.groupBy('k').agg(F.approx_count_distinct('s', 0.05).alias('x'))", SAME),
    ("by its name", "t.agg(F.approx_count_distinct('s', 0.1))", "t.agg(F.approx_count_distinct('s', 0.1).alias('approx_count_distinct(s)'))", SAME),
    ("less exactly", "t.groupBy('k').agg(F.approx_count_distinct('s').alias('x'))", "t.groupBy('k').agg(F.approx_count_distinct('s', 0.1).alias('x'))", UNKNOWN),
    ("of another column", "t.agg(F.approx_count_distinct('s').alias('x'))", "t.agg(F.approx_count_distinct('n').alias('x'))", UNKNOWN),
    ("a name of SQL", "t.agg(F.approx_count_distinct('xs').alias('x'))", "t.agg(F.approx_count_distinct('xs', 0.05).alias('x'))", SAME),
    ("not about", "t.agg(F.approx_count_distinct('s').alias('x'))", "t.agg(F.countDistinct('s').alias('x'))", UNKNOWN),
    ("a cached helper of the job", "t.select((named('k') * rate('a')).alias('x'))", "t.select(((col('k') + 1) * 1).alias('x'))", SAME),
    ("a part of an array", "t.select(F.expr('array(1, 2)[0]').alias('x'))", "t.select(lit(1).alias('x'))", SAME),
    ("another part", "t.select(F.expr('array(1, 2)[1]').alias('x'))", "t.select(lit(1).alias('x'))", OTHER),
    (
        "pivot of numbers alone",
        "t.groupBy('k').pivot('b', [True]).agg(F.count('n').alias('c'), F.max('l').alias('m'))",
        f"t.groupBy('k').agg(F.count({ONE.format('n')}).alias('true_c'), F.max({ONE.format('l')}).alias('true_m'))",
        OTHER,
    ),
    (
        "pivot beside a text or a number",
        "t.groupBy('k').pivot('b', [True]).agg(F.count('n').alias('c'), F.max('s').alias('m')).drop('true_m')",
        "t.groupBy('k').pivot('b', [True]).agg(F.count('n').alias('c'), F.max('n').alias('m')).drop('true_m')",
        OTHER,
    ),
    (
        "SQL pivot of numbers alone",
        "spark.sql('SELECT * FROM (SELECT k, b, n FROM t) PIVOT (count(*) AS c, max(n) AS m FOR b IN (true))')",
        f"t.groupBy('k').agg(F.count({ONE.format('k')}).alias('true_c'), F.max({ONE.format('n')}).alias('true_m'))",
        OTHER,
    ),
    (
        "SQL pivot beside a date",
        "spark.sql('SELECT * FROM (SELECT k, b, dt FROM t) PIVOT (count(*) AS c, max(dt) AS m FOR b IN (true))')",
        f"t.groupBy('k').agg(F.count({ONE.format('k')}).alias('true_c'), F.max({ONE.format('dt')}).alias('true_m'))",
        SAME,
    ),
    ("a fraction replaces no integer", "t.select('n').replace(1.5, 9)", "t.select('n')", SAME),
    ("a whole number does", "t.select('n').replace(1.0, 9)", "t.select('n')", OTHER),
    ("NaN is no integer", "t.select('n', 'l').replace(float('nan'), None)", "t.select('n', 'l')", SAME),
    ("NaN is a double", "t.select('d').replace(float('nan'), None)", "t.select('d')", OTHER),
    ("a tenth is no float", "t.select('f').replace(0.1, 9)", "t.select('f')", SAME),
    ("a half is", "t.select('f').replace(0.5, 9)", "t.select('f')", OTHER),
    ("filled by a float", "t.select('l').fillna(2**53 + 1)", "t.select('l').fillna(2**53)", SAME),
    ("filled by column", "t.select('l').fillna({'l': 2**53 + 1})", "t.select('l').fillna({'l': 2**53})", OTHER),
    ("cast by column", "t.select('s').fillna({'s': 1})", "t.select(F.coalesce('s', lit('1')).alias('s'))", SAME),
    ("left alone", "t.select('s').fillna(1, ['s'])", "t.select('s')", SAME),
    (
        "a broadcast variable",
        "b = spark.sparkContext.broadcast({1: 'a'}); t.select(F.udf(lambda x: b.value.get(x), 'string')('k').alias('r'))",
        "c = spark.sparkContext.broadcast({1: 'b'}); t.select(F.udf(lambda x: c.value.get(x), 'string')('k').alias('r'))",
        OTHER,
    ),
    (
        "a broadcast variable of the same value",
        "b = spark.sparkContext.broadcast({1: 'a'}); t.select(F.udf(lambda x: b.value.get(x), 'string')('k').alias('r'))",
        "b = spark.sparkContext.broadcast({1: 'a'}); b.unpersist(); t.select(F.udf(lambda x: b.value.get(x), 'string')('k').alias('r'))",
        SAME,
    ),
    (
        "integers of Python have no bounds",
        "t.select(F.udf(lambda x: None if x is None else 1 if x + 1 > x else 0, 'int')('l').alias('r'))",
        "t.select(F.udf(lambda x: None if x is None else 1, 'int')('l').alias('r'))",
        SAME,
    ),
    (
        "integers of Python do not wrap around",
        "t.select(F.udf(lambda x: None if x is None else 1 if (x * 2**32) * 2**32 > 0 else 0, 'int')('l').alias('r'))",
        "t.select(F.udf(lambda x: None if x is None else 0, 'int')('l').alias('r'))",
        UNKNOWN,
    ),
    ("initcap of lowered letters", "t.select(F.initcap(F.lower('s')).alias('r'))", "t.select(F.initcap('s').alias('r'))", UNKNOWN),
    ("lower of lowered letters", "t.select(F.lower(F.lower('s')).alias('r'))", "t.select(F.lower('s').alias('r'))", SAME),
    ("an action beside another statement on a line", "d = t.select('k').cache(); d.count(); d", "t.select('k')", SAME),
    (
        "a generator beside a window",
        "spark.sql('SELECT k, explode(xs) AS e, count(*) OVER () AS n FROM t')",
        "t.select('k', F.explode('xs').alias('e')).withColumn('n', F.count('*').over(Window.partitionBy()))",
        SAME,
    ),
    (
        "a window below a generator",
        "t.select('k', F.count('*').over(Window.partitionBy()).alias('n'), F.explode('xs').alias('e'))",
        "t.select('k', 'xs', F.count('*').over(Window.partitionBy()).alias('n')).select('k', 'n', F.explode('xs').alias('e'))",
        OTHER,
    ),
    (
        "a guard by nullability goes Spark's way",
        "x = t.select((col('k') % 2).alias('r')); x.where('r = 1') if x.schema['r'].nullable else x",
        "t.select((col('k') % 2).alias('r')).where('r = 1')",
        SAME,
    ),
    (
        "a guard by names and types",
        "x = t.select('k', F.transform('xs', lambda i: i + 1).alias('y')); x.where('k = 1') if x.dtypes[1] == ('y', 'array<int>') and x.schema['y'].dataType.elementType.typeName() == 'integer' else x",
        "t.where('k = 1').select('k', F.transform('xs', lambda i: i + 1).alias('y'))",
        SAME,
    ),
    ("a view in a text is read anew", f"{VIEWS}t.where('k = 2').createOrReplaceTempView('vv'); spark.table('v2')", "t.where('k = 2')", SAME),
    ("a view in a text, not replaced", f"{VIEWS}spark.table('v2')", "t.where('k = 2')", OTHER),
    (
        "a view of a frame stays",
        "t.where('k = 1').createOrReplaceTempView('vv'); spark.table('vv').createOrReplaceTempView('v2');"
        " t.where('k = 2').createOrReplaceTempView('vv'); spark.table('v2')",
        "t.where('k = 1')",
        SAME,
    ),
]  # fmt: skip
HEAD = """\
from pyspark.sql import Window, functions as F
from pyspark.sql.functions import col, expr, lit
import functools

@functools.cache
def rate(x): return len(str(x))

@functools.lru_cache
def named(name): return col(name) + 1

"""


def job(column: int) -> str:
    """A job with a sink for each pair."""
    functions, sinks = [], []
    for number, pair in enumerate(PAIRS):
        *lines, last = (part.strip() for part in str(pair[column]).split("; "))
        body = "\n".join(["t = spark.table('t')", *lines, f"return {last}"])
        functions.append(f"def frame_{number}(spark):\n{textwrap.indent(body, '    ')}\n\n")
        forget = "spark.catalog.dropTempView('v2')"
        sinks.append(f"    frames[{pair[0]!r}] = frame_{number}(spark)\n    {forget}\n")
    for pair in WRITES:
        written = textwrap.indent(str(pair[column]).replace("; ", "\n"), "    ")
        sinks.append(f"    t = spark.table('t')\n{written}\n")
    build = f"def build(spark):\n    frames = {{}}\n{''.join(sinks)}    return frames\n"
    return HEAD + "".join(functions) + build


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Verdict]:
    folder: Path = tmp_path_factory.mktemp("frame_pairs")
    for name, column in (("old", 1), ("new", 2)):
        (folder / f"{name}.py").write_text(job(column), encoding="utf-8")
    files = [f"{folder / name}.py:build" for name in ("old", "new")]
    report = veer.verify(*files, schema=SCHEMA)
    return {str(sink.p): sink.verdict for sink in report.sinks}


@pytest.mark.parametrize("pair", PAIRS + WRITES, ids=lambda pair: pair[0])
def test_pairs(verdicts: dict[str, Verdict], pair: tuple[str, str, str, Verdict]) -> None:
    assert verdicts[pair[0]] is pair[3]
