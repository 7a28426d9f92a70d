"""Jobs are captured: what they read, write and return; and what stops them, in one clear message."""

from __future__ import annotations

import contextlib
import textwrap
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from veer.api import Version, verify
from veer.errors import InputError, UnsupportedError, UsageError
from veer.ir.dag import Dataflow
from veer.ir.ops import Sink, Source, Values
from veer.ir.pprint import show_dataflow
from veer.ir.writes import Insert, Write
from veer.options import JvmUse
from veer.read.pyspark.capture.child import load_function
from veer.read.pyspark.capture.jobs import Job, load_jobs
from veer.show.wording import reason_text
from veer.verdict import Verdict

SCHEMA = """
CREATE TABLE orders (id INT NOT NULL, customer STRING, amount INT, day DATE, PRIMARY KEY (id));
CREATE TABLE shop.customers (name STRING NOT NULL, city STRING);
CREATE TABLE `data/events` (at TIMESTAMP, kind STRING);
"""
HEAD = """
from pyspark.sql import DataFrame, SparkSession, functions as F
"""


class Load:
    """Loads `build` in a file of a text; a dataflow, or the error that the user sees."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def request(self, text: str, schema: str, args: dict[str, str]) -> dict[str, Any]:
        file = self.root / f"job_{len(list(self.root.glob('job_*')))}_{abs(hash(text))}.py"
        file.write_text(HEAD + textwrap.dedent(text), encoding="utf-8")
        return {
            "root": str(self.root), "file": str(file), "function": "build", "args": args,
            "schema": schema, "data": str(self.root),
        }  # fmt: skip

    def __call__(self, text: str, schema: str = SCHEMA, **args: str) -> Dataflow:
        raise NotImplementedError


class ClassicLoad(Load):
    """In the session of the tests, which is as it was afterwards, and ran nothing."""

    def __init__(self, root: Path, spark: SparkSession) -> None:
        super().__init__(root)
        self.spark = spark

    def __call__(self, text: str, schema: str = SCHEMA, **args: str) -> Dataflow:
        tracker = self.spark.sparkContext._jsc.sc().statusTracker()
        before = set(tracker.getJobIdsForGroup(None))
        try:
            return load_function(self.spark, self.request(text, schema, args)).dataflow
        finally:
            assert set(tracker.getJobIdsForGroup(None)) == before, "a Spark job ran"
            self.spark.conf.set("spark.sql.session.timeZone", "UTC")
            self.spark.conf.set("spark.sql.ansi.enabled", "true")
            self.spark.conf.unset("spark.sql.timestampType")
            self.spark.conf.unset("spark.sql.sources.partitionOverwriteMode")


class OfflineLoad(Load):
    """In a process without a JVM."""

    def __call__(self, text: str, schema: str = SCHEMA, **args: str) -> Dataflow:
        file = Path(self.request(text, schema, args)["file"])
        job = Job(str(file), "build", args=tuple(args.items()), schema=schema)
        with contextlib.chdir(self.root):
            return load_jobs([job], JvmUse.NEVER)[0].dataflow


@pytest.fixture(params=[pytest.param("classic", marks=pytest.mark.spark), "offline"])
def load(request: pytest.FixtureRequest, tmp_path: Path) -> Load:
    """Both ways to load a job: the same rules hold."""
    if request.param == "offline":
        return OfflineLoad(tmp_path)
    return ClassicLoad(tmp_path, request.getfixturevalue("spark"))


def sinks(flow: Dataflow) -> dict[str, Sink]:
    return {i: op for i, op in flow.operators.items() if isinstance(op, Sink)}


def sources(flow: Dataflow) -> dict[str, Source]:
    return {op.table: op for op in flow.operators.values() if isinstance(op, Source)}


# -- what is read ----------------------------------------------------------------------------------


def test_tables_keep_their_declarations(load: Load) -> None:
    flow = load("""
        def build(spark):
            orders = spark.table("orders")
            people = spark.sql("SELECT * FROM shop.customers")
            return orders.join(people, orders.customer == people.name)
    """)  # fmt: skip
    found = sources(flow)
    assert found["orders"].keys == (("id",),)
    assert not found["shop.customers"].fields[0].nullable


def test_paths_are_sources_by_format_and_options(load: Load) -> None:
    flow = load("""
        def build(spark):
            a = spark.read.parquet("data/events").select("kind")
            b = spark.read.schema("kind string").option("sep", ";").csv("s3://x/more", header=True)
            c = spark.read.format("delta").option("versionAsOf", 3).schema("kind string").load("t")
            return a.union(b).union(c)
    """)  # fmt: skip
    found = sources(flow)
    assert found["data/events"].format == "parquet"
    assert found["s3://x/more"].options == (("header", "true"), ("sep", ";"))
    assert found["t"].format == "delta" and ("versionasof", "3") in found["t"].options


def test_files_tell_their_columns(load: Load) -> None:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({"a": pyarrow.array([1], pyarrow.int32()), "s": ["x"]})
    pyarrow.parquet.write_table(table, load.root / "some.parquet")
    (load.root / "some.csv").write_text("k,v\n1,2\n", encoding="utf-8")
    flow = load("""
        from pathlib import Path

        def build(spark):
            a = spark.read.parquet(str(Path(__file__).parent / "some.parquet"))
            b = spark.read.option("header", True).csv("some.csv")
            return a.join(b, a.s == b.k)
    """)  # fmt: skip
    found = sources(flow)
    assert [str(f.type) for f in found["some.parquet"].fields] == ["int", "string"]
    assert [f.name for f in found["some.csv"].fields] == ["k", "v"]


def test_rows_of_the_program_are_what_they_are(load: Load) -> None:
    text = """
        def build(spark):
            rates = spark.createDataFrame([("a", 1), ("b", %s)], "code string, rate int")
            return spark.table("orders").join(rates, F.col("customer") == F.col("code"))
    """
    one, two, other = (load(text % n) for n in ("2", "1 + 1", "None"))
    rows = [
        [op for op in f.operators.values() if isinstance(op, Values)] for f in (one, two, other)
    ]
    assert rows[0] == rows[1] != rows[2]
    assert rows[0][0].rows == (("a", 1), ("b", 2))


def test_parameters_are_filled(load: Load) -> None:
    flow = load("""
        def build(orders: DataFrame, session: SparkSession, least: int, big=False, name="x"):
            assert session.version and least == 7 and big is True and name == "x"
            return orders.where(F.col("amount") >= least)
    """, least="7", big="true")  # fmt: skip
    assert "orders" in sources(flow)


# -- what is written -------------------------------------------------------------------------------


def test_writers_are_sinks(load: Load) -> None:
    flow = load("""
        def build(spark):
            orders = spark.table("orders").cache()
            orders.write.mode("overwrite").partitionBy("day").parquet("out/a")
            orders.write.insertInto("shop.totals", overwrite=True)
            orders.write.format("csv").option("header", True).save("out/b")
            orders.writeTo("shop.log").append()
            orders.createOrReplaceTempView("o")
            spark.sql("INSERT INTO shop.more SELECT * FROM o")
            spark.sql("CREATE TABLE made AS SELECT id FROM o")
            orders.show()
            print(f"{orders.count()} rows")
            return {"kept": orders}
    """)  # fmt: skip
    found = sinks(flow)
    assert found["out/a"].write == Write("parquet", "overwrite", ("partitioned by day",))
    assert found["shop.totals"].write == Insert(overwrite=True) and found["shop.totals"].positional
    assert found["out/b"].positional
    assert found["shop.log"].write == Write("table", "append")
    assert found["shop.more"].write == Insert(overwrite=False)
    assert set(found) == {"out/a", "shop.totals", "out/b", "shop.log", "shop.more", "made", "kept"}


def test_what_was_written_is_read_again(load: Load) -> None:
    flow = load("""
        def build(spark):
            spark.table("orders").where("amount > 1").write.mode("overwrite").parquet("tmp/o")
            return spark.read.parquet("tmp/o").where("id > 2")
    """)  # fmt: skip
    assert set(sources(flow)) == {"orders"}


def test_how_it_is_written_matters(load: Load) -> None:
    text = """
        def build(spark):
            spark.table("orders").write.mode("%s").parquet("out")
    """
    p, q = (Version(mode, load(text % mode), False) for mode in ("append", "overwrite"))
    report = verify(p, q)
    assert report.verdict is Verdict.UNKNOWN and "append" in reason_text(report.sinks[0].reason)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("orders.write.mode('overwrite').insertInto('t')",
         "orders.write.mode('overwrite').option('partitionOverwriteMode', 'dynamic').insertInto('t')"),
        ("orders.write.format('csv').saveAsTable('t')", "orders.write.format('parquet').saveAsTable('t')"),
        ("spark.sql('INSERT INTO t SELECT id FROM orders')",
         "spark.sql('INSERT INTO t BY NAME SELECT id FROM orders')"),
        ("spark.sql('CREATE TABLE t AS SELECT id FROM orders')",
         "spark.sql('CREATE TABLE t PARTITIONED BY (id) AS SELECT id FROM orders')"),
        ("orders.write.parquet('t')",
         "spark.conf.set('spark.sql.sources.partitionOverwriteMode', 'dynamic'); orders.write.parquet('t')"),
    ],
)  # fmt: skip
def test_what_decides_a_write_is_kept(load: Load, one: str, two: str) -> None:
    def made(text: str) -> Version:
        body = f"def build(spark):\n    orders = spark.table('orders')\n    {text}\n"
        return Version(text, load(body), False)

    assert verify(made(one), made(two)).verdict is Verdict.UNKNOWN
    assert verify(made(one), made(one)).verdict is Verdict.EQUIVALENT


def test_rows_by_name_are_rows(load: Load) -> None:
    texts = ("[Row(a=1, b='x')]", "[{'a': 1, 'b': 'x'}]", "[(1, 'x')], ['a', 'b']")
    body = "from pyspark.sql import Row\ndef build(spark):\n    return spark.createDataFrame(%s)"
    flows = [load(body % text) for text in texts]
    rows = [[op for op in f.operators.values() if isinstance(op, Values)] for f in flows]
    assert rows[0] == rows[1] == rows[2] and rows[0][0].rows == ((1, "x"),)
    filtered = load(body % "[(1, 'x')], ['a', 'b']).filter('a > 0'")
    report = verify(Version("p", flows[0], False), Version("q", filtered, False))
    assert report.verdict is not Verdict.INEQUIVALENT


def test_paths_are_compared_however_they_are_spelled(load: Load) -> None:
    body = "def build(spark):\n    return spark.read.schema('a int').parquet(%s)"
    names = {next(iter(sources(load(body % p)))) for p in ("'/d/a'", "'/d/a/'", "'file:///d/a'")}
    assert names == {"/d/a"}
    assert next(iter(sources(load(body % "'a b'")))) != next(iter(sources(load(body % "'a', 'b'"))))


# -- what stops ------------------------------------------------------------------------------------

STOPPED = {
    "count": ("""
        def build(spark):
            orders = spark.table("orders")
            if orders.count() > 10:
                return orders
            return orders.limit(0)
        """, "the value of count"),
    "count in a text": ("""
        def build(spark):
            n = spark.table("orders").count()
            return spark.table("orders").withColumn("n", F.lit(f"{n}"))
        """, "the value of count"),
    "collect": ("""
        def build(spark):
            names = [r.customer for r in spark.table("orders").collect()]
            return spark.table("orders").where(F.col("customer").isin(names))
        """, "the value of collect"),
    "swallowed": ("""
        def build(spark):
            orders = spark.table("orders")
            try:
                orders = orders.limit(int(orders.first()[0]))
            except Exception:
                pass
            return orders
        """, "the value of first"),
    "swallowed by a bare except": ("""
        def build(spark):
            orders = spark.table("orders")
            try:
                orders = orders.limit(int(orders.first()[0]))
            except:
                pass
            return orders
        """, "the value of first"),
    "pivot": ("""
        def build(spark):
            return spark.table("orders").groupBy("day").pivot("customer").sum("amount")
        """, "list the values"),
    "rdd": ("""
        def build(spark):
            return spark.table("orders").rdd.map(tuple).toDF()
        """, "an RDD is made"),
    "stream": ("""
        def build(spark):
            return spark.readStream.format("rate").load()
        """, "a stream is read"),
    "columns": ("""
        def build(spark):
            return spark.read.json("elsewhere.json")
        """, "the columns of elsewhere.json are not known"),
    "command": ("""
        def build(spark):
            spark.sql("TRUNCATE TABLE orders")
            return spark.table("orders")
        """, "the command TruncateTable"),
    "existence of none": ("""
        def build(spark):
            orders = spark.table("orders")
            if orders.first() is None:
                return orders.limit(0)
            return orders
        """, "the value of first"),
    "a text kept": ("""
        def build(spark):
            print(n := f"{spark.table('orders').count()}")
            return spark.table("orders").limit(0 if n == "0" else 1)
        """, "the value of count"),
    "isinstance": ("""
        def build(spark):
            return spark.table("orders").limit(1 if isinstance(spark.table("orders").count(), int) else 2)
        """, "the value of count"),
    "a logger of another kind": ("""
        class Log:
            def info(self, text):
                self.text = text

        def build(spark):
            log = Log()
            log.info(f"{spark.table('orders').count()}")
            return spark.table("orders").limit(0 if log.text == "0" else 1)
        """, "the value of count"),
    "a directory": ("""
        def build(spark):
            spark.sql("INSERT OVERWRITE DIRECTORY '/nowhere/x' USING parquet SELECT id FROM orders")
            return spark.table("orders")
        """, "the command InsertIntoDir"),
    "WITH before INSERT": ("""
        def build(spark):
            spark.sql("WITH c AS (SELECT id FROM orders) INSERT INTO out2 SELECT * FROM c")
            return spark.table("orders")
        """, "the command InsertIntoStatement"),
    "several inserts": ("""
        def build(spark):
            spark.sql("FROM orders INSERT INTO a SELECT id INSERT INTO b SELECT id")
            return spark.table("orders")
        """, "the command InsertIntoStatement"),
    "immediate": ("""
        def build(spark):
            spark.sql("EXECUTE IMMEDIATE 'INSERT INTO out2 SELECT id FROM orders'")
            return spark.table("orders")
        """, "the command"),
    "two time zones": ("""
        def build(spark):
            spark.table("orders").write.parquet("x")
            spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
            return spark.table("orders").select("id")
        """, "the time zone is Asia/Tokyo, and UTC|timeZone, which decides plans, is changed"),
    "another session": ("""
        def build(spark):
            return spark.newSession().table("orders")
        """, "another session"),
    "catalog": ("""
        def build(spark):
            return spark.table(spark.catalog.listTables()[0].name)
        """, "listTables"),
    "a missing table caught": ("""
        def build(spark):
            try:
                return spark.table("previous")
            except Exception:
                return spark.table("orders").limit(0)
        """, "declare it"),
    "a second write caught": ("""
        def build(spark):
            orders = spark.table("orders")
            orders.write.mode("overwrite").parquet("x")
            try:
                orders.filter("id > 1").write.mode("overwrite").parquet("x/")
            except Exception:
                pass
        """, "two sinks of one name"),
    "partitions read back": ("""
        def build(spark):
            spark.table("orders").write.mode("overwrite").partitionBy("id").parquet("w")
            return spark.read.parquet("w")
        """, "is read after it was written"),
    "existence": ("""
        def build(spark):
            return spark.table("orders" if spark.catalog.tableExists("other") else "shop.customers")
        """, "whether the table other exists"),
}  # fmt: skip


def test_jobs_in_another_time_zone(load: Load) -> None:
    flow = load("""
        def build(spark):
            spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
            moment = F.timestamp_seconds("id")
            rows = spark.read.schema("at TIMESTAMP").csv("in.csv")
            rows.write.json("out")
            return spark.table("orders").select(F.to_date(moment).alias("d"), F.hour(moment).alias("h"))
    """)
    shown = show_dataflow(flow)
    there = "zoned.wall_clock(timestamp_seconds(id), 'Asia/Tokyo')"
    assert f"CAST({there} AS date) AS d, hour({there}) AS h" in shown
    assert ("timezone", "Asia/Tokyo") in sources(flow)["in.csv"].options
    assert ("spark.sql.session.timeZone", "Asia/Tokyo") in sinks(flow)["out"].write.settings  # type: ignore[union-attr]


# Without a JVM, only Spark's parser can tell what these are.
LEFT_TO_JVM = ("command", "a directory", "WITH before INSERT", "several inserts", "immediate")


@pytest.mark.parametrize("name", STOPPED)
def test_what_nobody_computed_stops_the_job(load: Load, name: str) -> None:
    text, message = STOPPED[name]
    if isinstance(load, OfflineLoad) and name in LEFT_TO_JVM:
        message = "a JVM could read it"
    with pytest.raises(UnsupportedError, match=message) as raised:
        load(text)
    assert "\n" not in str(raised.value) and "job" in str(raised.value)


REFUSED = {
    "raises": ("def build(spark):\n    raise ValueError('no\\nway')", "raised ValueError: no"),
    "nothing": ("def build(spark):\n    spark.table('orders')", "returns nothing and writes nothing"),
    "a number": ("def build(spark):\n    return 3", "returns a int, not a DataFrame"),
    "arguments": ("def build(spark, day):\n    return spark.table('orders')", "needs the argument 'day'"),
    "a table": ("def build(things: DataFrame):\n    return things", "declare it"),
    "missing table": ("def build(spark):\n    return spark.table('nowhere')", "declare it"),
    "missing in SQL": ("def build(spark):\n    return spark.sql('SELECT * FROM gone')", "declare it"),
    "syntax": ("def build(spark:\n", "does not import: SyntaxError"),
    "import": ("import nothing_of_the_kind\ndef build(spark):\n    pass", "does not import: ModuleNotFound"),
    "no function": ("def make(spark):\n    pass", "has no function 'build'; there are make"),
    "exit": ("import sys\ndef build(spark):\n    sys.exit(3)", "sys.exit"),
    "twice": (
        "def build(spark):\n    for _ in 'ab':\n        spark.table('orders').write.parquet('out')",
        "two sinks of one name, 'out'",
    ),
    "another type of timestamps": (
        "def build(spark):\n    spark.conf.set('spark.sql.timestampType', 'TIMESTAMP_NTZ')\n"
        "    return spark.table('orders')",
        "spark.sql.timestampType",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_bad_jobs_get_one_clear_message(load: Load, name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises(InputError, match=message) as raised:
        load(text)
    assert "\n" not in str(raised.value)


def test_unknown_arguments_are_wrong_usage(load: Load) -> None:
    text = "def build(spark, n: int = 1):\n    return spark.table('orders').limit(n)"
    with pytest.raises(UsageError, match="no parameter 'm'"):
        load(text, m="1")
    with pytest.raises(UsageError, match="no int"):
        load(text, n="many")


@pytest.mark.spark
def test_pyspark_is_itself_again(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        ClassicLoad(tmp_path, spark)("def build(spark):\n    raise KeyError('x')")
    rows: Any = spark.createDataFrame([(1,)], "a int").collect()
    assert [tuple(r) for r in rows] == [(1,)]
