"""PySpark beside Spark: pivots, cleaning of values, views, what a job asks; enumerated.

Each text is a program over the table `t`; its names, types and rows are Spark's. `REFUSED` are those
that Veer declines to read.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from benchmarks.readings.connect import ConnectReader
from tests.recorded import RecordedSpark
from tests.spark.compare import Unsupported
from tests.spark.frame_programs import difference, outcomes

pytest.importorskip("grpc")
pytestmark = pytest.mark.spark

# Calls of a pivot: those whose results Spark picks, and those that make it pivot in one step.
PICKED = (
    "F.count('n')", "F.count(lit(1))", "F.max('n')", "F.sum('p')", "F.avg('d')", "F.first('n')", "F.bool_or('b')",
    "F.count_if(col('n') > 1)", "F.countDistinct('n')", "F.stddev('n')", "F.median('n')", "expr('count(*)')",
    "F.percentile('n', 0.5)", "F.mode('n')", "F.any_value('n')", "expr('count(n) FILTER (WHERE n > 4)')",
)  # fmt: skip
ONE_STEP = ("F.max('s')", "F.min('dt')", "F.collect_list('n')", "F.collect_set('s')", "F.first('s')", "F.last('ts')", "F.max_by('s', 'n')")  # fmt: skip
PIVOTS = [
    *(f"t.groupBy('k').pivot('b', [True, False]).agg({call}.alias('c'))" for call in (*PICKED, *ONE_STEP)),
    *(f"t.groupBy('k').pivot('b', [True]).agg({call}.alias('c'), F.max('s').alias('m'))" for call in PICKED),
    "t.groupBy('k').pivot('b', [None, True]).agg(F.count('n').alias('c'), F.max('s').alias('m'))",
    "t.groupBy('k').pivot('b', [None, True]).agg(F.count('n').alias('c'), F.max('n').alias('m'))",
    "t.groupBy('b').pivot('k', [1, 2]).agg(F.max('xs'))",
    "t.groupBy('b').pivot('k', [1, 1]).agg(F.max('n'))",
    "t.groupBy('b').pivot('k', [1, 1]).agg(F.max('s'))",
    "t.groupBy('b').pivot('k', [1, 2]).count()",
    "t.groupBy('b').pivot('k', [1, 2]).max('n', 'p')",
    "t.groupBy('b').pivot('k', [1, 2]).agg(F.count('*'))",
    "t.groupBy('b').pivot('k', [1, 2]).agg({'*': 'count'})",
    "t.groupBy('b').pivot('k', [1, 2]).agg({'n': 'count', 's': 'max'})",
    "t.groupBy().pivot('b', [True]).agg(F.count('n').alias('c'), F.max('s').alias('m'))",
    "t.where('false').groupBy().pivot('b', [True]).agg(F.count('n').alias('c'), F.max('s').alias('m'))",
    "t.where('false').groupBy().pivot('b', [True]).agg(F.count('n').alias('c'), F.max('n').alias('m'))",
    "t.groupBy('b').pivot('dt', [date(2020, 1, 1)]).agg(F.count('n').alias('c'), F.max('s').alias('m'))",
    *(
        f"spark.sql('SELECT * FROM (SELECT k, b, n, s, dt FROM t) PIVOT ({calls} FOR b IN (true, null AS unknown))')"
        for calls in (
            "count(*) AS c, max(s) AS m", "count(*) AS c, max(n) AS m", "first_value(n) AS c, last_value(s) AS m",
            "count(n) FILTER (WHERE n > 4) AS c, min(dt) AS m", "any_value(n) AS c, max(s) AS m", "collect_set(n)",
        )
    ),
]  # fmt: skip

REFUSED = {
    *(f"t.groupBy('k').pivot('b', [True]).agg(F.{call}.alias('c'), F.max('s').alias('m'))" for call in ("percentile('n', 0.5)", "any_value('n')")),
    "t.groupBy('k').pivot('b', [True, False]).agg(F.any_value('n').alias('c'))",
    "t.groupBy('b').pivot('k', [1, 1]).agg(F.max('n'))",
    "t.groupBy('b').pivot('k', [1, 2]).agg(F.count('*'))",
    "t.groupBy('b').pivot('k', [1, 2]).agg({'*': 'count'})",
    "spark.sql('SELECT * FROM (SELECT k, b, n, s, dt FROM t) PIVOT (any_value(n) AS c, max(s) AS m FOR b IN (true, null AS unknown))')",
    *(f"t.select('k', 'n', 'l', 'd', 'f', 'p', 's', 'b').replace({pair})" for pair in ("[2**53, 2**53 + 1], [1, 2]", "True, 1", "1, True")),
}  # fmt: skip


NUMBERS = ("1", "1.5", "0.1", "2**53", "2**53 + 1", "NAN", "True", "'x'", "'1'", "''")
FILLS = [
    *(f"t.select('k', {cols}).fillna({value})" for cols, value in product(("'n', 'l', 'd', 'f', 'p'", "'b', 's', 'dt'"), NUMBERS)),
    *(
        f"t.select('k', '{column}').fillna({{'{column}': {value}}})"
        for column, value in product(("n", "l", "d", "f", "p", "s", "b"), ("1", "1.5", "2**53 + 1", "True", "'1'"))
    ),
    "t.fillna({'n': 0, 's': 'none', 'b': False}).select('n', 's', 'b')",
    "t.fillna({'dt': '2020-02-02', 'ts': '2020-02-02 01:02:03'}).select('dt', 'ts')",
    "t.fillna(7, subset=['n', 's']).select('n', 's', 'l')",
    "t.fillna(7, 's').select('n', 's')",
    "t.select('n').fillna(0, [])",
    "t.select('n', 's').na.fill({'s': 1})",
    "t.select('n', 'd', 'f').dropna()",
    "t.select('n', 'd', 'f').na.drop('all', subset=['d', 'f'])",
    "t.select('n', 'd', 'f').dropna(thresh=2)",
]  # fmt: skip
REPLACEMENTS = [
    *(
        f"t.select('k', 'n', 'l', 'd', 'f', 'p', 's', 'b').replace({old}, {new})"
        for old, new in [
            *product(("1", "1.5", "0.1", "2**53", "2**53 + 1", "0", "2.5", "NAN"), ("9", "None")),
            ("1", "1.5"), ("1", "2**53 + 1"), ("'x'", "'y'"), ("''", "None"), ("'1'", "'2'"), ("True", "False"), ("False", "None"),
            ("[1, 2]", "[2, 1]"), ("[1, 2, NAN]", "None"), ("['x', 'y']", "'z'"), ("{1: 2, 2.5: None}", "None"),
            ("[2**53, 2**53 + 1]", "[1, 2]"), ("1", "NAN"), ("1", "'x'"), ("True", "1"), ("1", "True"),
        ]
    ),
    "t.replace(1, 5, subset=['n']).select('n', 'l')",
    "t.replace('x', 'w', 's').select('n', 's')",
    "t.select('n').replace(1, 5, subset=[])",
    "t.select('n', 's').na.replace({'x': None, 'y': 'x'}, subset=['s', 'n'])",
]  # fmt: skip

ONE = "spark.sql('CREATE TEMP VIEW vv AS SELECT k, n FROM t WHERE k = 1')\n"
TWO = "spark.sql('CREATE OR REPLACE TEMP VIEW vv AS SELECT {} FROM t WHERE k = 2')\n"
V2 = "spark.sql('CREATE TEMP VIEW v2 AS {}')\n"
OF_FRAME = "t.where('k = {}').select('k', 'n').createOrReplaceTempView('vv')\n"
RECURSIVE = [
    ONE + "spark.sql('CREATE OR REPLACE TEMP VIEW vv AS SELECT * FROM vv')\nspark.table('vv')",
    ONE + V2.format("SELECT * FROM vv") + "spark.sql('CREATE OR REPLACE TEMP VIEW vv AS SELECT * FROM v2')\nspark.table('vv')",
]  # fmt: skip
GONE = [
    V2.format("SELECT k FROM {x}").replace("')", "', x=t)") + "spark.table('v2')",
    ONE + V2.format("SELECT * FROM vv") + TWO.format("k, CAST(n AS BIGINT) AS n") + "spark.table('v2')",
    ONE + V2.format("SELECT * FROM vv") + "spark.catalog.dropTempView('vv')\nspark.table('v2')",
]  # fmt: skip
OTHER_COLUMNS = [
    ONE + V2.format("SELECT * FROM vv") + TWO.format("n, k") + "spark.table('v2')",
    ONE + V2.format("SELECT * FROM vv") + TWO.format("k, n, s") + "spark.table('v2')",
]
VIEWS = [
    ONE + V2.format("SELECT * FROM vv") + TWO.format("k, n") + "spark.table('v2')",
    ONE + V2.format("SELECT * FROM vv") + TWO.format("k, n") + "spark.sql('SELECT n FROM v2')",
    ONE + V2.format("WITH c AS (SELECT n FROM vv) SELECT n + 1 AS m FROM c") + TWO.format("k, n") + "spark.table('v2')",
    OF_FRAME.format(1) + V2.format("SELECT * FROM vv") + OF_FRAME.format(2) + "spark.table('v2')",
    OF_FRAME.format(1) + V2.format("SELECT * FROM vv") + "x = spark.table('v2')\n" + OF_FRAME.format(2) + "x.union(spark.table('v2'))",
    ONE + "spark.table('vv').createOrReplaceTempView('v2')\n" + TWO.format("k, n") + "spark.table('v2')",
    ONE + "spark.sql('SELECT * FROM vv').createOrReplaceTempView('v2')\n" + TWO.format("k, n") + "spark.table('v2')",
    ONE + V2.replace("v2", "v2(z, w)").format("SELECT * FROM vv") + TWO.format("k, n") + "spark.table('v2')",
    ONE + V2.format("SELECT * FROM vv") + "spark.table('v2').createOrReplaceTempView('vv')\nspark.table('v2')",
    ONE + V2.format("SELECT * FROM vv") + "spark.sql('CREATE TEMP VIEW v3 AS SELECT * FROM v2')\n" + TWO.format("k, n") + "spark.table('v3')",
    "spark.sql('CREATE TEMP VIEW v2 AS SELECT n FROM t WHERE k = :k', args={'k': 2})\nspark.table('v2')",
    *RECURSIVE, *GONE, *OTHER_COLUMNS,
]  # fmt: skip
REFUSED |= {*RECURSIVE, *GONE, *OTHER_COLUMNS}

W = "Window.partitionBy('b').orderBy('k')"
UDF = "F.udf(lambda x: 1 if x is None else x + 1, 'int')"
ASKED_FRAMES = [
    "t", "t.select('k', 'u', 'n')", "t.where('n IS NOT NULL').select('n')", "t.dropna().select('n', 'k')", "t.select('k').distinct()", "t.dropDuplicates(['u']).select('k', 'n')",
    "t.select(col('k') / 2, col('k') % 2, F.sqrt('k'), F.ceil('k'), col('k') + 1, lit(1), lit(None), F.to_date(lit('2020-01-01')), F.date_trunc('month', 'ts'), F.hash('n'))",
    "t.select(F.array('k')[0].alias('a'))", "t.select(F.greatest('k', 'n'), F.split('u', ','), F.array('k', 'n'), F.struct('k', 'n'), F.isnull('n'), col('k').cast('decimal(5,2)'))",
    "t.groupBy('u').agg(F.sum('k'), F.avg('k'), F.max('k'), F.count('n'), F.collect_list('n'), F.collect_set('u'))", "t.groupBy().agg(F.sum('k'), F.count('*'))", "t.groupBy('k').count()",
    "t.rollup('k', 'u').count()", "t.cube('k', 'u').agg(F.grouping_id())", "t.groupBy('k').pivot('b', [True]).agg(F.count('n').alias('c'), F.max('s').alias('m'))",
    "t.groupBy('k').pivot('b', [True]).agg(F.count('n').alias('c'))", "spark.sql('SELECT k, u, count(*) FROM t GROUP BY GROUPING SETS ((k), (k, u))')",
    f"t.select(F.row_number().over({W}), F.lag('k').over({W}), F.lag('k', 1, 0).over({W}), F.sum('k').over({W}), F.count('n').over({W}), F.ntile(2).over({W}))",
    *(f"t.alias('a').join(t.select('k', col('u').alias('z')), 'k', '{how}').select('k', 'z', 'a.u')" for how in ("inner", "left", "right", "full", "semi", "anti") if how not in ("semi", "anti")),
    "t.select('k', 'u').join(t.select('k'), 'k', 'semi')", "t.select('k', 'u').join(t.select('k'), 'k', 'anti')", "t.select('k').crossJoin(t.select('n'))",
    "t.select('k').union(t.select('n'))", "t.select('k').unionByName(t.select('k', 'u'), allowMissingColumns=True)", "t.select('k').union(t.select(col('l').alias('k')))",
    "t.select('k').intersect(t.select('n'))", "t.select('n').intersect(t.select('k'))", "t.select('k').exceptAll(t.select('n'))", "t.select('k').subtract(t.select('n'))", "t.select('k').intersectAll(t.select('n'))",
    "t.select('k', 'n', 'd').fillna(0)", "t.select('k', 'n', 's', 'd').fillna({'n': 0, 's': 'x', 'd': 1.5})", "t.select('k', 'u').replace(1, 2)", "t.select('k', 'u').replace('x', 'y')", "t.select('k', 'u').replace(1.5, 2)",
    "t.select('k', 'n').withColumn('x', F.when(col('n') > 1, 1))", "t.select('k', 'n').withColumn('x', F.when(col('n') > 1, 1).otherwise(2))", "t.select(col('k').isin([]), col('n').isin(1, 2), col('n').eqNullSafe(1))",
    "t.select('k', F.explode('xs').alias('x'))", "t.select('k', F.posexplode('xs'))", "t.select('k', F.explode_outer('xs').alias('x'))", "t.select(F.explode('m'))", "t.select('st.*', 'k')", "t.select(F.explode(F.split('u', ',')))",
    "t.select('k', 'u').unpivot('u', ['k'], 'v', 'w')", "t.select('k').sample(0.5, 1)", "t.select('k', 'n').orderBy('n').limit(2)", "t.select('k', 'n').withColumnRenamed('k', 'z').drop('n')", "spark.range(3)",
    "spark.createDataFrame([(1, 'x')], 'a INT NOT NULL, b STRING')", "spark.createDataFrame([(1, 'x')], ['a', 'b'])", "spark.sql('SELECT * FROM VALUES (1, NULL), (2, 3) AS v(a, b)')", "spark.sql('SELECT k, (SELECT max(k) FROM t) AS m FROM t')",
    f"t.select('k', {UDF}('k'))", f"t.select({UDF}('n').alias('x')).where('x > 1')", "spark.createDataFrame([], t.select('k', 'n').schema)", "t.select(F.to_json('st'), F.from_json('s', 'a INT'))", "t.select(F.rand(1), F.current_date(), F.monotonically_increasing_id())",
    "t.groupBy('u').applyInPandas(lambda p: p, 'k INT NOT NULL, n INT')", "t.select('k', F.transform('xs', lambda x: x + 1), F.size('xs'), F.array_contains('xs', 1))",
]  # fmt: skip
NOT_KNOWN = [  # elements that Spark picks out of a constructor, Python that was read, opaque functions
    "t.select(F.array('k')[0].alias('a'))", "t.select('n').intersect(t.select('k'))", f"t.select('k', {UDF}('k'))",
    "t.select(F.to_json('st'), F.from_json('s', 'a INT'))", "t.select('k', F.transform('xs', lambda x: x + 1), F.size('xs'), F.array_contains('xs', 1))",
]  # fmt: skip
REFUSED |= {f"said(spark, nulls({frame}))" for frame in NOT_KNOWN}
SCHEMAS = [f"said(spark, nulls({frame}))" for frame in ASKED_FRAMES] + [
    "x = t.select(col('k') % 2)\nsaid(spark, x.schema == T.StructType([T.StructField('(k % 2)', T.IntegerType(), False)]))",
    "x = t.select('k', (col('k') / 2).alias('x'))\nsaid(spark, [x.dtypes, x.columns, x.schema.names, x.schema['x'].dataType, len(x.schema), 'k' in x.columns])",
    "said(spark, t.select('k').schema == t.select((col('k') + 0).alias('k')).schema)",
    "said(spark, t.select('k').schema == t.select((col('k') % 7).alias('k')).schema)",
    "said(spark, t.select(F.array('k').alias('k')).schema == t.select(F.array('n').alias('k')).schema)",
    "said(spark, t.select('k', 'u', 'xs', 'st').schema.simpleString())", "said(spark, t.schema.json())", "said(spark, t.select('k', F.split('u', ',').alias('x')).schema)",
    "x = t.select(F.split('u', ',').alias('x')).schema['x'].dataType\nsaid(spark, [type(x) == T.ArrayType, isinstance(x, T.ArrayType), x.elementType, x.containsNull])",
    "x = t.select(F.transform('xs', lambda x: x + 1).alias('x')).schema['x'].dataType\nsaid(spark, [type(x) == T.ArrayType, x.elementType, x.typeName(), x.simpleString()])",
    "t.printSchema()\nt.select('k')", "spark.createDataFrame([], t.select(F.transform('xs', lambda x: x + 1).alias('x')).schema)",
]  # fmt: skip

OVER_GROUPS = (
    "spark.sql('SELECT k, explode(collect_list(k)) AS e, count(*) OVER () AS n FROM t GROUP BY k')"
)
REFUSED |= {
    OVER_GROUPS,
    "spark.sql('SELECT k, explode(xs) AS e FROM t ORDER BY count(*) OVER ()')",
} | {
    f"spark.sql('SELECT {items} FROM t')"
    for items in (
        "explode(array(count(*) OVER ())) AS e",
        "explode(xs) AS e, sum(e) OVER () AS n",
        "explode(xs) AS e, sum(e + 1) OVER () AS n",
    )
}
ALL_ROWS = "F.count('*').over(Window.partitionBy()).alias('n')"
GENERATORS = [
    OVER_GROUPS,
    *(
        f"spark.sql('SELECT {items} FROM t')"
        for items in (
            "k, explode(xs) AS e, count(*) OVER () AS n", "k, count(*) OVER () AS n, explode(xs) AS e", "k, explode_outer(xs) AS e, count(*) OVER (PARTITION BY u) AS n",
            "k, posexplode(xs), sum(k) OVER (PARTITION BY k) AS n", "explode(array(count(*) OVER ())) AS e", "explode(xs) AS e, sum(e) OVER () AS n", "explode(xs) AS e, sum(e + 1) OVER () AS n",
            "DISTINCT k, explode(xs) AS e, count(*) OVER () AS n", "explode(collect_list(k)) AS e", "explode(xs) AS e, count(*) OVER () + 1 AS n",
        )
    ),
    "spark.sql('SELECT k, explode(xs) AS e FROM t ORDER BY count(*) OVER ()')", "spark.sql('SELECT k, explode(xs) AS e, count(*) OVER () AS n FROM t ORDER BY n')",
    f"t.select('k', F.explode('xs').alias('e'), {ALL_ROWS})", f"t.select('k', {ALL_ROWS}, F.explode('xs').alias('e'))", f"t.withColumns({{'n': {ALL_ROWS}, 'e': F.explode('xs')}}).select('k', 'n', 'e')",
    f"t.withColumn('n', {ALL_ROWS}).withColumn('e', F.explode('xs')).select('k', 'n', 'e')", f"t.withColumn('e', F.explode('xs')).withColumn('n', {ALL_ROWS}).select('k', 'n', 'e')",
]  # fmt: skip

COLUMNS = ("n", "l", "d", "f", "p", "s", "u", "dt", "ts", "b", "k")
MAPPINGS = [
    f"t.agg({{{', '.join(f'{c!r}: {how!r}' for c in (COLUMNS[at:] + COLUMNS[:at])[:size])}}})"
    for at, size, how in [(0, 2, "max"), (1, 4, "max"), *((at, size, "count") for at, size in zip(range(11), (5, 6, 7, 8, 9, 10, 11, 5, 6, 7, 8), strict=True))]
]  # fmt: skip


@pytest.fixture(scope="module")
def reader() -> Iterator[ConnectReader]:
    with ConnectReader() as made:
        yield made


def check(texts: list[str], reader: ConnectReader, recorded: RecordedSpark, folder: Path) -> None:
    wrong = []
    for program, ours in outcomes(reader, folder, texts):
        if isinstance(ours, Unsupported):
            if program.id not in REFUSED:
                wrong.append(f"refused: {program.id}\n    {ours.reason}")
        elif program.id in REFUSED:
            wrong.append(f"read by now: {program.id}")
        else:
            wrong += difference(recorded, program, ours)
    assert not wrong, "\n".join(wrong)


def test_pivots(reader: ConnectReader, recorded: RecordedSpark, tmp_path: Path) -> None:
    check(PIVOTS, reader, recorded, tmp_path)


def test_filling(reader: ConnectReader, recorded: RecordedSpark, tmp_path: Path) -> None:
    check(FILLS, reader, recorded, tmp_path)


def test_replacing(reader: ConnectReader, recorded: RecordedSpark, tmp_path: Path) -> None:
    check(REPLACEMENTS, reader, recorded, tmp_path)


def test_views(reader: ConnectReader, recorded: RecordedSpark, tmp_path: Path) -> None:
    check(VIEWS, reader, recorded, tmp_path)


def test_schemas(reader: ConnectReader, recorded: RecordedSpark, tmp_path: Path) -> None:
    check(SCHEMAS, reader, recorded, tmp_path)


def test_generators_beside_windows(
    reader: ConnectReader, recorded: RecordedSpark, tmp_path: Path
) -> None:
    check(GENERATORS, reader, recorded, tmp_path)


def test_mappings_of_agg(reader: ConnectReader, recorded: RecordedSpark, tmp_path: Path) -> None:
    check(MAPPINGS, reader, recorded, tmp_path)
