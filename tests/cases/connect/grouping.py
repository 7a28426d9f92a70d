"""Groups: aggregates and the names they give, rollup, cube, grouping sets, pivot."""

from pyspark.sql import functions as F
from pyspark.sql.functions import col, expr, lit


def count_rows(spark):
    return spark.table("people").groupBy("city").count()


def count_rows_of_two(spark):
    return spark.table("people").groupBy("city", "active").count()


def group_by_list(spark):
    return spark.table("people").groupBy(["city", "active"]).count()


def group_by_col(spark):
    return spark.table("people").groupBy(col("city")).count()


def group_by_attribute(spark):
    p = spark.table("people")
    return p.groupBy(p.city, p["active"]).agg(F.max(p.age))


def group_by_other_case(spark):
    return spark.table("people").groupBy("CITY").count()


def group_by_expression(spark):
    return spark.table("people").groupBy(col("age") % 10).count()


def group_by_aliased_expression(spark):
    return spark.table("people").groupBy((col("age") % 10).alias("digit")).agg(F.sum("id"))


def group_by_function(spark):
    return spark.table("orders").groupBy(F.year("day"), F.month("day").alias("m")).count()


def group_by_nothing(spark):
    return spark.table("people").groupBy().count()


def group_by_nothing_agg(spark):
    return spark.table("people").groupBy().agg(F.max("age"), F.min("name"))


def group_by_ordinal(spark):
    return spark.table("people").groupBy(lit(1)).count()


def groupby_lower(spark):
    return spark.table("people").groupby("city").agg({"age": "max", "id": "count"})


def agg_all(spark):
    return spark.table("people").agg(F.sum("age"), F.avg("age"), F.count("*"), F.count(lit(1)))


def agg_dict(spark):
    return spark.table("people").agg({"age": "max"})


def agg_dict_star(spark):
    return spark.table("people").groupBy("city").agg({"*": "count"})


def agg_dict_many(spark):
    return spark.table("sales").groupBy("region").agg({"units": "avg", "price": "sum"})


def agg_sum(spark):
    return spark.table("sales").groupBy("region").sum("units", "price")


def agg_sum_all(spark):
    return spark.table("sales").groupBy("region").sum()


def agg_avg(spark):
    return spark.table("sales").groupBy("region").avg("units", "cost")


def agg_mean(spark):
    return spark.table("sales").groupBy("region").mean("price")


def agg_max(spark):
    return spark.table("sales").groupBy("region", "year").max("units")


def agg_min_all(spark):
    return spark.table("sales").groupBy("region").min()


def agg_names(spark):
    return (
        spark.table("sales")
        .groupBy("region")
        .agg(
            F.sum("units"),
            F.sum(col("units")),
            F.sum(col("units") * col("price")),
            F.avg("cost"),
            F.mean("units"),
            F.max("product"),
            F.min("year"),
            F.count("ok"),
            F.count("*"),
            F.first("product"),
            F.last("product", ignorenulls=True),
        )
    )


def agg_distinct_names(spark):
    return (
        spark.table("sales")
        .groupBy("region")
        .agg(
            F.countDistinct("product"),
            F.count_distinct("product", "year"),
            F.sum_distinct("units"),
            F.expr("count(DISTINCT quarter)"),
            F.expr("avg(DISTINCT units)"),
        )
    )


def agg_collect(spark):
    return (
        spark.table("sales")
        .groupBy("region")
        .agg(
            F.collect_list("product"), F.collect_set("year").alias("years"), F.array_agg("quarter")
        )
    )


def agg_sorted_collect(spark):
    return (
        spark.table("sales")
        .groupBy("region")
        .agg(
            F.sort_array(F.collect_set("product")).alias("products"),
            F.size(F.collect_set("year")).alias("n"),
            F.concat_ws(",", F.sort_array(F.collect_list("product"))).alias("text"),
        )
    )


def agg_statistics(spark):
    return (
        spark.table("sales")
        .groupBy("region")
        .agg(
            F.stddev("units"),
            F.variance("units"),
            F.stddev_pop("cost"),
            F.var_pop("cost"),
            F.corr("units", "year"),
            F.covar_samp("units", "year"),
            F.skewness("units"),
            F.kurtosis("units"),
        )
    )


def agg_percentiles(spark):
    return (
        spark.table("sales")
        .groupBy("region")
        .agg(
            F.percentile_approx("units", 0.5),
            F.percentile("units", 0.25),
            F.median("units"),
            F.mode("product"),
        )
    )


def agg_bool(spark):
    return (
        spark.table("sales")
        .groupBy("region")
        .agg(
            F.bool_and("ok"),
            F.every("ok"),
            F.bool_or("ok"),
            F.some("ok"),
            F.count_if(col("units") > 3),
        )
    )


def agg_max_by(spark):
    return (
        spark.table("sales")
        .groupBy("region")
        .agg(F.max_by("product", "units"), F.min_by("product", "units").alias("least"))
    )


def agg_any_value(spark):
    return spark.table("sales").groupBy("region").agg(F.any_value("product"), F.first("year", True))


def agg_approx(spark):
    return spark.table("sales").groupBy("region").agg(F.approx_count_distinct("product"))


def agg_bits(spark):
    return (
        spark.table("sales")
        .groupBy("region")
        .agg(F.bit_and("units"), F.bit_or("units"), F.bit_xor("units"))
    )


def agg_product(spark):
    return spark.table("sales").groupBy("region").agg(F.product("units").alias("p"))


def agg_listagg(spark):
    return spark.table("sales").groupBy("region").agg(F.listagg("product", lit(",")).alias("p"))


def agg_conditional(spark):
    return (
        spark.table("sales")
        .groupBy("region")
        .agg(
            F.sum(F.when(col("year") == 2024, col("units"))).alias("now"),
            F.sum(F.when(col("year") == 2023, col("units")).otherwise(0)).alias("before"),
            F.count(F.when(col("ok"), 1)).alias("good"),
        )
    )


def agg_arithmetic(spark):
    return (
        spark.table("sales")
        .groupBy("region")
        .agg(
            (F.sum("units") / F.count("*")).alias("mean"),
            (F.max("price") - F.min("price")).alias("spread"),
            F.round(F.avg("price"), 2).alias("rounded"),
            F.sum("units") + 1,
        )
    )


def agg_key_arithmetic(spark):
    return spark.table("sales").groupBy("year").agg((F.sum("units") + col("year")).alias("x"))


def agg_filter_clause(spark):
    return (
        spark.table("sales")
        .groupBy("region")
        .agg(
            expr("sum(units) FILTER (WHERE ok)"),
            expr("count(*) FILTER (WHERE year > 2020) AS late"),
        )
    )


def agg_of_types(spark):
    n = spark.table("numbers")
    return n.agg(
        F.sum("b"),
        F.sum("s"),
        F.sum("i"),
        F.sum("l"),
        F.sum("f"),
        F.sum("d"),
        F.sum("m"),
        F.avg("b"),
        F.avg("m"),
        F.avg("f"),
        F.max("ts"),
        F.min("dt"),
        F.max("x"),
    )


def agg_literal(spark):
    return spark.table("sales").groupBy("region").agg(lit(1).alias("one"), F.sum(lit(2)))


def having(spark):
    return spark.table("sales").groupBy("region").agg(F.sum("units").alias("n")).filter("n > 10")


def having_generated_name(spark):
    return spark.table("sales").groupBy("region").sum("units").filter(col("sum(units)") > 10)


def having_count(spark):
    return spark.table("sales").groupBy("region").count().where("count > 1")


def having_count_attribute(spark):
    df = spark.table("sales").groupBy("region").count()
    return df.filter(df["count"] > 1).orderBy(df["count"].desc(), "region")


def having_unselected(spark):
    return (
        spark.table("sales")
        .groupBy("region")
        .agg(F.sum("units").alias("n"))
        .filter(F.max("year") > 2020)
    )


def order_by_aggregate(spark):
    return (
        spark.table("sales")
        .groupBy("region")
        .agg(F.sum("units").alias("n"))
        .orderBy(F.max("year").desc())
    )


def group_twice(spark):
    return (
        spark.table("sales")
        .groupBy("region", "year")
        .agg(F.sum("units").alias("n"))
        .groupBy("region")
        .agg(F.avg("n").alias("mean"), F.max("n"))
    )


def group_renamed(spark):
    df = spark.table("sales").groupBy("region").agg(F.sum("units"))
    return df.withColumnRenamed("sum(units)", "total")


def group_drop(spark):
    return spark.table("sales").groupBy("region", "year").count().drop("year")


def group_after_with_column(spark):
    return (
        spark.table("people")
        .withColumn("band", F.when(col("age") > 50, "old").otherwise("young"))
        .groupBy("band")
        .agg(F.avg("score"), F.count("*").alias("n"))
    )


def group_by_ancestor_column(spark):
    p = spark.table("people")
    q = p.filter("age > 3")
    return q.groupBy(p.city).agg(F.max(p.age).alias("oldest"))


def group_key_is_struct_field(spark):
    return spark.table("events").groupBy("place.city").count()


def group_key_is_item(spark):
    return spark.table("events").groupBy(col("props")["a"]).count()


def group_no_aggregates(spark):
    return spark.table("sales").groupBy("region").agg(F.lit("x").alias("x"))


def rollup(spark):
    return spark.table("sales").rollup("region", "product").agg(F.sum("units"))


def rollup_count(spark):
    return spark.table("sales").rollup("region").count()


def rollup_columns(spark):
    s = spark.table("sales")
    return s.rollup(s.region, (s.year + 1).alias("y")).agg(F.sum("units").alias("n"), F.count("*"))


def rollup_grouping(spark):
    return (
        spark.table("sales")
        .rollup("region", "product")
        .agg(
            F.grouping("region"), F.grouping("product").alias("g"), F.grouping_id(), F.sum("units")
        )
    )


def rollup_grouping_id_of(spark):
    return spark.table("sales").rollup("region", "product").agg(F.grouping_id("region", "product"))


def rollup_key_used(spark):
    return (
        spark.table("sales").rollup("region", "year").agg(F.max("year").alias("m"), F.sum("units"))
    )


def rollup_filtered(spark):
    return (
        spark.table("sales")
        .rollup("region")
        .agg(F.sum("units").alias("n"))
        .filter(col("region").isNotNull())
    )


def cube(spark):
    return spark.table("sales").cube("region", "product").agg(F.sum("units").alias("n"))


def cube_count(spark):
    return spark.table("sales").cube("region", "year").count()


def cube_grouping(spark):
    return (
        spark.table("sales")
        .cube("region", "year")
        .agg(F.grouping("region"), F.grouping_id(), F.max("price"))
    )


def grouping_sets(spark):
    return (
        spark.table("sales")
        .groupingSets([["region"], ["product"], []], "region", "product")
        .agg(F.sum("units"))
    )


def grouping_sets_columns(spark):
    s = spark.table("sales")
    return s.groupingSets([[s.region, s.year], [s.region]], s.region, s.year).agg(
        F.grouping_id(), F.count("*").alias("n")
    )


def pivot(spark):
    return spark.table("sales").groupBy("region").pivot("year", [2023, 2024]).agg(F.sum("units"))


def pivot_sum(spark):
    return spark.table("sales").groupBy("region").pivot("year", [2023, 2024]).sum("units")


def pivot_count(spark):
    return spark.table("sales").groupBy("region").pivot("product", ["a", "b c"]).count()


def pivot_aliased(spark):
    return (
        spark.table("sales")
        .groupBy("region")
        .pivot("year", [2023, 2024])
        .agg(F.sum("units").alias("n"))
    )


def pivot_two_aggregates(spark):
    return (
        spark.table("sales")
        .groupBy("region")
        .pivot("year", [2023, 2024])
        .agg(F.sum("units").alias("n"), F.max("price").alias("top"))
    )


def pivot_unnamed_aggregates(spark):
    return (
        spark.table("sales")
        .groupBy("region")
        .pivot("quarter", [1, 2])
        .agg(F.sum("units"), F.avg("price"))
    )


def pivot_booleans(spark):
    return spark.table("sales").groupBy("region").pivot("ok", [True, False]).agg(F.sum("units"))


def pivot_on_column(spark):
    return spark.table("sales").groupBy("region").pivot("product", ["a"]).agg(F.first("units"))


def pivot_then(spark):
    return (
        spark.table("sales")
        .groupBy("region", "year")
        .pivot("product", ["a", "b"])
        .agg(F.sum("units"))
        .fillna(0)
        .withColumn("both", col("a") + col("b"))
    )


def pivot_without_groups(spark):
    return spark.table("sales").groupBy().pivot("product", ["a", "b"]).agg(F.count(lit(1)))


def pivot_float_values(spark):
    return spark.table("numbers").groupBy("i").pivot("d", [0.5, 1.0]).agg(F.count("t"))


def pivot_strings_with_null(spark):
    return spark.table("sales").groupBy("region").pivot("product", ["a", "A"]).agg(F.max("units"))
