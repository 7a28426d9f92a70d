"""Window functions: partitions, orders, frames, names."""

from pyspark.sql import Window, functions as F
from pyspark.sql.functions import col


def row_number(spark):
    w = Window.partitionBy("city").orderBy("age")
    return spark.table("people").withColumn("r", F.row_number().over(w))


def row_number_first(spark):
    w = Window.partitionBy("city").orderBy(F.desc("age"), "id")
    return spark.table("people").withColumn("r", F.row_number().over(w)).filter("r = 1").drop("r")


def ranks(spark):
    w = Window.partitionBy("city").orderBy(col("age").desc())
    return spark.table("people").select(
        "id",
        F.rank().over(w),
        F.dense_rank().over(w).alias("d"),
        F.percent_rank().over(w).alias("p"),
        F.cume_dist().over(w).alias("c"),
        F.ntile(4).over(w).alias("n"),
    )


def names_of_windows(spark):
    w = Window.partitionBy("city").orderBy("age")
    return spark.table("people").select(
        F.row_number().over(w), F.sum("age").over(w), F.count("*").over(Window.partitionBy("city"))
    )


def lag_lead(spark):
    w = Window.partitionBy("city").orderBy("id")
    return spark.table("people").select(
        "id",
        F.lag("age").over(w).alias("a"),
        F.lag("age", 2).over(w).alias("b"),
        F.lag("age", 1, 0).over(w).alias("c"),
        F.lead("name").over(w).alias("d"),
        F.lead(col("age") + 1, 2, -1).over(w).alias("e"),
    )


def names_of_lag(spark):
    w = Window.partitionBy("city").orderBy("id")
    return spark.table("people").select(F.lag("age").over(w), F.lead("age", 2, 0).over(w))


def lag_difference(spark):
    w = Window.partitionBy("person_id").orderBy("day", "order_id")
    o = spark.table("orders")
    return o.withColumn("gap", F.datediff("day", F.lag("day").over(w))).withColumn(
        "more", col("amount") - F.lag("amount", 1).over(w)
    )


def total_of_partition(spark):
    w = Window.partitionBy("city")
    p = spark.table("people")
    return p.withColumn("share", p.score / F.sum("score").over(w))


def whole_table(spark):
    w = Window.partitionBy()
    return spark.table("people").withColumn("n", F.count("*").over(w))


def order_only(spark):
    w = Window.orderBy("id")
    return spark.table("people").withColumn("running", F.sum("age").over(w))


def running_rows(spark):
    w = Window.partitionBy("city").orderBy("id").rowsBetween(Window.unboundedPreceding, 0)
    return spark.table("people").withColumn("s", F.sum("age").over(w))


def running_rows_current(spark):
    w = (
        Window.partitionBy("city")
        .orderBy("id")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    return spark.table("people").withColumn("s", F.avg("age").over(w))


def moving_rows(spark):
    w = Window.partitionBy("city").orderBy("id").rowsBetween(-2, 0)
    return spark.table("people").withColumn("s", F.avg("score").over(w))


def centered_rows(spark):
    w = Window.partitionBy("city").orderBy("id").rowsBetween(-1, 1)
    return spark.table("people").select("id", F.max("age").over(w), F.min("age").over(w))


def following_rows(spark):
    w = Window.partitionBy("city").orderBy("id").rowsBetween(1, Window.unboundedFollowing)
    return spark.table("people").withColumn("left", F.count("*").over(w))


def whole_rows(spark):
    w = (
        Window.partitionBy("city")
        .orderBy("id")
        .rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    )
    return spark.table("people").select(
        "id", F.first("age").over(w).alias("f"), F.last("age").over(w).alias("l")
    )


def range_frame(spark):
    w = Window.partitionBy("city").orderBy("age").rangeBetween(-5, 5)
    return spark.table("people").withColumn("near", F.count("*").over(w))


def range_unbounded(spark):
    w = Window.partitionBy("city").orderBy("age").rangeBetween(Window.unboundedPreceding, 0)
    return spark.table("people").withColumn("s", F.sum("id").over(w))


def range_long(spark):
    w = Window.partitionBy("city").orderBy("id").rangeBetween(-10, -1)
    return spark.table("people").withColumn("s", F.sum("id").over(w))


def first_ignoring_nulls(spark):
    w = Window.partitionBy("city").orderBy("id").rowsBetween(Window.unboundedPreceding, 0)
    return spark.table("people").withColumn("seen", F.last("score", ignorenulls=True).over(w))


def nth_value(spark):
    w = Window.partitionBy("city").orderBy("id")
    return spark.table("people").select(F.nth_value("age", 2).over(w).alias("n"))


def collect_over(spark):
    w = Window.partitionBy("city")
    return spark.table("people").select("id", F.collect_set("name").over(w).alias("names"))


def nulls_order(spark):
    w = Window.partitionBy("city").orderBy(
        col("age").desc_nulls_last(), col("id").asc_nulls_first()
    )
    return spark.table("people").withColumn("r", F.row_number().over(w))


def window_of_columns(spark):
    p = spark.table("people")
    w = Window.partitionBy(p.city).orderBy(p.age.desc(), p["id"])
    return p.select(p.id, F.row_number().over(w).alias("r"))


def window_list(spark):
    w = Window.partitionBy(["city", "active"]).orderBy(["age", "id"])
    return spark.table("people").withColumn("r", F.rank().over(w))


def window_of_expression(spark):
    w = Window.partitionBy(F.year("day")).orderBy(F.month("day"), "order_id")
    return spark.table("orders").withColumn("r", F.row_number().over(w))


def window_in_when(spark):
    w = Window.partitionBy("city").orderBy("id")
    return spark.table("people").withColumn(
        "changed", F.when(col("age") != F.lag("age").over(w), 1).otherwise(0)
    )


def sessions(spark):
    w = Window.partitionBy("person_id").orderBy("at")
    e = spark.table("events")
    gap = col("at").cast("long") - F.lag("at").over(w).cast("long")
    return e.withColumn("new", (gap > 1800).cast("int")).withColumn("session", F.sum("new").over(w))


def two_windows(spark):
    a = Window.partitionBy("city").orderBy("id")
    b = Window.partitionBy("active")
    return spark.table("people").select(
        "id", (F.row_number().over(a) + F.count("*").over(b)).alias("x")
    )


def window_over_aggregate(spark):
    w = Window.orderBy(F.desc("n"), "city")
    return (
        spark.table("people")
        .groupBy("city")
        .agg(F.count("*").alias("n"))
        .withColumn("r", F.dense_rank().over(w))
    )


def window_of_aggregates(spark):
    w = Window.orderBy(F.desc(F.count("*")))
    return spark.table("people").groupBy("city").agg(F.rank().over(w).alias("r"))


def window_sql_text(spark):
    return spark.table("people").selectExpr(
        "id",
        "row_number() OVER (PARTITION BY city ORDER BY age DESC, id) AS r",
        "sum(age) OVER (PARTITION BY city)",
    )


def window_name_in_sql(spark):
    spark.table("people").createOrReplaceTempView("v")
    return spark.sql(
        "SELECT id, rank() OVER w AS r FROM v WINDOW w AS (PARTITION BY city ORDER BY age)"
    )


def window_distinct_values(spark):
    w = Window.partitionBy("city")
    return spark.table("people").select(
        "id", F.max("age").over(w), F.stddev("score").over(w).alias("sd")
    )


def window_after_window(spark):
    w = Window.partitionBy("city").orderBy("id")
    return (
        spark.table("people")
        .withColumn("a", F.lag("age").over(w))
        .withColumn("b", F.lag("a").over(w))
        .withColumn("c", col("a") - col("b"))
    )


def deduplicated(spark):
    w = Window.partitionBy("person_id").orderBy(F.col("placed").desc(), F.col("order_id").desc())
    o = spark.table("orders")
    return (
        o.withColumn("_rn", F.row_number().over(w))
        .where(F.col("_rn") == 1)
        .drop("_rn")
        .select("order_id", "person_id")
    )


def window_on_other_case(spark):
    w = Window.partitionBy("CITY").orderBy("AGE")
    return spark.table("people").select(F.row_number().over(w))


def window_ancestor_columns(spark):
    p = spark.table("people")
    q = p.select("id", "city", "age")
    return q.withColumn("r", F.row_number().over(Window.partitionBy(p.city).orderBy(p.age, q.id)))


def time_windows(spark):
    return spark.table("events").groupBy(F.window("at", "10 minutes")).count()


def time_window_parts(spark):
    return (
        spark.table("events")
        .groupBy(F.window("at", "1 hour"), "kind")
        .agg(F.sum("value").alias("v"))
        .select("window.start", "window.end", "kind", "v")
    )
