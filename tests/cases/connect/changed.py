"""Pairs of programs that differ in one detail: a reading that loses it would prove them equal.

Each entry: a name, the two programs as functions of the tables people, orders, events, sales.
"""

from decimal import Decimal

from pyspark.sql import Window, functions as F
from pyspark.sql.functions import col, lit, udf


def over(*order):
    return Window.partitionBy("city").orderBy(*order)


def doubled(x):
    return None if x is None else x * 2


def tripled(x):
    return None if x is None else x * 3


def first_rows(group):
    return group.head(1)


def last_rows(group):
    return group.tail(1)


PEOPLE = {
    "filter constant": (lambda p: p.filter(col("age") > 3), lambda p: p.filter(col("age") > 4)),
    "filter equality": (lambda p: p.filter(col("age") == 3), lambda p: p.filter(col("age") != 3)),
    "null-safe not": (lambda p: p.filter(~(col("city") == "a")), lambda p: p.filter(~col("city").eqNullSafe("a"))),
    "select order": (lambda p: p.select("id", "age"), lambda p: p.select("age", "id")),
    "select name": (lambda p: p.select(col("id").alias("a")), lambda p: p.select(col("id").alias("b"))),
    "cast": (lambda p: p.select(col("age").cast("string").alias("x")), lambda p: p.select(col("age").cast("long").alias("x"))),
    "try_cast": (lambda p: p.select(col("name").cast("int").alias("x")), lambda p: p.select(col("name").try_cast("int").alias("x"))),
    "like": (lambda p: p.filter(col("name").like("a%")), lambda p: p.filter(col("name").like("a_"))),
    "ilike": (lambda p: p.filter(col("name").like("a%")), lambda p: p.filter(col("name").ilike("a%"))),
    "rlike": (lambda p: p.filter(col("name").rlike("a")), lambda p: p.filter(col("name").rlike("^a"))),
    "isin": (lambda p: p.filter(col("age").isin(1, 2)), lambda p: p.filter(col("age").isin(1, 3))),
    "between": (lambda p: p.filter(col("age").between(1, 2)), lambda p: p.filter(col("age").between(1, 3))),
    "substr": (lambda p: p.select(col("name").substr(1, 2).alias("x")), lambda p: p.select(col("name").substr(1, 3).alias("x"))),
    "round": (lambda p: p.select(F.round("score", 1).alias("x")), lambda p: p.select(F.round("score", 2).alias("x"))),
    "bround": (lambda p: p.select(F.round("score", 1).alias("x")), lambda p: p.select(F.bround("score", 1).alias("x"))),
    "regexp": (lambda p: p.select(F.regexp_replace("name", "a", "b").alias("x")), lambda p: p.select(F.regexp_replace("name", "a", "c").alias("x"))),
    "regexp group": (lambda p: p.select(F.regexp_extract("name", "(a)(b)", 1).alias("x")), lambda p: p.select(F.regexp_extract("name", "(a)(b)", 2).alias("x"))),
    "split limit": (lambda p: p.select(F.split("name", ",").alias("x")), lambda p: p.select(F.split("name", ",", 2).alias("x"))),
    "concat_ws": (lambda p: p.select(F.concat_ws(",", "name", "city").alias("x")), lambda p: p.select(F.concat_ws(";", "name", "city").alias("x"))),
    "concat order": (lambda p: p.select(F.concat("name", "city").alias("x")), lambda p: p.select(F.concat("city", "name").alias("x"))),
    "date format": (lambda p: p.select(F.date_format("born", "yyyy").alias("x")), lambda p: p.select(F.date_format("born", "MM").alias("x"))),
    "to_date format": (lambda p: p.select(F.to_date("name", "yyyy-MM-dd").alias("x")), lambda p: p.select(F.to_date("name", "dd-MM-yyyy").alias("x"))),
    "sha2": (lambda p: p.select(F.sha2("name", 256).alias("x")), lambda p: p.select(F.sha2("name", 512).alias("x"))),
    "lpad": (lambda p: p.select(F.lpad("name", 5, "0").alias("x")), lambda p: p.select(F.lpad("name", 5, " ").alias("x"))),
    "format_string": (lambda p: p.select(F.format_string("%s", "age").alias("x")), lambda p: p.select(F.format_string("%d", "age").alias("x"))),
    "rand seed": (lambda p: p.select(F.rand(1).alias("x")), lambda p: p.select(F.rand(2).alias("x"))),
    "literal type": (lambda p: p.select(lit(1).alias("x")), lambda p: p.select(lit(1.0).alias("x"))),
    "literal decimal": (lambda p: p.select(lit(Decimal("1.5")).alias("x")), lambda p: p.select(lit(Decimal("1.6")).alias("x"))),
    "literal null": (lambda p: p.select(lit(None).cast("int").alias("x")), lambda p: p.select(lit(0).alias("x"))),
    "when order": (
        lambda p: p.select(F.when(col("age") > 1, "a").when(col("age") > 2, "b").alias("x")),
        lambda p: p.select(F.when(col("age") > 2, "b").when(col("age") > 1, "a").alias("x")),
    ),
    "otherwise": (lambda p: p.select(F.when(col("active"), 1).alias("x")), lambda p: p.select(F.when(col("active"), 1).otherwise(0).alias("x"))),
    "distinct": (lambda p: p.select("city"), lambda p: p.select("city").distinct()),
    "drop duplicates": (lambda p: p.select("city", "age").dropDuplicates(["city"]), lambda p: p.select("city", "age").dropDuplicates(["age"])),
    "limit": (lambda p: p.orderBy("id").limit(1), lambda p: p.orderBy("id").limit(2)),
    "limit order": (lambda p: p.orderBy("id").limit(1), lambda p: p.orderBy(F.desc("id")).limit(1)),
    "limit nulls": (lambda p: p.orderBy("age", "id").limit(1), lambda p: p.orderBy(F.asc_nulls_last("age"), "id").limit(1)),
    "offset": (lambda p: p.orderBy("id").offset(1), lambda p: p.orderBy("id").offset(2)),
    "sample": (lambda p: p.sample(0.5, seed=1), lambda p: p.sample(0.5, seed=2)),
    "sample share": (lambda p: p.sample(0.5, seed=1), lambda p: p.sample(0.6, seed=1)),
    "sample replacement": (lambda p: p.sample(True, 0.5, 1), lambda p: p.sample(False, 0.5, 1)),
    "random split": (lambda p: p.randomSplit([0.5, 0.5], 1)[0], lambda p: p.randomSplit([0.5, 0.5], 1)[1]),
    "fillna value": (lambda p: p.fillna(0), lambda p: p.fillna(1)),
    "fillna subset": (lambda p: p.fillna(0), lambda p: p.fillna(0, ["age"])),
    "fillna dict": (lambda p: p.fillna({"age": 0}), lambda p: p.fillna({"score": 0})),
    "dropna how": (lambda p: p.dropna("any"), lambda p: p.dropna("all")),
    "dropna subset": (lambda p: p.dropna(subset=["age"]), lambda p: p.dropna(subset=["name"])),
    "dropna thresh": (lambda p: p.dropna(thresh=2, subset=["age", "name"]), lambda p: p.dropna(thresh=1, subset=["age", "name"])),
    "replace": (lambda p: p.replace("a", "b"), lambda p: p.replace("a", "c")),
    "replace subset": (lambda p: p.replace("a", "b", "name"), lambda p: p.replace("a", "b", "city")),
    "replace swapped": (lambda p: p.replace({"a": "b", "b": "a"}), lambda p: p.replace({"a": "b", "b": "b"})),
    "row number order": (
        lambda p: p.withColumn("x", F.row_number().over(over("id"))),
        lambda p: p.withColumn("x", F.row_number().over(over(F.desc("id")))),
    ),
    "rank kinds": (
        lambda p: p.withColumn("x", F.rank().over(over("age"))),
        lambda p: p.withColumn("x", F.dense_rank().over(over("age"))),
    ),
    "window partition": (
        lambda p: p.withColumn("x", F.count("*").over(Window.partitionBy("city"))),
        lambda p: p.withColumn("x", F.count("*").over(Window.partitionBy("name"))),
    ),
    "window frame": (
        lambda p: p.withColumn("x", F.sum("age").over(over("id").rowsBetween(-1, 0))),
        lambda p: p.withColumn("x", F.sum("age").over(over("id").rowsBetween(-2, 0))),
    ),
    "window rows or range": (
        lambda p: p.withColumn("x", F.sum("id").over(over("age").rowsBetween(Window.unboundedPreceding, 0))),
        lambda p: p.withColumn("x", F.sum("id").over(over("age").rangeBetween(Window.unboundedPreceding, 0))),
    ),
    "window order makes a frame": (
        lambda p: p.withColumn("x", F.sum("id").over(Window.partitionBy("city"))),
        lambda p: p.withColumn("x", F.sum("id").over(over("id"))),
    ),
    "lag": (lambda p: p.withColumn("x", F.lag("age", 1).over(over("id"))), lambda p: p.withColumn("x", F.lag("age", 2).over(over("id")))),
    "lag default": (lambda p: p.withColumn("x", F.lag("age", 1).over(over("id"))), lambda p: p.withColumn("x", F.lag("age", 1, 0).over(over("id")))),
    "lag or lead": (lambda p: p.withColumn("x", F.lag("age").over(over("id"))), lambda p: p.withColumn("x", F.lead("age").over(over("id")))),
    "last ignoring nulls": (
        lambda p: p.withColumn("x", F.last("age").over(over("id"))),
        lambda p: p.withColumn("x", F.last("age", True).over(over("id"))),
    ),
    "ntile": (lambda p: p.withColumn("x", F.ntile(2).over(over("id"))), lambda p: p.withColumn("x", F.ntile(3).over(over("id")))),
    "sum or avg": (lambda p: p.groupBy("city").agg(F.sum("score").alias("x")), lambda p: p.groupBy("city").agg(F.avg("score").alias("x"))),
    "count column": (lambda p: p.groupBy("city").agg(F.count("*").alias("x")), lambda p: p.groupBy("city").agg(F.count("age").alias("x"))),
    "count distinct": (lambda p: p.groupBy("city").agg(F.count("age").alias("x")), lambda p: p.groupBy("city").agg(F.countDistinct("age").alias("x"))),
    "sum distinct": (lambda p: p.groupBy("city").agg(F.sum("age").alias("x")), lambda p: p.groupBy("city").agg(F.sum_distinct("age").alias("x"))),
    "first ignoring nulls": (lambda p: p.groupBy("city").agg(F.first("age").alias("x")), lambda p: p.groupBy("city").agg(F.first("age", True).alias("x"))),
    "percentile": (lambda p: p.agg(F.percentile_approx("age", 0.5).alias("x")), lambda p: p.agg(F.percentile_approx("age", 0.9).alias("x"))),
    "filter clause": (lambda p: p.agg(F.expr("sum(age) FILTER (WHERE active) AS x")), lambda p: p.agg(F.expr("sum(age) AS x"))),
    "group keys": (lambda p: p.groupBy("city", "age").agg(F.count("*").alias("x")).select("city", "x"), lambda p: p.groupBy("city").agg(F.count("*").alias("x"))),
    "rollup or cube": (lambda p: p.rollup("city", "name").count(), lambda p: p.cube("city", "name").count()),
    "rollup order": (
        lambda p: p.rollup("city", "name").count(),
        lambda p: p.rollup("name", "city").count().select("city", "name", "count"),
    ),
    "function body": (lambda p: p.select(udf(doubled, "int")("age").alias("x")), lambda p: p.select(udf(tripled, "int")("age").alias("x"))),
    "function type": (lambda p: p.select(udf(doubled, "int")("age").alias("x")), lambda p: p.select(udf(doubled, "string")("age").alias("x"))),
    "function arguments": (lambda p: p.select(udf(doubled, "int")("age").alias("x")), lambda p: p.select(udf(doubled, "int")("id").alias("x"))),
    "groups in pandas": (
        lambda p: p.groupBy("city").applyInPandas(first_rows, p.schema),
        lambda p: p.groupBy("city").applyInPandas(last_rows, p.schema),
    ),
    "groups in pandas by": (
        lambda p: p.groupBy("city").applyInPandas(first_rows, p.schema),
        lambda p: p.groupBy("name").applyInPandas(first_rows, p.schema),
    ),
    "self join kinds": (
        lambda p: p.join(p.select("id", F.upper("name").alias("n")).filter("id > 1"), "id", "left"),
        lambda p: p.join(p.select("id", F.upper("name").alias("n")).filter("id > 1"), "id"),
    ),
    "union or distinct": (lambda p: p.select("city").union(p.select("city")), lambda p: p.select("city").union(p.select("city")).distinct()),
    "union by name": (
        lambda p: p.select("name", "city").union(p.select("city", "name")),
        lambda p: p.select("name", "city").unionByName(p.select("city", "name")),
    ),
    "subtract or exceptAll": (
        lambda p: p.select("city").subtract(p.filter("age > 3").select("city")),
        lambda p: p.select("city").exceptAll(p.filter("age > 3").select("city")),
    ),
    "intersect all": (
        lambda p: p.select("city").intersect(p.select("city")),
        lambda p: p.select("city").intersectAll(p.select("city")),
    ),
    "view parameters": (
        lambda p: p.sparkSession.sql("SELECT id FROM people WHERE age > :n", {"n": 1}),
        lambda p: p.sparkSession.sql("SELECT id FROM people WHERE age > :n", {"n": 2}),
    ),
    "range": (lambda p: p.sparkSession.range(3), lambda p: p.sparkSession.range(4)),
    "range step": (lambda p: p.sparkSession.range(0, 9, 2), lambda p: p.sparkSession.range(0, 9, 3)),
    "rows": (
        lambda p: p.sparkSession.createDataFrame([(1, "a")], "x int, y string"),
        lambda p: p.sparkSession.createDataFrame([(1, "b")], "x int, y string"),
    ),
    "rows with null": (
        lambda p: p.sparkSession.createDataFrame([(1, None)], "x int, y string"),
        lambda p: p.sparkSession.createDataFrame([(1, "")], "x int, y string"),
    ),
    "array of literals": (lambda p: p.select(F.array(lit(1), lit(2)).alias("x")), lambda p: p.select(F.array(lit(2), lit(1)).alias("x"))),
    "struct names": (
        lambda p: p.select(F.struct(col("id").alias("a")).alias("x")),
        lambda p: p.select(F.struct(col("id").alias("b")).alias("x")),
    ),
    "json schema": (
        lambda p: p.select(F.from_json("name", "a INT").alias("x")),
        lambda p: p.select(F.from_json("name", "b INT").alias("x")),
    ),
    "json options": (
        lambda p: p.select(F.from_json("name", "a INT").alias("x")),
        lambda p: p.select(F.from_json("name", "a INT", {"mode": "FAILFAST"}).alias("x")),
    ),
    "scalar subquery": (
        lambda p: p.filter(p.age > p.select(F.avg("age")).scalar()),
        lambda p: p.filter(p.age > p.select(F.max("score")).scalar()),
    ),
    "date parts": (lambda p: p.select(F.month("born").alias("x")), lambda p: p.select(F.dayofmonth("born").alias("x"))),
    "trunc": (lambda p: p.select(F.trunc("born", "year").alias("x")), lambda p: p.select(F.trunc("born", "month").alias("x"))),
}  # fmt: skip

ORDERS = {
    "lambda body": (lambda o: o.select(F.transform("tags", lambda t: F.upper(t)).alias("x")), lambda o: o.select(F.transform("tags", lambda t: F.lower(t)).alias("x"))),
    "lambda argument": (
        lambda o: o.select(F.aggregate("tags", lit(""), lambda a, t: F.concat(a, t)).alias("x")),
        lambda o: o.select(F.aggregate("tags", lit(""), lambda a, t: F.concat(t, a)).alias("x")),
    ),
    "lambda start": (
        lambda o: o.select(F.aggregate("tags", lit(0), lambda a, t: a + 1).alias("x")),
        lambda o: o.select(F.aggregate("tags", lit(1), lambda a, t: a + 1).alias("x")),
    ),
    "lambda column": (
        lambda o: o.select(F.transform("tags", lambda t: F.concat(t, col("status"))).alias("x")),
        lambda o: o.select(F.transform("tags", lambda t: F.concat(t, t)).alias("x")),
    ),
    "lambda filter": (
        lambda o: o.select(F.filter("tags", lambda t: t == "a").alias("x")),
        lambda o: o.select(F.filter("tags", lambda t: t == "b").alias("x")),
    ),
    "exists or forall": (
        lambda o: o.filter(F.exists("tags", lambda t: t == "a")),
        lambda o: o.filter(F.forall("tags", lambda t: t == "a")),
    ),
    "lambda nesting": (
        lambda o: o.select(F.transform("tags", lambda x: F.filter("tags", lambda y: y != x)).alias("x")),
        lambda o: o.select(F.transform("tags", lambda x: F.filter("tags", lambda y: y != y)).alias("x")),
    ),
    "explode outer": (lambda o: o.select("order_id", F.explode("tags").alias("x")), lambda o: o.select("order_id", F.explode_outer("tags").alias("x"))),
    "sort array": (lambda o: o.select(F.sort_array("tags").alias("x")), lambda o: o.select(F.sort_array("tags", False).alias("x"))),
    "array join": (lambda o: o.select(F.array_join("tags", ",").alias("x")), lambda o: o.select(F.array_join("tags", ",", "?").alias("x"))),
    "slice": (lambda o: o.select(F.slice("tags", 1, 1).alias("x")), lambda o: o.select(F.slice("tags", 1, 2).alias("x"))),
    "item": (lambda o: o.select(col("tags")[0].alias("x")), lambda o: o.select(col("tags")[1].alias("x"))),
    "get or item": (lambda o: o.select(F.get("tags", 5).alias("x")), lambda o: o.select(col("tags")[5].alias("x"))),
    "array contains": (lambda o: o.filter(F.array_contains("tags", "a")), lambda o: o.filter(F.array_contains("tags", "b"))),
    "interval": (
        lambda o: o.select(F.expr("placed + INTERVAL 1 DAY").alias("x")),
        lambda o: o.select(F.expr("placed + INTERVAL 2 DAY").alias("x")),
    ),
    "time zone": (
        lambda o: o.select(F.from_utc_timestamp("placed", "Europe/Paris").alias("x")),
        lambda o: o.select(F.from_utc_timestamp("placed", "Asia/Tokyo").alias("x")),
    ),
    "time window": (
        lambda o: o.groupBy(F.window("placed", "1 hour")).count(),
        lambda o: o.groupBy(F.window("placed", "2 hours")).count(),
    ),
    "pivot values": (
        lambda o: o.groupBy("person_id").pivot("status", ["a", "b"]).sum("quantity").select("person_id", col("a").alias("x")),
        lambda o: o.groupBy("person_id").pivot("status", ["a", "b"]).sum("quantity").select("person_id", col("b").alias("x")),
    ),
    "pivot aggregate": (
        lambda o: o.groupBy("person_id").pivot("status", ["a"]).agg(F.sum("quantity")),
        lambda o: o.groupBy("person_id").pivot("status", ["a"]).agg(F.count("quantity")),
    ),
    "unpivot": (
        lambda o: o.unpivot("order_id", ["quantity"], "k", "v"),
        lambda o: o.select("order_id", (col("quantity") + 1).alias("quantity")).unpivot("order_id", ["quantity"], "k", "v"),
    ),
    "decimal scale": (
        lambda o: o.select(col("amount").cast("decimal(10,1)").alias("x")),
        lambda o: o.select(col("amount").cast("decimal(11,1)").alias("x")),
    ),
    "list order": (
        lambda o: o.groupBy("person_id").agg(F.sort_array(F.collect_list("status")).alias("x")),
        lambda o: o.groupBy("person_id").agg(F.sort_array(F.collect_set("status")).alias("x")),
    ),
    "max_by": (
        lambda o: o.groupBy("person_id").agg(F.max_by("order_id", "quantity").alias("x")),
        lambda o: o.groupBy("person_id").agg(F.min_by("order_id", "quantity").alias("x")),
    ),
}  # fmt: skip


def _program(table, build):
    return lambda spark: build(spark.table(table))


CHANGED = {}  # the names of the two functions by what differs
for _table, _pairs in (("people", PEOPLE), ("orders", ORDERS)):
    for _what, _builds in _pairs.items():
        CHANGED[_what] = tuple(f"{_side}_{len(CHANGED)}" for _side in ("old", "new"))
        for _name, _build in zip(CHANGED[_what], _builds, strict=True):
            globals()[_name] = _program(_table, _build)
