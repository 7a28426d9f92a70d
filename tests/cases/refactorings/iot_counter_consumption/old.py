from pyspark.sql import Window, functions as F


def build(spark):
    w = Window.partitionBy("device_id", "day").orderBy("ts")
    counters = spark.table("counters").withColumn("day", F.to_date("ts"))
    deltas = counters.withColumn("delta", F.col("counter") - F.lag("counter").over(w))
    daily = deltas.groupBy("device_id", "day").agg(
        F.coalesce(F.sum("delta"), F.lit(0)).alias("consumed"),
        F.count("*").alias("n_reads"),
        F.max("ts").alias("last_read"),
    )
    device_totals = daily.groupBy("device_id").agg(
        F.sum("consumed").alias("consumed"),
        F.sum("n_reads").alias("n_reads"),
        F.count("*").alias("n_days"),
        F.max("last_read").alias("last_read"),
    )
    per_site = (
        spark.table("devices")
        .join(device_totals, "device_id", "left")
        .join(spark.table("sites"), "site_id", "left")
        .groupBy("site_id", "site_name")
        .agg(
            F.count("*").alias("devices"),
            F.count("consumed").alias("reporting"),
            F.sum("consumed").alias("consumed"),
        )
    )
    return {"daily": daily, "per_site": per_site}
