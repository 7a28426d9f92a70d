# title: the model mean is now the average of the device means, not weighted by the number of readings of each device
# expect: inequivalent
# kind: avg of avgs
from pyspark.sql import functions as F


def build(spark, metric="temp"):
    device_day = (
        spark.table("readings")
        .where(f"metric = '{metric}' AND value IS NOT NULL")
        .groupBy("device_id", F.to_date("ts").alias("day"))
        .agg(F.avg("value").alias("mean_value"), F.count("value").alias("n"))
    )
    return (
        device_day.join(spark.table("devices").select("device_id", "model"), "device_id")
        .groupBy("model", "day")
        .agg(
            F.count("device_id").alias("devices"),
            F.sum("n").alias("n"),
            F.avg("mean_value").cast("decimal(12,3)").alias("mean_value"),
        )
    )
