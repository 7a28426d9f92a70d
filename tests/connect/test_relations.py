"""DataFrames mean what the SQL beside them means: same columns, proven equal."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

pytest.importorskip("grpc")

from pyspark.sql.connect import functions as F
from pyspark.sql.connect.plan import Range, SubqueryAlias
from pyspark.sql.connect.proto.relations_pb2 import Relation
from pyspark.sql.connect.window import Window

from tests.connect.frames import SCHEMA, Declared, dataflow, frame, table
from tests.sparks import needs_spark
from veer.api import verify
from veer.errors import InputError, UnknownNameError, UnsupportedError
from veer.ir.ops import Sink
from veer.read.pyspark.connect.reading import read_relations
from veer.read.pyspark.offline.statements import query_plan
from veer.read.sql import read_sql
from veer.verdict import Verdict
from veer.verification.comparison import Comparison
from veer.verification.versions.version import Version

col = F.col
Build = Callable[[Any, Any], Any]


def by_s() -> Any:
    return Window.partitionBy("s").orderBy(F.desc("b"))


# A title, what builds the frame of t and u, and SQL that means the same.
SAME: list[tuple[str, Build, str]] = [
    ("columns", lambda t, u: t.select("id", t.a, t["b"], col("st.x")), "SELECT id, a, b, st.x FROM t"),
    ("star", lambda t, u: t.select("*", F.lit(1).alias("one")).select("one", "id"), "SELECT 1 AS one, id FROM t"),
    ("star of a struct", lambda t, u: t.select("st.*"), "SELECT st.x AS x, st.y AS y FROM t"),
    ("star of a frame", lambda t, u: t.crossJoin(u).select(u["*"]), "SELECT u.* FROM t CROSS JOIN u"),
    ("pattern of columns", lambda t, u: t.select(t.colRegex("`[ab]`")), "SELECT a, b FROM t"),
    ("case of names", lambda t, u: t.select("ID").filter("iD > 1"), "SELECT ID FROM t WHERE id > 1"),
    ("replaced column", lambda t, u: t.select("id", "a").withColumn("A", col("a") + 1), "SELECT id, a + 1 AS A FROM t"),
    ("new column from a new one", lambda t, u: t.select("a").withColumn("x", col("a") * 2).withColumn("y", col("x") + 1), "SELECT a, a * 2 AS x, a * 2 + 1 AS y FROM t"),
    ("renamed, one after the other", lambda t, u: t.select("id", "a").withColumnsRenamed({"a": "z", "z": "w"}), "SELECT id, a AS w FROM t"),
    ("toDF", lambda t, u: t.select("id", "a").toDF("x", "y"), "SELECT id AS x, a AS y FROM t"),
    ("drop by name and by column", lambda t, u: t.select("id", "a", "b").drop("b").drop(col("a")), "SELECT id FROM t"),
    ("drop of a column of one side", lambda t, u: t.select("id", "a").join(u, t.id == u.id).drop(u.id), "SELECT t.id, t.a, u.a, u.c, u.amt FROM t JOIN u ON t.id = u.id"),
    ("drop of what is not there", lambda t, u: t.select("id").drop("nothing"), "SELECT id FROM t"),
    ("filter", lambda t, u: t.select("id").filter("id > 1").where(col("id") < 9), "SELECT id FROM t WHERE id > 1 AND id < 9"),
    ("filter by a column left out", lambda t, u: t.select("id").filter(t.a > 1), "SELECT id FROM t WHERE a > 1"),
    ("filter by the name of a column left out", lambda t, u: t.select("id").filter(col("a") > 1).filter(col("s") == "x"), "SELECT id FROM t WHERE a > 1 AND s = 'x'"),
    ("filter by the column before it was replaced", lambda t, u: t.select("id", "a").withColumn("a", col("a") + 1).filter(t.a > 1), "SELECT id, a + 1 AS a FROM t WHERE a > 1"),
    ("isin of nothing", lambda t, u: t.select("id", "a").filter(~col("a").isin([])), "SELECT id, a FROM t"),
    ("isin", lambda t, u: t.select("s").filter(col("s").isin("x", "y")), "SELECT s FROM t WHERE s IN ('x', 'y')"),
    ("null, not, like", lambda t, u: t.select("s").filter(col("s").isNotNull() & ~col("s").like("a%")), "SELECT s FROM t WHERE s IS NOT NULL AND NOT s LIKE 'a%'"),
    ("when", lambda t, u: t.select(F.when(col("a") > 1, "x").when(col("a") > 0, "y").otherwise("z").alias("w")), "SELECT CASE WHEN a > 1 THEN 'x' WHEN a > 0 THEN 'y' ELSE 'z' END AS w FROM t"),
    ("text beside a number", lambda t, u: t.select("id").filter(col("id") == "7"), "SELECT id FROM t WHERE id = '7'"),
    ("items and fields", lambda t, u: t.select(col("xs")[0].alias("x"), col("m")["k"].alias("k"), col("st").getField("Y").alias("y"), col("m.k").alias("j")), "SELECT xs[0] AS x, m['k'] AS k, st.y AS y, m['k'] AS j FROM t"),
    (
        "changed structs",
        lambda t, u: t.select(col("st").withField("X", col("a")).alias("q")),
        "SELECT CASE WHEN st IS NULL THEN NULL ELSE named_struct('X', a, 'y', st.y) END AS q FROM t",
    ),
    ("inner join", lambda t, u: t.join(u, t.id == u.id).select(t.id, u.c), "SELECT t.id, u.c FROM t JOIN u ON t.id = u.id"),
    ("left join on two", lambda t, u: t.join(u, [t.id == u.id, t.a == u.a], "left").select("s", "c"), "SELECT s, c FROM t LEFT JOIN u ON t.id = u.id AND t.a = u.a"),
    ("right join by name", lambda t, u: t.select("id", "b").join(u.select("id", "c"), "id", "right"), "SELECT id, b, c FROM t RIGHT JOIN u USING (id)"),
    ("full join by name, either key", lambda t, u: t.join(u, ["id"], "full").select("id", t.id.alias("l"), u.id.alias("r")), "SELECT coalesce(t.id, u.id) AS id, t.id AS l, u.id AS r FROM t FULL JOIN u ON t.id = u.id"),
    ("semi and anti", lambda t, u: t.select("id").join(u, "id", "semi").join(u, "id", "anti"), "SELECT id FROM t WHERE id IN (SELECT id FROM u) AND id NOT IN (SELECT id FROM u)"),
    ("self-join by aliases", lambda t, u: t.alias("l").join(t.alias("r"), col("l.id") == col("r.a")).select("l.s", col("r.b")), "SELECT l.s, r.b FROM t l JOIN t r ON l.id = r.a"),
    ("self-join by frames", lambda t, u: (lambda k: t.join(k, t.id == k.k).select(t.s, k.k))(t.select(col("a").alias("k"))), "SELECT l.s, r.a AS k FROM t l JOIN t r ON l.id = r.a"),
    ("groups", lambda t, u: t.groupBy("s", (col("a") + 1).alias("k")).agg(F.sum("b").alias("x"), F.count("*").alias("n")), "SELECT s, a + 1 AS k, sum(b) AS x, count(*) AS n FROM t GROUP BY s, a + 1"),
    ("one group", lambda t, u: t.agg(F.max("a").alias("m"), F.countDistinct("s").alias("n")), "SELECT max(a) AS m, count(DISTINCT s) AS n FROM t"),
    ("aggregate in select", lambda t, u: t.select(F.sum("b").alias("x")), "SELECT sum(b) AS x FROM t"),
    ("count of groups", lambda t, u: t.groupBy("s").count(), "SELECT s, count(*) AS count FROM t GROUP BY s"),
    ("rollup", lambda t, u: t.rollup("s", "a").agg(F.count("*").alias("n"), F.grouping_id().alias("g")), "SELECT s, a, count(*) AS n, grouping_id() AS g FROM t GROUP BY ROLLUP (s, a)"),
    ("cube", lambda t, u: t.cube("s", "a").agg(F.sum("b").alias("n")), "SELECT s, a, sum(b) AS n FROM t GROUP BY CUBE (s, a)"),
    ("pivot", lambda t, u: t.groupBy("s").pivot("a", [1, 2]).agg(F.sum("b")), "SELECT * FROM (SELECT s, a, b FROM t) PIVOT (sum(b) FOR a IN (1, 2))"),
    ("window", lambda t, u: t.select("id", F.row_number().over(by_s()).alias("n")), "SELECT id, row_number() OVER (PARTITION BY s ORDER BY b DESC) AS n FROM t"),
    ("window frame", lambda t, u: t.select(F.sum("a").over(by_s().rowsBetween(-1, Window.currentRow)).alias("n")), "SELECT sum(a) OVER (PARTITION BY s ORDER BY b DESC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS n FROM t"),
    ("lag", lambda t, u: t.select(F.lag("a").over(by_s()).alias("n")), "SELECT lag(a, 1, NULL) OVER (PARTITION BY s ORDER BY b DESC) AS n FROM t"),
    ("union", lambda t, u: t.select("id", "a").union(u.select("id", "a")), "SELECT id, a FROM t UNION ALL SELECT id, a FROM u"),
    ("union by name", lambda t, u: t.select("id", "s").unionByName(u.select("c", "id"), allowMissingColumns=True), "SELECT id, s, NULL AS c FROM t UNION ALL SELECT id, NULL, c FROM u"),
    ("set operations", lambda t, u: t.select("a").subtract(u.select("a")).intersect(t.select("a")), "(SELECT a FROM t EXCEPT SELECT a FROM u) INTERSECT SELECT a FROM t"),
    ("distinct", lambda t, u: t.select("s", "a").dropDuplicates(), "SELECT DISTINCT s, a FROM t"),
    ("fillna", lambda t, u: t.select("a", "s").fillna(0), "SELECT coalesce(a, 0) AS a, s FROM t"),
    ("fillna by column", lambda t, u: t.select("a", "s").fillna({"a": 1, "s": "x"}), "SELECT coalesce(a, 1) AS a, coalesce(s, 'x') AS s FROM t"),
    ("dropna", lambda t, u: t.select("a", "s").dropna(subset=["a"]), "SELECT a, s FROM t WHERE a IS NOT NULL"),
    ("dropna of any", lambda t, u: t.select("a", "s").dropna(), "SELECT a, s FROM t WHERE a IS NOT NULL AND s IS NOT NULL"),
    ("dropna of all", lambda t, u: t.select("a", "s").dropna("all"), "SELECT a, s FROM t WHERE a IS NOT NULL OR s IS NOT NULL"),
    ("replace", lambda t, u: t.select("s").replace("x", "y"), "SELECT CASE WHEN s = 'x' THEN 'y' ELSE s END AS s FROM t"),
    ("unpivot", lambda t, u: t.select("id", "a", "b").unpivot("id", ["a", "b"], "k", "v"), "SELECT id, 'a' AS k, CAST(a AS BIGINT) AS v FROM t UNION ALL SELECT id, 'b', b FROM t"),
    ("explode", lambda t, u: t.select("id", F.explode("xs").alias("x")).filter("x > 1"), "SELECT id, x FROM t LATERAL VIEW explode(xs) AS x WHERE x > 1"),
    ("hint, repartition, cache", lambda t, u: t.select("id").hint("broadcast").repartition(3), "SELECT id FROM t"),
    ("sort", lambda t, u: t.select("id", "a").orderBy(F.desc("a"), "id"), "SELECT id, a FROM t ORDER BY a DESC, id"),
    ("sort by a column left out", lambda t, u: t.select("id").orderBy(t.b.asc_nulls_last()), "SELECT id FROM t ORDER BY b ASC NULLS LAST"),
    ("text of SQL", lambda t, u: t.selectExpr("a + 1 AS x", "upper(s)").filter("x > 2"), "SELECT a + 1 AS x, upper(s) FROM t WHERE a + 1 > 2"),
    ("SQL over a view", lambda t, u: frame(query_plan("SELECT v.id FROM v WHERE v.a > :n", {"n": 1}, [SubqueryAlias(t.filter("b > 0")._plan, "v")], {})), "SELECT id FROM t WHERE b > 0 AND a > 1"),
    ("SQL with places", lambda t, u: frame(query_plan("SELECT id FROM t WHERE a BETWEEN ? AND ?", [1, 5], [], {})), "SELECT id FROM t WHERE a BETWEEN 1 AND 5"),
    ("function known by name", lambda t, u: t.select(F.call_function("or_zero", "a").alias("x")), "SELECT coalesce(a, 0) AS x FROM t"),
    ("lambda functions", lambda t, u: t.select(F.transform("xs", lambda x: x + col("a")).alias("y")), "SELECT transform(xs, item -> item + a) AS y FROM t"),
    ("range", lambda t, u: frame(Range(0, 3, 1)).select((col("id") + 1).alias("n")), "SELECT * FROM VALUES (1L), (2L), (3L) AS v(n)"),
    ("scalar subquery", lambda t, u: t.select("id", "a").filter(col("a") > u.select(F.max("a")).scalar()), "SELECT id, a FROM t WHERE a > (SELECT max(a) FROM u)"),
    ("exists", lambda t, u: t.select("id").filter(u.filter(u.id == t.id.outer()).exists()), "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id)"),
]  # fmt: skip

# What builds a frame, and SQL that is close to it and means something else.
OTHER: list[tuple[str, Build, str]] = [
    ("renamed in one step", lambda t, u: t.select("id", "a").withColumnsRenamed({"a": "z", "z": "w"}), "SELECT id, a AS z FROM t"),
    ("the replaced column", lambda t, u: t.select("id", "a").withColumn("a", col("a") + 1).filter(col("a") > 1), "SELECT id, a + 1 AS a FROM t WHERE a > 1"),
    ("nulls of fillna", lambda t, u: t.select("a", "s").fillna("x"), "SELECT coalesce(a, 0) AS a, s FROM t"),
    ("dropna of all", lambda t, u: t.select("a", "s").dropna("all"), "SELECT a, s FROM t WHERE a IS NOT NULL"),
    ("another body", lambda t, u: t.filter(F.exists("xs", lambda x: x > 1)).select("id"), "SELECT id FROM t WHERE exists(xs, x -> x > 2)"),
    ("either key of a full join", lambda t, u: t.join(u, ["id"], "full").select(t.id), "SELECT coalesce(t.id, u.id) AS id FROM t FULL JOIN u ON t.id = u.id"),
    ("frame of rows", lambda t, u: t.select(F.sum("a").over(by_s().rowsBetween(-1, 0)).alias("n")), "SELECT sum(a) OVER (PARTITION BY s ORDER BY b DESC) AS n FROM t"),
]  # fmt: skip

REFUSED: list[tuple[str, Build, str]] = [
    ("a frame used twice", lambda t, u: t.join(t.filter("a > 1"), t.id == t.a), "used twice"),
    ("a column of another frame", lambda t, u: t.select(u.id), "another DataFrame"),
    ("a column left out before", lambda t, u: t.select("id").distinct().filter("a > 1"), "dropped it before"),
    ("a column left out, by name", lambda t, u: t.select("id").select(col("a")), "dropped it before"),
    ("what files tell of themselves", lambda t, u: t.select("_metadata.file_path"), "_metadata"),
    ("describe", lambda t, u: t.describe(), "describe"),
    ("an order by a constant", lambda t, u: t.orderBy(F.lit(1)), "constant"),
    ("a function that is not known", lambda t, u: t.select(F.percentile_approx("a", 0.5)), "percentile_approx"),
    ("an ambiguous name", lambda t, u: t.join(u, t.id == u.id).select("id"), "ambiguous"),
    ("other columns by name", lambda t, u: t.unionByName(u), "other columns"),
]  # fmt: skip


# What the client of PySpark 3.5 has not, or the protocol of that time cannot say.
NEWER = ("star of a frame", "renamed, one after the other", "renamed in one step", "scalar subquery",
         "exists")  # fmt: skip


def params(rows: list[tuple[str, Build, str]]) -> list[Any]:
    marks = {title: needs_spark("4.0") for title in NEWER}
    return [pytest.param(*row, id=row[0], marks=marks.get(row[0], ())) for row in rows]


def built(build: Build) -> Any:
    return build(table("t"), table("u"))


def verdict(build: Build, sql: str) -> Verdict:
    p = Version("frame", dataflow(built(build)), False)
    q = Version("sql", read_sql(sql, SCHEMA), False)
    return verify(p, q, Comparison()).verdict


@pytest.mark.parametrize(("title", "build", "sql"), params(SAME))
def test_a_frame_is_its_sql(title: str, build: Build, sql: str) -> None:
    ours, theirs = dataflow(built(build)).result_schema, read_sql(sql, SCHEMA).result_schema
    assert [(f.name, f.type) for f in ours] == [(f.name, f.type) for f in theirs]
    assert verdict(build, sql) is Verdict.EQUIVALENT


@pytest.mark.parametrize(("title", "build", "sql"), params(OTHER))
def test_a_frame_is_not_what_is_close_to_it(title: str, build: Build, sql: str) -> None:
    assert verdict(build, sql) is not Verdict.EQUIVALENT


@pytest.mark.parametrize(("title", "build", "says"), params(REFUSED))
def test_what_is_not_read_is_refused_by_name(title: str, build: Build, says: str) -> None:
    with pytest.raises(UnsupportedError, match=says):
        dataflow(built(build))


def test_an_unknown_column_is_the_users_error() -> None:
    with pytest.raises(UnknownNameError, match="unknown column 'nope'"):
        dataflow(table("t").select("nope"))
    with pytest.raises(InputError, match="nope"):
        dataflow(table("t").filter(col("a") > 1).select(col("nope")))


def test_names_of_the_select_list_show_themselves() -> None:
    chained = table("t").select((col("a") + 1).alias("z"), col("z") * 2, col("z"))
    shown = ["z", "(lateralAliasReference(z) * 2)", "z"]
    assert list(dataflow(chained).result_schema.names) == shown
    assert list(read_sql("SELECT a + 1 AS z, z * 2, z FROM t", SCHEMA).result_schema.names) == shown


def test_decimal_constants_have_the_digits_of_a_classic_session_or_of_a_server() -> None:
    built = table("t").select(
        F.lit(Decimal("12.50")).alias("x"), F.lit(Decimal("0.001")).alias("y")
    )
    around = Declared()
    assert [str(f.type) for f in dataflow(built).result_schema] == ["decimal(4,2)", "decimal(3,3)"]
    around.is_server = True
    read = read_relations([(built._plan.plan(None), Sink("result"))], around)
    assert [str(f.type) for f in read.result_schema] == ["decimal(10,2)", "decimal(10,3)"]


@needs_spark("4.1")
def test_what_else_a_function_of_groups_is_given_is_not_lost() -> None:
    plan = Relation()
    plan.group_map.input.CopyFrom(table("t")._plan.plan(None))
    plan.group_map.transform_with_state_info.time_mode = "None"
    with pytest.raises(UnsupportedError, match="with state or an order"):
        read_relations([(plan, Sink("result"))], Declared())
