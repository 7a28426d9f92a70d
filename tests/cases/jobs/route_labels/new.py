# title: The label is built with concat instead of concat_ws, so a missing part makes it null.
# expect: inequivalent

from pyspark.sql import functions as F

CITY_COLUMNS = ("origin", "via", "destination")


def with_label(df):
    return df.withColumn(
        "label", F.concat("origin", F.lit(" > "), "via", F.lit(" > "), "destination")
    )


def build(spark):
    routes = spark.table("routes").filter(F.col("distance_km") > 0)
    for name in CITY_COLUMNS:
        routes = routes.withColumn(name, F.initcap(F.trim(F.col(name))))
    routes = routes.transform(with_label).drop(*CITY_COLUMNS)

    departures = (
        spark.table("departures")
        .withColumn("is_weekend", F.dayofweek("departs_at").isin(1, 7))
        .filter(F.col("vehicle").isNotNull())
    )
    stats = departures.groupBy("route_id", "is_weekend").agg(
        F.count("*").alias("departures"),
        F.max("load_percent").alias("peak_load"),
        F.sort_array(F.collect_set("vehicle")).alias("vehicles"),
    )
    report = (
        routes.join(stats, "route_id", "left")
        .withColumn("vehicles", F.concat_ws("|", "vehicles"))
        .withColumn("departures", F.coalesce(F.col("departures"), F.lit(0)))
        .withColumn("is_full", F.col("peak_load") >= 95)
    )
    report.write.mode("overwrite").parquet("out/route_report")
