from pyspark.sql import Window, functions as F


def build(spark):
    day = Window.partitionBy("device_id", "metric", "day")
    ordered = day.orderBy("ts")
    enriched = (
        spark.table("readings")
        .filter(F.col("value").isNotNull())
        .withColumn("day", F.to_date("ts"))
        .withColumn("opening", F.first("value").over(ordered))
        .withColumn(
            "closing",
            F.last("value").over(
                ordered.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
            ),
        )
        .withColumn("n_in_day", F.count("*").over(day))
        .withColumn("drift", F.col("closing") - F.col("opening"))
    )
    return enriched.join(
        spark.table("devices").select("device_id", "model"), "device_id", "left"
    ).select(
        "device_id", "model", "metric", "ts", "value", "opening", "closing", "drift", "n_in_day"
    )
