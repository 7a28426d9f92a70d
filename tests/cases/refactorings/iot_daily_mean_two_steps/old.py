from pyspark.sql import functions as F

METRICS = ["temp", "hum"]


def build(spark, metrics=METRICS):
    readings = (
        spark.table("readings")
        .filter(F.col("metric").isin(metrics))
        .filter((F.col("quality") != 0) | F.col("quality").isNull())
        .withColumn("day", F.to_date("ts"))
    )
    daily = (
        readings.groupBy("device_id", "metric", "day")
        .agg(
            F.sum("value").alias("value_sum"),
            F.count("value").alias("value_n"),
            F.count("*").alias("n"),
            F.min("value").alias("low"),
            F.max("value").alias("high"),
        )
        .withColumn(
            "mean",
            F.when(
                F.col("value_n") > 0, (F.col("value_sum") / F.col("value_n")).cast("decimal(14,4)")
            ),
        )
        .withColumn("spread", F.col("high") - F.col("low"))
        .drop("value_sum")
    )
    return daily.join(spark.table("devices").select("device_id", "site_id"), "device_id").select(
        "site_id", "device_id", "metric", "day", "n", "value_n", "low", "high", "mean", "spread"
    )
