"""What a source reads as, and which sources may hold the same data; Spark says what is there."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession, functions as F
from pyspark.sql.types import IntegerType, StructField, StructType

import veer
from veer.api import Version
from veer.errors import UnsupportedError
from veer.facts.determinism import dataflow_kind
from veer.functions.registry import Kind
from veer.ir.ops import LOCAL, Source, Values
from veer.read.pyspark.capture.child import load_function
from veer.read.pyspark.frames import read_dataframe
from veer.read.pyspark.plans import kinds
from veer.show.wording import reason_text
from veer.verdict import Report, Verdict

pytestmark = pytest.mark.spark
EQUIVALENT, INEQUIVALENT, UNKNOWN = Verdict.EQUIVALENT, Verdict.INEQUIVALENT, Verdict.UNKNOWN
Read = Callable[..., DataFrame]


@pytest.fixture(scope="module")
def data(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Files and tables that are the same data in several ways."""
    root = tmp_path_factory.mktemp("sources")
    for name, rows in {"a": [(1, "x"), (2, None)], "b": [(3, "y")], "c": [(4, "z")]}.items():
        spark.createDataFrame(rows, "id int, s string").coalesce(1).write.parquet(str(root / name))
    parts = spark.createDataFrame([(1, 1), (2, 2)], "id int, p int")
    parts.write.partitionBy("p").parquet(str(root / "parts"))
    (root / "x.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (root / "link").symlink_to(root / "a")
    (root / "linked").mkdir()
    (root / "hard").mkdir()
    for file in (root / "a").glob("*.parquet"):
        (root / "linked" / file.name).symlink_to(file)
    for file in (root / "c").glob("*.parquet"):
        os.link(file, root / "hard" / file.name)
    spark.sql(f"CREATE TABLE src_a USING parquet LOCATION '{root}/a'")
    spark.sql(f"CREATE TABLE src_b USING parquet LOCATION '{root}/b'")
    spark.sql(
        f"CREATE TABLE src_p (id INT, p INT) USING parquet PARTITIONED BY (p) LOCATION '{root}/new'"
    )
    spark.sql(f"ALTER TABLE src_p ADD PARTITION (p = 1) LOCATION '{root}/a'")
    spark.sql("CREATE VIEW src_v AS SELECT * FROM src_a WHERE id > 0")
    yield root
    spark.sql("DROP VIEW src_v")
    for name in ("src_a", "src_b", "src_p"):
        spark.sql(f"DROP TABLE {name}")


def verdict(p: Any, q: Any) -> Verdict:
    return found(p, q).verdict


def found(p: Any, q: Any) -> Report:
    report = veer.verify(p, q)
    assert isinstance(report, Report)
    return report


# -- the same data in several ways -----------------------------------------------------------------


def test_other_names_of_one_place_are_one_source(spark: SparkSession, data: Path) -> None:
    read = spark.read.parquet
    one = read(f"{data}/a")
    for other in (f"{data}/a/", f"file:{data}/a", f"{data}/b/../a", f"{data}/link"):
        assert verdict(one, read(other)) is EQUIVALENT, other
        assert verdict(one.where("id > 1"), read(other).where("id > 2")) is INEQUIVALENT, other
    assert verdict(read(f"{data}/a", f"{data}/b"), read(f"{data}/b", f"{data}/a")) is EQUIVALENT
    twice = read(f"{data}/a", f"{data}/a")
    assert verdict(twice, one) is UNKNOWN


def test_what_may_be_the_same_data_has_no_witness(spark: SparkSession, data: Path) -> None:
    read = spark.read.parquet
    a, b, ids = read(f"{data}/a"), read(f"{data}/b"), read(f"{data}/a").select("id")
    pairs = {
        "a union": (read(f"{data}/a", f"{data}/b"), a.union(b)),
        "a pattern": (a, read(f"{data}/a/*.parquet")),
        "links inside": (a, read(f"{data}/linked")),
        "hard links inside": (read(f"{data}/c"), read(f"{data}/hard")),
        "a partition": (
            read(f"{data}/parts").where("p = 1").select("id"),
            read(f"{data}/parts/p=1"),
        ),
        "a table": (a, spark.table("src_a")),
        "a partition elsewhere": (spark.table("src_p").select("id"), ids),
        "a header": tuple(
            spark.read.csv(f"{data}/x.csv", schema="a string, b string", header=h).where("a > '0'")
            for h in (True, False)
        ),
        "another format": (
            spark.read.csv(f"{data}/x.csv", schema="value string"),
            spark.read.text(f"{data}/x.csv"),
        ),
    }
    for name, (p, q) in pairs.items():
        report = found(p, q)
        assert report.verdict is UNKNOWN, name
        assert "same data" in reason_text(report.sinks[0].reason), name
    within = a.join(read(f"{data}/linked"), "id")
    assert verdict(within.where("id > 1"), within.where("id > 2")) is UNKNOWN


def test_what_is_apart_keeps_its_witness(spark: SparkSession, data: Path) -> None:
    a, b = (spark.read.parquet(f"{data}/{name}") for name in "ab")
    assert verdict(a, b) is INEQUIVALENT
    assert verdict(spark.table("src_a"), spark.table("src_b")) is INEQUIVALENT
    assert verdict(spark.table("src_p").select("id"), b.select("id")) is INEQUIVALENT
    assert verdict(spark.table("src_v"), spark.table("src_a").where("id > 0")) is EQUIVALENT
    assert verdict(spark.table("src_v"), spark.table("src_a").where("id > 1")) is INEQUIVALENT
    both = a.join(b, "id")
    assert verdict(both.where("id > 1"), both.where("id > 2")) is INEQUIVALENT


def test_column_defaults_are_part_of_a_source(spark: SparkSession, data: Path) -> None:
    def schema(default: str, *, nested: bool) -> StructType:
        field = StructField("n", IntegerType(), True, {"EXISTS_DEFAULT": default, "comment": "c"})
        inner = StructField("s", StructType([field])) if nested else field
        return StructType([StructField("id", IntegerType()), inner])

    for nested in (False, True):
        one, again, two = (
            spark.read.schema(schema(d, nested=nested)).parquet(f"{data}/a") for d in "112"
        )
        assert verdict(one, again) is EQUIVALENT
        assert verdict(one, two) is UNKNOWN
    assert one.select("id").collect() == two.select("id").collect()


def test_a_link_shows_where_names_of_files_do(spark: SparkSession, data: Path) -> None:
    p, q = (
        spark.read.parquet(f"{data}/{name}").select("id", "_metadata.file_path")
        for name in ("a", "link")
    )
    assert sorted(p.collect()) != sorted(q.collect())
    assert verdict(p, q) is UNKNOWN


def test_a_default_added_to_a_table_is_part_of_it(spark: SparkSession, data: Path) -> None:
    for default in "56":
        spark.sql(f"DROP TABLE IF EXISTS src_{default}")
        spark.sql(f"CREATE TABLE src_{default} (a INT) USING parquet LOCATION '{data}/d'")
        spark.sql(f"ALTER TABLE src_{default} ADD COLUMNS (c INT DEFAULT {default})")
    five, six = (read_dataframe(spark.table(f"src_{d}")) for d in "56")
    (one,), (two,) = (f.sources.values() for f in (five, six))
    assert one.metadata != two.metadata
    for default in "56":
        spark.sql(f"DROP TABLE src_{default}")


# -- rows given in programs ------------------------------------------------------------------------


def test_given_rows_are_these_rows(spark: SparkSession) -> None:
    def rows(*ids: int) -> DataFrame:
        return spark.createDataFrame([(i, "x") for i in ids], "id int, s string")

    assert verdict(rows(1, 2), rows(2, 1)) is EQUIVALENT
    assert verdict(rows(1), rows(2)) is INEQUIVALENT
    assert verdict(rows(1, 2).where("id > 0"), rows(1, 2)) is EQUIVALENT
    assert verdict(rows(1, 2).where("id > 1"), rows(1, 2)) is INEQUIVALENT


def test_given_rows_are_read_as_spark_reads_them(spark: SparkSession) -> None:
    import datetime
    from decimal import Decimal

    from tests.spark.compare import collect, same_rows
    from veer.interpreter import run_dataflow

    rows = [
        (1, 2.5, float("nan"), "ä", b"\0", Decimal("1.5"), datetime.date(1969, 7, 20),
         datetime.datetime(2024, 2, 29, 12), True),
        (None,) * 9,
    ]  # fmt: skip
    frame = spark.createDataFrame(
        rows,
        "i tinyint, d double, n double, s string, b binary, c decimal(9,3), t date, "
        "m timestamp, o boolean",
    )
    flow = read_dataframe(frame)
    assert any(isinstance(op, Values) for op in flow.operators.values())
    given = run_dataflow(flow, {})["result"]
    assert same_rows(given.rows, collect(frame, given.types), given.types, ordered=False)


def test_given_rows_that_are_not_plain_have_no_witness(spark: SparkSession) -> None:
    def rows(value: int) -> DataFrame:
        return spark.createDataFrame([(value, [1, 2])], "id int, l array<int>")

    assert verdict(rows(1), rows(1)) is EQUIVALENT
    assert verdict(rows(1).where("id > 0"), rows(1).where("id >= 1")) is EQUIVALENT
    assert verdict(rows(1).where("id > 0"), rows(1)) is UNKNOWN
    assert verdict(rows(1), rows(2)) is UNKNOWN


def test_an_rdd_is_computed_anew_each_time(spark: SparkSession) -> None:
    made = spark.sparkContext.parallelize([(1, 2)]).map(lambda row: row).toDF("a int, b int")
    assert verdict(made, made.where("true")) is EQUIVALENT
    assert verdict(made.where("a > 0"), made.where("a > 1")) is UNKNOWN
    doubled = made.select(F.explode(F.array("a", "a")).alias("a"))
    assert verdict(made.select("a").union(made.select("a")), doubled) is UNKNOWN
    kept = made.localCheckpoint()
    (source,) = read_dataframe(kept).sources.values()
    assert source.format == LOCAL


# -- kinds of functions ----------------------------------------------------------------------------


def test_every_function_of_this_spark_was_looked_at(spark: SparkSession) -> None:
    registry: Any = spark._jvm.org.apache.spark.sql.catalyst.analysis  # type: ignore[union-attr]
    known = kinds.PURE | kinds.RUN_CONSTANT | kinds.PARTITION | kinds.CHOICE | kinds.UNSURE
    known |= kinds.REWRITTEN | kinds.BUILDERS | kinds.AGGREGATES | kinds.TABLES | kinds.SESSION
    missing = {}
    for table in (registry.FunctionRegistry.expressions(),
                  registry.TableFunctionRegistry.logicalPlans()):  # fmt: skip
        items = table.iterator()
        while items.hasNext():
            pair = items.next()
            owner = str(pair._2()._1().getClassName()).rpartition(".")[2]
            if owner not in known:
                missing[str(pair._1())] = owner
    assert not missing
    assert not kinds.PURE & (kinds.RUN_CONSTANT | kinds.PARTITION | kinds.CHOICE | kinds.UNSURE)


IMPURE = {
    Kind.RUN_CONSTANT: (
        "current_date() curdate() current_timestamp() now() current_time() localtime() "
        "localtimestamp() current_user() user() session_user() unix_timestamp() version()"
    ),
    Kind.PARTITION: (
        "monotonically_increasing_id() spark_partition_id() input_file_name() "
        "input_file_block_start() input_file_block_length()"
    ),
    Kind.CHOICE: (
        "rand() randn() uuid() randstr(3) uniform(0,9) shuffle(array(1,2)) "
        "aes_encrypt('Spark','0000111122223333') reflect('java.util.UUID','randomUUID') "
        "try_reflect('java.util.UUID','randomUUID') format_string('%s',array(1)) "
        "format_string('%s',X'00') transform(array(1),x->rand())"
    ),
}


def test_what_is_not_pure_is_not_taken_for_it(spark: SparkSession) -> None:
    for kind, texts in IMPURE.items():
        for text in texts.split():
            flow = read_dataframe(spark.sql(f"SELECT {text} AS x"))
            assert dataflow_kind(flow) is kind, text
    inside = spark.sql("SELECT transform(array(1), x -> (x, current_time())) AS x")
    assert dataflow_kind(read_dataframe(inside)) is Kind.RUN_CONSTANT


def test_a_variable_of_the_session_is_no_constant(spark: SparkSession) -> None:
    spark.sql("DECLARE OR REPLACE VARIABLE src_x INT DEFAULT 1")
    with pytest.raises(UnsupportedError, match="depends on the session"):
        read_dataframe(spark.sql("SELECT src_x AS x"))
    spark.sql("DROP TEMPORARY VARIABLE src_x")


def test_unknown_functions_are_named(spark: SparkSession, data: Path) -> None:
    rows = spark.read.parquet(f"{data}/a")
    texts = {
        "levenshtein(s, '{}')": "levenshtein",
        "get_json_object(s, '$.{}')": "get_json_object",
        "parse_url(s, 'QUERY', '{}')": "parse_url",
    }
    for text, name in texts.items():
        report = found(*(rows.select(F.expr(text.format(c)).alias("x")) for c in "ab"))
        assert report.verdict is UNKNOWN
        assert f"unknown function: {name}" in reason_text(report.sinks[0].reason)


def test_session_windows_are_no_plain_groups(spark: SparkSession, data: Path) -> None:
    rows = spark.read.parquet(f"{data}/a").select(F.expr("timestamp_seconds(id)").alias("t"))
    with pytest.raises(UnsupportedError, match="session_window"):
        read_dataframe(rows.groupBy(F.session_window("t", "5 minutes")).count())


# -- time zones and types --------------------------------------------------------------------------


def test_casts_that_do_not_ask_for_the_zone(spark: SparkSession, data: Path) -> None:
    rows = spark.read.parquet(f"{data}/a")
    try:
        for zone in ("Etc/UTC", "GMT", "+00:00", "Europe/Berlin"):
            spark.conf.set("spark.sql.session.timeZone", zone)
            p, q = (rows.select((F.col("id") + F.lit(n).cast("long")).alias("x")) for n in (1, 2))
            assert verdict(p, q) is INEQUIVALENT, zone
        moments = [rows.select(F.expr(f"CAST(s AS {t})").alias("x")) for t in ("TIMESTAMP",) * 2]
        assert verdict(*moments) is EQUIVALENT
        spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
        other = rows.select(F.expr("CAST(s AS TIMESTAMP)").alias("x"))
        assert verdict(moments[0], other) is UNKNOWN
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_names_of_utc_are_utc_to_java(spark: SparkSession) -> None:
    from veer.functions.zone_rules import UTC_NAMES

    zones: Any = spark._jvm.java.time.ZoneId  # type: ignore[union-attr]
    for name in UTC_NAMES:
        rules = zones.of(name).getRules()
        assert rules.isFixedOffset(), name
        zero = spark._jvm.java.time.ZoneOffset.UTC  # type: ignore[union-attr]
        now = spark._jvm.java.time.Instant.now()  # type: ignore[union-attr]
        assert rules.getOffset(now).equals(zero), name


def test_types_that_are_not_modelled_are_no_errors(spark: SparkSession) -> None:
    spark.sql(
        "CREATE TABLE src_types (c STRING COLLATE UTF8_LCASE, n STRUCT<x: STRING COLLATE UTF8_LCASE>, "
        "v VARIANT, m MAP<DOUBLE, INT>, i INTERVAL DAY TO SECOND, e INT) USING parquet"
    )
    try:
        texts = {
            "SELECT * FROM src_types WHERE {}": EQUIVALENT,
            "SELECT e FROM src_types WHERE c = 'x' AND {}": EQUIVALENT,
            "SELECT c, count(*) AS n FROM src_types WHERE {} GROUP BY c": EQUIVALENT,
            "SELECT DISTINCT c FROM src_types WHERE {}": EQUIVALENT,
            "SELECT max(c) AS c, count(DISTINCT n) AS n FROM src_types WHERE {}": EQUIVALENT,
            "SELECT e, row_number() OVER (PARTITION BY c ORDER BY e) AS r FROM src_types WHERE {}":
                EQUIVALENT,
            "SELECT c FROM src_types WHERE {} EXCEPT SELECT c FROM src_types": EQUIVALENT,
            "SELECT named_struct('a', e, 'A', c) AS s FROM src_types WHERE {}": EQUIVALENT,
            "SELECT i + INTERVAL '1' DAY AS i, TIME '12:00:00' AS t FROM src_types WHERE {}":
                EQUIVALENT,
            "SELECT struct() AS s, e FROM src_types WHERE {}": EQUIVALENT,
        }  # fmt: skip
        for text, wanted in texts.items():
            p, q = (spark.sql(text.format(c)) for c in ("true", "e = e OR e IS NULL"))
            assert verdict(p, q) in (wanted, UNKNOWN), text
        # Collated texts that compare equal are not the same texts.
        p = spark.sql("SELECT e FROM src_types WHERE c IN ('x', 'y')")
        q = spark.sql("SELECT e FROM src_types WHERE c IN ('X', 'y')")
        assert verdict(p, q) is UNKNOWN
        p = spark.sql("SELECT e FROM src_types WHERE n.x = 'x' AND n.x <> 'X'")
        assert verdict(p, spark.sql("SELECT e FROM src_types WHERE n.x = 'x'")) is UNKNOWN
        p = spark.sql("SELECT e FROM src_types WHERE array_contains(array(c), 'x')")
        q = spark.sql("SELECT e FROM src_types WHERE array_contains(array(c), 'X')")
        assert verdict(p, q) is UNKNOWN
    finally:
        spark.sql("DROP TABLE src_types")


def test_rows_without_columns_are_counted(spark: SparkSession) -> None:
    one, two = (spark.createDataFrame([()] * n, StructType([])) for n in (1, 2))
    assert verdict(one, two) is INEQUIVALENT
    nested = StructType([StructField("a", IntegerType()), StructField("s", StructType([]))])
    odd = spark.createDataFrame([(1, ())], nested)
    assert verdict(odd, odd.where("true")) is EQUIVALENT


# -- jobs in files ---------------------------------------------------------------------------------


def job(spark: SparkSession, root: Path, text: str) -> Version:
    file = root / f"job_{len(list(root.glob('job_*')))}.py"
    head = "from pyspark.sql.types import *\n"
    file.write_text(head + textwrap.dedent(text), encoding="utf-8")
    request = {
        "root": str(root), "file": str(file), "function": "build", "args": {}, "data": str(root),
        "schema": "CREATE TABLE src_t (id INT, s STRING)",
    }  # fmt: skip
    return Version(file.name, load_function(spark, request).dataflow, stable_ids=False)


JOBS = {
    "order of paths": ("parquet('a', 'b')", "parquet('b', 'a')", EQUIVALENT),
    "a union": (
        "parquet('a', 'b')",
        "parquet('a').union(spark.read.schema('id int, s string').parquet('b'))",
        UNKNOWN,
    ),
    "a pattern": ("parquet('a')", "parquet('a/*.parquet')", UNKNOWN),
    "a link": ("parquet('a')", "parquet('link')", UNKNOWN),
    "a table": ("parquet('a')", "table('src_t')", UNKNOWN),
    "spellings": ("parquet('a')", "parquet('./b/../a/')", EQUIVALENT),
    "folders": ("parquet('a')", "parquet('b')", INEQUIVALENT),
    "options": ("csv('x', header=True)", "csv('x', header=False)", UNKNOWN),
}


@pytest.mark.parametrize("name", JOBS)
def test_sources_of_jobs(spark: SparkSession, tmp_path: Path, name: str) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    *texts, wanted = JOBS[name]
    read = "spark.read.schema('id int, s string')"
    bodies = (f"return spark.{t}" if t.startswith("table") else f"return {read}.{t}" for t in texts)
    versions = [job(spark, tmp_path, f"def build(spark):\n    {body}\n") for body in bodies]
    assert verdict(*versions) is wanted


def test_defaults_and_given_rows_of_jobs(spark: SparkSession, tmp_path: Path) -> None:
    schema = "StructType([StructField('n', IntegerType(), True, {{'EXISTS_DEFAULT': '{}'}})])"
    text = "def build(spark):\n    return spark.read.schema({}).parquet('a')\n"
    one, again, two = (job(spark, tmp_path, text.format(schema.format(d))) for d in "112")
    assert verdict(one, again) is EQUIVALENT
    assert verdict(one, two) is UNKNOWN
    given = "def build(spark):\n    return spark.createDataFrame([(1, 2)], 'a int, b int').{}\n"
    p, q, r = (job(spark, tmp_path, given.format(w)) for w in ("where('a > 0')", "select('*')",
                                                              "where('b > 2')"))  # fmt: skip
    assert verdict(p, q) is EQUIVALENT
    assert verdict(p, r) is INEQUIVALENT
    assert not any(isinstance(op, Source) for op in p.dataflow.operators.values())


def test_predicates_of_a_database_tell_rows(spark: SparkSession) -> None:
    jvm: Any = spark._jvm
    url = "jdbc:derby:memory:predicates"
    connection = jvm.java.sql.DriverManager.getConnection(f"{url};create=true")
    connection.createStatement().execute("CREATE TABLE t (a INT)")
    driver = {"driver": "org.apache.derby.iapi.jdbc.AutoloadedDriver"}
    whole = spark.read.jdbc(url, "t", properties=driver)
    twice = spark.read.jdbc(url, "t", predicates=["a < 5", "a > 3"], properties=driver)
    assert veer.verify(whole, twice).verdict is UNKNOWN
    assert veer.verify(twice, twice.where("true")).verdict is EQUIVALENT
