"""Random PySpark programs as Python source: sources, then steps; a second version says some lines otherwise.

Every line has several ways to say it. Some are the same, some only look so. The first version
takes the first way, the second one another way for a few of its lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

COLUMNS = {"a": "INT", "b": "STRING", "c": "DOUBLE", "d": "BIGINT"}
DDL = ", ".join(f"{n} {t}" for n, t in COLUMNS.items())

HEAD = '''"""Version {name} of {id}."""

import random
import statistics
import time
import uuid

import numpy as np
import pandas as pd
from pyspark.sql import Row, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

SEEN = set()
LIST = []
COUNT = {{"n": 0}}


{functions}


def sources(spark, folder):
    t = {{}}
{sources}
    return t


def build(spark, folder):
    t = sources(spark, folder)
    df = t["t0"]
{steps}
    return df
'''

# Functions of a whole number; those of the second list are another each time, or keep state.
PURE = (
    "return None if x is None else x + 1",
    "if x is None:\n        return None\n    return 1 + x",
    "return x + 1 if x is not None else None",
    "y = x\n    return None if y is None else y + 1",
    "return None if not x else x + 1",
    "return (x or 0) + 1",
    "try:\n        return x + 1\n    except TypeError:\n        return None",
    "return None if x is None else int(x / 1) + 1",
    "return None if x is None else -(-x // 2)",
    "return None if x is None else x // -2",
    "return None if x is None else abs(x) % 3",
    "return None if x is None else len(str(x))",
)
IMPURE = (
    "SEEN.symmetric_difference_update({x})\n    return len(SEEN)",
    "SEEN.__ior__({x})\n    return len(SEEN)",
    "LIST.extend([x])\n    return len(LIST)",
    "COUNT['n'] += 1\n    return COUNT['n']",
    "COUNT.__setitem__('n', COUNT['n'] + 1)\n    return COUNT['n']",
    "return random.randint(0, 1000000)",
    "return int(time.time() * 1000) % 1000000",
    "return int(np.datetime64('now').astype('int64'))",
    "return int(statistics.NormalDist(0, 1000).samples(1)[0])",
    "return hash(str(object())) % 1000000",
    "return id(object()) % 1000003",
    "return uuid.uuid4().int % 1000000",
)
TEXTS = (
    "return None if s is None else s.strip()",
    "return s.strip() if s is not None else None",
    "return s.strip() if s else s",
    "return None if s is None else s.lstrip()",
    "return None if s is None else s.upper()",
    "return (s or '').strip()",
    "return None if s is None else ''.join({s, 'x', 'y', 'z'})",
    "return None if s is None else ' '.join(s.split())",
    "return None if s is None else s[:1]",
)


@dataclass(frozen=True)
class Program:
    """Both versions of a program, as Python source."""

    id: str
    p: str
    q: str
    rewrites: tuple[str, ...]
    formats: tuple[tuple[str, str], ...]  # the folders it reads and their formats
    impure: bool = False


@dataclass(frozen=True)
class Template:
    """The ways to say each line of a program: functions, sources, steps, in this order."""

    functions: list[list[str]]
    sources: list[list[str]]
    steps: list[list[str]]
    formats: dict[str, str]

    @property
    def lines(self) -> list[list[str]]:
        """The ways to write each line: functions, sources, steps."""
        return [*self.functions, *self.sources, *self.steps]

    def text(self, name: str, id_: str, lines: list[str]) -> str:
        """A version: one way chosen for each line."""
        first, second = len(self.functions), len(self.functions) + len(self.sources)
        return HEAD.format(
            name=name,
            id=id_,
            functions="\n\n\n".join(lines[:first]),
            sources="\n".join(f"    {line}" for line in lines[first:second]),
            steps="\n".join(f"    {line}" for line in lines[second:]),
        )

    def uses(self, place: int, lines: list[str]) -> bool:
        """Whether a line is of any effect."""
        if place < len(self.functions):
            name = lines[place].partition("def ")[2].partition("(")[0]
            return any(f"{name}(" in step for step in lines[len(self.functions) :])
        return True


def template(rng: Random) -> Template:
    """A random program, not yet written down."""
    formats: dict[str, str] = {}
    sources = [_source(rng, f"t{n}", formats) for n in range(2)]
    steps = [_step(rng) for _ in range(rng.randint(1, 4))]
    return Template(_functions(rng), sources, steps, formats)


def changed(rng: Random, base: Template, lines: list[str]) -> tuple[list[str], list[str]]:
    """One to three lines said otherwise, and what they say then."""
    other, names = list(lines), []
    places = [n for n in range(len(lines)) if base.uses(n, lines)]
    for place in rng.sample(places, min(len(places), rng.randint(1, 3))):
        other[place] = rng.choice(base.lines[place])
        if other[place] != lines[place]:
            names.append(other[place])
    first = len(base.functions) + len(base.sources)
    if rng.random() < 0.2 and len(lines) - first > 1:
        at = rng.randrange(first, len(lines) - 1)
        other[at], other[at + 1] = other[at + 1], other[at]
        names.append("two steps change places")
    return other, names


def is_impure(text: str) -> bool:
    """Whether the program is another each time it runs."""
    body = text[text.index("def build") :]
    return any(word in body for word in ("odd(", "rand(", "current_"))


def program(id_: str, rng: Random) -> Program:
    """A random program in two versions."""
    base = template(rng)
    lines = [ways[0] for ways in base.lines]
    other, names = changed(rng, base, lines)
    p, q = base.text("P", id_, lines), base.text("Q", id_, other)
    impure = is_impure(p) or is_impure(q)
    return Program(id_, p, q, tuple(names), tuple(base.formats.items()), impure)


def _functions(rng: Random) -> list[list[str]]:
    """Three functions, each with several bodies."""

    def ways(name: str, argument: str, type_: str, bodies: tuple[str, ...]) -> list[str]:
        chosen = [rng.choice(bodies)]
        chosen += [chosen[0], rng.choice(bodies), rng.choice(bodies)]
        head = f'@F.udf("{type_}")\ndef {name}({argument}):\n    '
        return [head + body for body in chosen]

    return [
        ways("inc", "x", "int", PURE),
        ways("odd", "x", "int", IMPURE),
        ways("tidy", "s", "string", TEXTS),
    ]


# -- sources -----------------------------------------------------------------------------------


def _source(rng: Random, name: str, formats: dict[str, str]) -> list[str]:
    """Ways to read a source; `formats` gets those of the folders to be written."""
    kind = rng.random()
    if kind < 0.5:
        return _files(rng, name, formats)
    if kind < 0.62:
        return _two_folders(rng, name, formats)
    if kind < 0.7:
        return _partitions(rng, name, formats)
    if kind < 0.76:
        return _defaults(rng, name, formats)
    if kind < 0.92:
        return _given_rows(rng, name, formats)
    return _numbers(rng, name)


def _files(rng: Random, name: str, formats: dict[str, str]) -> list[str]:
    """A folder of files, by paths, schemas and options that mean the same or not."""
    path = f'folder + "/{name}"'
    format_ = rng.choice(("parquet", "parquet", "orc", "json", "csv"))
    formats[name] = format_
    read = f'spark.read.schema("{DDL}")'
    ways = [
        f"{read}.{format_}({path})",
        f'{read}.format("{format_}").load({path})',
        f'{read}.{format_}(folder + "/./{name}")',
        f'{read}.{format_}(folder + "/{name}/")',
        f'{read}.{format_}(folder + "/{name}/*.{format_}")',
        f'spark.read.schema("{DDL}, z INT").{format_}({path}).drop("z")',
        f'spark.read.schema("{DDL.replace("a INT", "a BIGINT")}").{format_}({path})'
        '.withColumn("a", F.col("a").cast("int"))',
    ]
    if format_ == "csv":
        options: tuple[str, ...] = (
            '"nullValue", "a"',
            '"sep", ";"',
            '"ignoreLeadingWhiteSpace", True',
        )
        options += ('"mode", "DROPMALFORMED"', '"header", False', '"emptyValue", "x"')
        ways += [f"{read}.option({o}).csv({path})" for o in options]
    if format_ == "json":
        options = ('"primitivesAsString", True', '"multiLine", False', '"mode", "FAILFAST"')
        ways += [f"{read}.option({o}).json({path})" for o in options]
    return [f't["{name}"] = {way}' for way in ways]


def _two_folders(rng: Random, name: str, formats: dict[str, str]) -> list[str]:
    """Two folders, read at once or one after the other."""
    formats[f"{name}a"] = formats[f"{name}b"] = "parquet"
    read = f'spark.read.schema("{DDL}").parquet'
    first, second = (f'folder + "/{name}{x}"' for x in "ab")
    ways = [
        f"{read}({first}, {second})",
        f"{read}({second}, {first})",
        f"{read}({first}).union({read}({second}))",
        f"{read}({first}).union({read}({first}))",
        f"{read}({first}, {first})",
        f'{read}(folder + "/{name}[ab]")',
    ]
    return [f't["{name}"] = {way}' for way in ways]


def _partitions(rng: Random, name: str, formats: dict[str, str]) -> list[str]:
    """One partition of a partitioned folder, by a filter or by its path."""
    path = f'folder + "/{name}"'
    formats[name] = "partitioned"
    read = 'spark.read.schema("b STRING, c DOUBLE, d BIGINT, a INT").parquet'
    order = '.select("a", "b", "c", "d")'
    ways = [
        f'{read}({path}).filter("a = 1"){order}',
        f'{read}(folder + "/{name}/a=1").withColumn("a", F.lit(1)){order}',
        f'{read}({path}).filter("a = 1").filter("a IS NOT NULL"){order}',
        f'spark.read.option("basePath", {path}).schema("b STRING, c DOUBLE, d BIGINT, a INT")'
        f'.parquet(folder + "/{name}/a=1"){order}',
    ]
    return [f't["{name}"] = {way}' for way in ways]


def _defaults(rng: Random, name: str, formats: dict[str, str]) -> list[str]:
    """Files without a column, which a default in the schema fills."""
    path = f'folder + "/{name}"'
    formats[name] = "without a"
    ways = []
    for default in ("1", "1", "2"):
        field = (
            f'T.StructField("a", T.IntegerType(), True, '
            f'{{"EXISTS_DEFAULT": "{default}", "CURRENT_DEFAULT": "{default}"}})'
        )
        schema = (
            f'T.StructType([{field}, T.StructField("b", T.StringType()), '
            'T.StructField("c", T.DoubleType()), T.StructField("d", T.LongType())])'
        )
        ways.append(f't["{name}"] = spark.read.schema({schema}).parquet({path})')
    return ways


def _given_rows(rng: Random, name: str, formats: dict[str, str]) -> list[str]:
    """Rows given in the program."""
    rows = [
        (
            rng.choice((0, 1, 2, None)),
            rng.choice(("a", "", "b", None)),
            rng.choice((0.0, 1.5, None)),
            rng.choice((0, 1, 2**53, None)),
        )
        for _ in range(rng.randint(1, 4))
    ]
    changed = [(7, *rows[0][1:]), *rows[1:]]
    ways = [
        f'spark.createDataFrame({rows!r}, "{DDL}")',
        f'spark.createDataFrame({rows[::-1]!r}, "{DDL}")',
        f'spark.createDataFrame({changed!r}, "{DDL}")',
        f'spark.createDataFrame({rows!r} + [], schema="{DDL}")',
        f'spark.createDataFrame([Row(*r) for r in {rows!r}], "{DDL}")',
    ]
    return [f't["{name}"] = {way}' for way in ways]


def _numbers(rng: Random, name: str) -> list[str]:
    """A range of numbers."""
    numbers = rng.randint(0, 5)
    tail = (
        '.selectExpr("CAST(id AS INT) AS a", "CAST(id AS STRING) AS b", '
        '"CAST(id AS DOUBLE) AS c", "id AS d")'
    )
    ways = [f"spark.range({numbers})", f"spark.range(0, {numbers})", f"spark.range({numbers + 1})"]
    ways += [
        f"spark.range(0, {numbers}, 1)",
        f'spark.range({numbers + 2}).filter("id < {numbers}")',
    ]
    return [f't["{name}"] = {way}{tail}' for way in ways]


# -- steps -------------------------------------------------------------------------------------


def _step(rng: Random) -> list[str]:
    """Ways to say one step; every step keeps the columns a, b, c, d and their types."""
    number = rng.choice((0, 1, 2))
    steps = (
        [
            f'df = df.filter("a > {number}")',
            f'df = df.where(F.col("a") > {number})',
            f'df = df.filter("a >= {number + 1}")',
            f'df = df.filter(~(F.col("a") <= {number}))',
            f'df = df.filter("coalesce(a > {number}, false)")',
            f'df = df.filter("a >= {number}")',
            f'df = df.filter(F.when(F.col("a") > {number}, True).otherwise(False))',
        ],
        [
            'df = df.filter(F.col("b") != "a")',
            'df = df.filter(~(F.col("b") == "a"))',
            'df = df.filter(~F.col("b").eqNullSafe("a"))',
            "df = df.filter(\"b NOT IN ('a')\")",
            "df = df.filter(\"NOT b LIKE 'a'\")",
        ],
        [
            'df = df.withColumn("a", F.col("a") + 1)',
            'df = df.select((F.col("a") + 1).alias("a"), "b", "c", "d")',
            'df = df.selectExpr("1 + a AS a", "b", "c", "d")',
            'df = df.withColumn("a", inc("a"))',
            'df = df.withColumn("a", inc(F.col("a")))',
        ],
        ['df = df.withColumn("a", inc("a"))', 'df = df.selectExpr("*").withColumn("a", inc(df.a))'],
        ['df = df.withColumn("a", odd("a"))', 'df = df.select(odd("a").alias("a"), "b", "c", "d")'],
        [
            'df = df.withColumn("b", tidy("b"))',
            'df = df.withColumn("b", F.trim("b"))',
            'df = df.withColumn("b", F.ltrim(F.rtrim("b")))',
        ],
        [
            'df = df.groupBy("b").agg(F.max("a").alias("a"), F.max("c").alias("c"), F.sum("d").alias("d"))'
            '.select("a", "b", "c", "d")',
            'df = df.groupBy("b").agg(F.max("a").alias("a"), F.max("c").alias("c"), '
            'F.sum("d").alias("d")).filter(F.lit(True)).select("a", "b", "c", "d")',
            'df = df.groupBy("b").agg(F.max("a").alias("a"), F.max("c").alias("c"), '
            'F.sum(F.coalesce("d", F.lit(0))).alias("d")).select("a", "b", "c", "d")',
            'df = df.filter("d IS NOT NULL").groupBy("b").agg(F.max("a").alias("a"), '
            'F.max("c").alias("c"), F.sum("d").alias("d")).select("a", "b", "c", "d")',
        ],
        [
            'df = df.groupBy("a", "b").agg(F.avg("d").alias("c"), F.count("*").alias("d"))'
            '.select("a", "b", "c", "d")',
            'df = df.groupBy("b", "a").agg(F.mean("d").alias("c"), F.count(F.lit(1)).alias("d"))'
            '.select("a", "b", "c", "d")',
            'df = df.filter("a > 0").unionAll(df.filter("NOT a > 0 OR a IS NULL")).groupBy("a", "b")'
            '.agg(F.avg("d").alias("c"), F.count("*").alias("d")).select("a", "b", "c", "d")',
            'df = df.groupBy("a", "b").agg((F.sum("d") / F.count("d")).alias("c"), '
            'F.count("a").alias("d")).select("a", "b", "c", "d")',
        ],
        [
            'df = df.join(t["t1"].select("a", F.col("b").alias("k")), "a").drop("k")',
            'df = df.join(t["t1"].select("a", F.col("b").alias("k")), on=["a"], how="inner").drop("k")',
            'df = df.join(t["t1"].select("a").distinct(), "a", "left_semi")',
            'df = df.join(t["t1"].select("a"), "a", "left_semi")',
            'df = df.join(t["t1"].select("a"), "a", "left")',
            'df = df.join(t["t1"].select(F.col("a").alias("k")), F.col("k").eqNullSafe(F.col("a"))).drop("k")',
        ],
        [
            "df = df.distinct()",
            "df = df.dropDuplicates()",
            'df = df.dropDuplicates(["a", "b", "c", "d"])',
            'df = df.groupBy("a", "b", "c", "d").agg(F.count("*").alias("n")).drop("n")',
            'df = df.dropDuplicates(["a", "b"])',
        ],
        [
            'df = df.union(t["t1"])',
            'df = t["t1"].union(df)',
            'df = df.unionByName(t["t1"])',
            'df = df.union(t["t1"]).distinct()',
            'df = df.union(t["t1"].filter("a IS NOT NULL")).union(t["t1"].filter("a IS NULL"))',
        ],
        [
            'df = df.na.fill({"a": 0})',
            'df = df.withColumn("a", F.coalesce("a", F.lit(0)))',
            'df = df.fillna(0, subset=["a"])',
            "df = df.na.fill(0)",
        ],
        [
            'df = df.dropna(subset=["b"])',
            'df = df.filter(F.col("b").isNotNull())',
            "df = df.dropna()",
            'df = df.filter("b = b")',
        ],
        [
            "df = df.replace(1.5, 2.5, subset=['c'])",
            'df = df.withColumn("c", F.when(F.col("c") == 1.5, 2.5).otherwise(F.col("c")))',
            "df = df.replace({1.5: 2.5})",
            'df = df.replace(float("nan"), 2.5, subset=["c"])',
        ],
        [
            'df = df.orderBy("a", "b", "c", "d").limit(2)',
            'df = df.sort(F.asc("a"), "b", "c", "d").limit(2)',
            'df = df.orderBy("a").limit(2)',
            'df = df.orderBy(F.asc_nulls_last("a"), "b", "c", "d").limit(2)',
        ],
        [
            "df = df.repartition(2)",
            "df = df.coalesce(1)",
            'df = df.hint("broadcast")',
            'df = df.alias("x").select("x.*")',
            "df = df",
        ],
        [
            'w = Window.partitionBy("b").orderBy("a", "c", "d")\n'
            '    df = df.withColumn("a", F.row_number().over(w))',
            'w = Window.partitionBy("b").orderBy("a", "c", "d")\n'
            '    df = df.withColumn("a", F.rank().over(w))',
            'df = df.selectExpr("row_number() OVER (PARTITION BY b ORDER BY a, c, d) AS a", "b", "c", "d")',
            'df = df.selectExpr("row_number() OVER (PARTITION BY b ORDER BY a) AS a", "b", "c", "d")',
        ],
        [
            'df = df.withColumn("b", F.col("c").cast("string"))',
            'df = df.selectExpr("a", "CAST(c AS STRING) AS b", "c", "d")',
            'df = df.withColumn("b", F.concat(F.col("c").cast("string"), F.lit("")))',
            'df = df.withColumn("b", F.format_string("%s", F.col("c")))',
        ],
        [
            'df = df.withColumn("b", F.date_format(F.current_date(), "yyyy"))',
            'df = df.withColumn("b", F.year(F.current_date()).cast("string"))',
            'df = df.withColumn("b", F.expr("CAST(current_time() AS STRING)"))',
        ],
        [
            'df = df.withColumn("c", F.rand(7))',
            'df = df.withColumn("c", F.rand(8))',
            'df = df.withColumn("c", F.rand())',
        ],
        [
            'df.createOrReplaceTempView("now")\n    df = spark.sql("SELECT * FROM now WHERE d < 3")',
            'df = df.filter("d < 3")',
            'df = df.filter("d <= 2")',
            'df = df.filter("d < 3L AND d IS NOT NULL")',
        ],
        [
            "@F.pandas_udf('bigint')\n    def more(x: pd.Series) -> pd.Series:\n        return x + 1\n"
            '    df = df.withColumn("d", more("d"))',
            'df = df.withColumn("d", F.col("d") + 1)',
        ],
        [
            'df = df.withColumn("e", F.explode(F.array("a", F.lit(1)))).drop("e")',
            'df = df.withColumn("e", F.explode(F.array(F.lit(1), "a"))).drop("e")',
            "df = df.union(df)",
        ],
        [
            'df = df.select("a", "b", (F.col("c") * 2).alias("c"), "d")',
            'df = df.withColumn("c", F.col("c") + F.col("c"))',
            'df = df.withColumn("c", F.col("c") * F.lit(2.0))',
            'df = df.withColumn("c", F.col("c") / 0.5)',
        ],
    )
    return list(rng.choice(steps))
