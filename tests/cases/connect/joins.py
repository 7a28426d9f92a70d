"""Joins: conditions, USING, self-joins, and what columns may be named afterwards."""

from pyspark.sql import functions as F
from pyspark.sql.functions import broadcast, col, expr


def on_condition(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.join(o, p.id == o.person_id)


def on_condition_select(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.join(o, p.id == o.person_id).select(p.id, o.amount, "status", p["name"])


def on_list_of_conditions(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.join(o, [p.id == o.person_id, o.quantity > p.age], "left").select("id", "order_id")


def on_string_condition_expr(spark):
    p, o = spark.table("people").alias("p"), spark.table("orders").alias("o")
    return p.join(o, expr("p.id = o.person_id AND o.quantity > 2"), "left")


def on_col_qualified(spark):
    p, o = spark.table("people").alias("p"), spark.table("orders").alias("o")
    return p.join(o, col("p.id") == col("o.person_id"), "inner").select("p.name", "o.amount")


def on_unqualified(spark):
    return spark.table("people").join(spark.table("orders"), col("id") == col("person_id"))


def on_table_names(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.join(o, expr("people.id = orders.person_id")).select("people.*", "orders.amount")


def left(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.join(o, p.id == o.person_id, "left")


def left_outer(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.join(o, p.id == o.person_id, how="left_outer")


def right(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.join(o, p.id == o.person_id, "right")


def full(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.join(o, p.id == o.person_id, "full")


def full_outer(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.join(o, p.id == o.person_id, "fullouter").select(F.coalesce(p.id, o.person_id))


def outer(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.join(o, p.id == o.person_id, "outer").filter(o.order_id.isNull())


def semi(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.join(o, p.id == o.person_id, "left_semi")


def leftsemi(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.join(o, p.id == o.person_id, "leftsemi").select(p.name)


def semi_short(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.join(o, (p.id == o.person_id) & (o.quantity > 3), "semi")


def anti(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.join(o, p.id == o.person_id, "left_anti")


def anti_using(spark):
    p, c = spark.table("people"), spark.table("cities")
    return p.join(c, "city", "anti")


def cross(spark):
    return spark.table("people").select("id").crossJoin(spark.table("cities").select("city"))


def cross_by_how(spark):
    return spark.table("people").select("id").join(spark.table("cities"), how="cross")


def no_condition(spark):
    return spark.table("people").select("id").join(spark.table("cities").select("country"))


def using(spark):
    return spark.table("people").join(spark.table("cities"), "city")


def using_list(spark):
    return spark.table("people").join(spark.table("cities"), ["city"])


def using_on(spark):
    return spark.table("people").join(spark.table("cities"), on="city", how="inner")


def using_left(spark):
    return spark.table("people").join(spark.table("cities"), "city", "left")


def using_right(spark):
    return spark.table("people").join(spark.table("cities"), "city", "right")


def using_full(spark):
    return spark.table("people").join(spark.table("cities"), "city", "full")


def using_semi(spark):
    return spark.table("people").join(spark.table("cities"), "city", "left_semi")


def using_two(spark):
    e, o = spark.table("events"), spark.table("orders").withColumn("id", col("order_id"))
    return e.join(o, ["id", "person_id"], "left")


def using_other_case(spark):
    return spark.table("people").join(spark.table("cities"), "CITY")


def using_then_left_key(spark):
    p, c = spark.table("people"), spark.table("cities")
    return p.join(c, "city").select(p.city, "country")


def using_then_right_key(spark):
    p, c = spark.table("people"), spark.table("cities")
    return p.join(c, "city").select(c.city, "id")


def using_left_then_right_key(spark):
    p, c = spark.table("people"), spark.table("cities")
    return p.join(c, "city", "left").select("city", c.city, p.city)


def using_left_then_right_key_filter(spark):
    p, c = spark.table("people"), spark.table("cities")
    return p.join(c, "city", "left").filter(c.city.isNull())


def using_right_then_left_key(spark):
    p, c = spark.table("people"), spark.table("cities")
    return p.join(c, "city", "right").select("city", p.city, c.city, "id")


def using_full_then_keys(spark):
    p, c = spark.table("people"), spark.table("cities")
    return p.join(c, "city", "full").select("city", p.city, c.city)


def using_full_then_filter(spark):
    p, c = spark.table("people"), spark.table("cities")
    return p.join(c, "city", "outer").filter(p.city.isNull()).select("city", "country")


def using_then_alias_keys(spark):
    p, c = spark.table("people").alias("p"), spark.table("cities").alias("c")
    return p.join(c, "city", "left").select("p.city", "c.country", "city")


def using_then_alias_right_key(spark):
    p, c = spark.table("people").alias("p"), spark.table("cities").alias("c")
    return p.join(c, "city", "left").select("c.city")


def using_then_alias_star(spark):
    p, c = spark.table("people").alias("p"), spark.table("cities").alias("c")
    return p.join(c, "city").select("p.*", "c.country")


def using_then_both_stars(spark):
    p, c = spark.table("people").alias("p"), spark.table("cities").alias("c")
    return p.join(c, "city", "left").select("c.*", "p.id")


def using_then_drop(spark):
    p, c = spark.table("people"), spark.table("cities")
    return p.join(c, "city", "left").drop("city", "country")


def using_then_drop_right(spark):
    p, c = spark.table("people"), spark.table("cities")
    return p.join(c, "city").drop(c.city)


def using_three(spark):
    p = spark.table("people").select("id", "name")
    e = spark.table("events").select("id", "kind")
    o = spark.table("orders").select(col("order_id").alias("id"), "amount")
    return p.join(e, "id").join(o, "id", "left")


def using_three_full(spark):
    p = spark.table("people").select("id", "name")
    e = spark.table("events").select("id", "kind")
    o = spark.table("orders").select(col("order_id").alias("id"), "amount")
    return p.join(e, "id", "full").join(o, "id", "full")


def using_with_types(spark):
    n = spark.table("numbers").select(col("i").alias("id"), "t")
    return spark.table("people").select("id", "name").join(n, "id", "full")


def drop_side_key(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.join(o, p.id == o.person_id).drop(o.person_id)


def drop_ambiguous_by_column(spark):
    p, e = spark.table("people"), spark.table("events")
    return p.join(e, p.id == e.person_id).drop(e.id)


def drop_ambiguous_by_name(spark):
    p, e = spark.table("people"), spark.table("events")
    return p.join(e, p.id == e.person_id).drop("id")


def ambiguous_by_frame(spark):
    p, e = spark.table("people"), spark.table("events")
    return p.join(e, p.id == e.person_id).select(p.id, e.id, e["kind"])


def ambiguous_renamed(spark):
    p, e = spark.table("people"), spark.table("events").withColumnRenamed("id", "event_id")
    return p.join(e, p.id == e.person_id).select("id", "event_id")


def ambiguous_with_column(spark):
    p, e = spark.table("people"), spark.table("events")
    return p.join(e, p.id == e.person_id).withColumn("x", p.id + e.id)


def ambiguous_kept(spark):
    p, e = spark.table("people"), spark.table("events")
    return p.join(e, p.id == e.person_id).filter(p.id > 1).filter(e.id < 9)


def ambiguous_grouped(spark):
    p, e = spark.table("people"), spark.table("events")
    return p.join(e, p.id == e.person_id).groupBy(p.id).agg(F.count(e.id).alias("n"))


def ambiguous_ordered(spark):
    p, e = spark.table("people"), spark.table("events")
    return p.join(e, p.id == e.person_id).orderBy(e.id, p.id)


def self_join_alias(spark):
    p = spark.table("people")
    return p.alias("a").join(p.alias("b"), col("a.id") == col("b.age")).select("a.name", "b.name")


def self_join_alias_string(spark):
    p = spark.table("people")
    return (
        p.alias("a")
        .join(p.alias("b"), expr("a.city = b.city AND a.id < b.id"))
        .select("a.id", col("b.id").alias("other"))
    )


def self_join_renamed(spark):
    p = spark.table("people")
    q = p.select(col("id").alias("other_id"), col("city").alias("other_city"))
    return p.join(q, p.city == q.other_city).filter(col("id") < col("other_id"))


def self_join_using(spark):
    p = spark.table("people")
    return p.select("id", "name").join(p.select("id", "age"), "id")


def self_join_derived(spark):
    p = spark.table("people")
    avg = p.groupBy("city").agg(F.avg("age").alias("mean"))
    return p.join(avg, "city").filter(col("age") > col("mean"))


def self_join_semi(spark):
    p = spark.table("people")
    ids = p.filter("active").select("id")
    return p.join(ids, "id", "left_semi")


def self_join_anti(spark):
    p = spark.table("people")
    return p.join(p.filter("active").select("city").distinct(), "city", "left_anti")


def self_join_two_levels(spark):
    p = spark.table("people").select("id", "city")
    pairs = (
        p.alias("a")
        .join(p.alias("b"), "city")
        .select(col("a.id").alias("x"), col("b.id").alias("y"))
    )
    return pairs.join(p, pairs.x == p.id).select("x", "y", "city")


def parent_of_both(spark):
    base = spark.table("orders").filter("quantity > 0")
    totals = base.groupBy("person_id").agg(F.sum("amount").alias("total"))
    counts = base.groupBy("person_id").agg(F.count("*").alias("n"))
    return totals.join(counts, "person_id").withColumn("mean", col("total") / col("n"))


def parent_of_both_conditions(spark):
    base = spark.table("orders")
    totals = base.groupBy("person_id").agg(F.sum("amount").alias("total"))
    firsts = base.groupBy("person_id").agg(F.min("day").alias("first"))
    return totals.join(firsts, totals.person_id == firsts.person_id, "left").select(
        totals.person_id, "total", firsts["first"]
    )


def union_of_parents(spark):
    p = spark.table("people")
    return p.filter("age > 3").union(p.filter("age < 1")).join(spark.table("cities"), "city")


def three_tables(spark):
    p, o, c = spark.table("people"), spark.table("orders"), spark.table("cities")
    return (
        p.join(o, p.id == o.person_id)
        .join(c, p.city == c.city, "left")
        .select(p.name, o.amount, c.country, p.city)
    )


def three_tables_alias(spark):
    return (
        spark.table("people")
        .alias("p")
        .join(spark.table("orders").alias("o"), F.col("p.id") == F.col("o.person_id"), "left")
        .join(spark.table("cities").alias("c"), F.col("p.city") == F.col("c.city"), "left")
        .select("p.*", "o.order_id", "c.country")
    )


def condition_is_null_safe(spark):
    p, c = spark.table("people"), spark.table("cities")
    return p.join(c, p.city.eqNullSafe(c.city))


def condition_range(spark):
    p, n = spark.table("people"), spark.table("numbers")
    return p.join(n, (n.i >= p.age) & (n.i < p.age + 10), "left").select("id", "i")


def condition_true(spark):
    return (
        spark.table("people").select("id").join(spark.table("cities").select("city"), F.lit(True))
    )


def condition_of_types(spark):
    p, n = spark.table("people"), spark.table("numbers")
    return p.join(n, p.id == n.i).select("id", "i", "t")


def condition_with_function(spark):
    p, c = spark.table("people"), spark.table("cities")
    return p.join(c, F.lower(p.city) == F.lower(F.trim(c.city))).select("id", "country")


def broadcast_right(spark):
    return spark.table("people").join(broadcast(spark.table("cities")), "city", "left")


def hint_join(spark):
    return spark.table("people").join(spark.table("cities").hint("broadcast"), "city")


def hint_merge(spark):
    return spark.table("people").hint("merge").join(spark.table("cities"), "city")


def join_then_with_column(spark):
    p, c = spark.table("people"), spark.table("cities")
    return (
        p.join(c, p.city == c.city, "left")
        .withColumn("known", c.city.isNotNull())
        .drop(c.city)
        .withColumn("city", F.upper("city"))
    )


def join_then_group(spark):
    p, o = spark.table("people"), spark.table("orders")
    return (
        p.join(o, p.id == o.person_id, "left")
        .groupBy(p.city, "status")
        .agg(F.sum(o.amount).alias("total"), F.countDistinct(p.id))
    )


def join_then_distinct(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.join(o, p.id == o.person_id).select("name", "status").distinct()


def join_reference_through_rename(spark):
    p, o = spark.table("people"), spark.table("orders").withColumnRenamed("person_id", "pid")
    return p.join(o, p.id == o.pid, "left").select(o["*"], p.name)


def join_frame_star(spark):
    p, o = spark.table("people"), spark.table("orders")
    return p.join(o, p.id == o.person_id).select(o["*"])


def join_both_frame_stars(spark):
    p, c = spark.table("people"), spark.table("cities")
    return p.join(c, p.city == c.city).select(p["*"], c["country"])


def join_on_struct_field(spark):
    e, c = spark.table("events"), spark.table("cities")
    return e.join(c, e.place.city == c.city).select("id", "country", "place.lat")


def lateral_explode(spark):
    e = spark.table("events")
    return e.lateralJoin(spark.tvf.explode(col("items").outer())).select("id", "col.sku")


def lateral_query(spark):
    p, o = spark.table("people").alias("p"), spark.table("orders")
    return p.lateralJoin(o.where(col("person_id") == col("p.id").outer()).select("amount")).select(
        "p.id", "amount"
    )


def natural_by_columns(spark):
    a = spark.table("people").select("id", "city")
    b = spark.table("events").select("id", col("place.city").alias("city"))
    return a.join(b, [c for c in a.columns if c in b.columns])


def asof_like(spark):
    o, e = spark.table("orders"), spark.table("events")
    return (
        o.join(e, (o.person_id == e.person_id) & (e.at <= o.placed), "left")
        .groupBy("order_id")
        .agg(F.max("at").alias("last"))
    )


def same_frame_chain(spark):
    p = spark.table("people")
    return p.join(p.select("id", F.upper("name").alias("big")), "id").join(
        p.select("id", F.length("name").alias("n")), "id", "left"
    )


def join_condition_after_with_column(spark):
    p = spark.table("people").withColumn("key", F.lower("city"))
    c = spark.table("cities").withColumn("key", F.lower("city"))
    return p.join(c, p.key == c.key).select(p.id, c.city)


def join_on_ancestor_column(spark):
    p, o = spark.table("people"), spark.table("orders")
    q = p.filter("age > 3").withColumn("x", F.lit(1))
    return q.join(o, p.id == o.person_id).select(p.name, q.x, o.amount)
