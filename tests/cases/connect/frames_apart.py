"""Self-joins by frame: Spark Connect tells the two sides apart, a classic session does not."""

from pyspark.sql import functions as F


def self_join_alias_objects(spark):
    p = spark.table("people")
    a, b = p.alias("a"), p.alias("b")
    return a.join(b, a.id == b.age).select(a.name, b.name)


def self_join_derived_condition(spark):
    p = spark.table("people")
    top = p.groupBy("city").agg(F.max("age").alias("age"))
    return p.join(top, (p.city == top.city) & (p.age == top.age)).select(p.id, top.city)


def self_join_filtered(spark):
    p = spark.table("people")
    old, young = p.filter("age > 50"), p.filter("age < 20")
    return old.join(young, old.city == young.city).select(old.name, young.name)


def self_join_tables_twice(spark):
    a, b = spark.table("people"), spark.table("people")
    return a.join(b, a.id == b.age).select(a.id, b.id)


def join_on_window_result(spark):
    from pyspark.sql import Window

    o = spark.table("orders")
    ranked = o.withColumn(
        "r", F.row_number().over(Window.partitionBy("person_id").orderBy("day", "order_id"))
    )
    first, second = ranked.filter("r = 1"), ranked.filter("r = 2")
    return first.join(second, first.person_id == second.person_id, "left").select(
        first.order_id, second.order_id.alias("next")
    )
