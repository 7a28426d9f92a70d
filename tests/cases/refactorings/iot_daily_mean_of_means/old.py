from pyspark.sql import functions as F


def build(spark, metric="temp"):
    good = spark.table("readings").filter((F.col("metric") == metric) & F.col("value").isNotNull())
    per_device_day = (
        good.withColumn("day", F.to_date("ts"))
        .groupBy("device_id", "day")
        .agg(F.sum("value").alias("s"), F.count("*").alias("n"))
    )
    per_model_day = (
        per_device_day.join(spark.table("devices"), "device_id")
        .groupBy("model", "day")
        .agg(
            F.sum("s").cast("decimal(20,3)").alias("s"),
            F.sum("n").alias("n"),
            F.countDistinct("device_id").alias("devices"),
        )
    )
    return per_model_day.select(
        "model",
        "day",
        "devices",
        "n",
        (F.col("s") / F.col("n")).cast("decimal(12,3)").alias("mean_value"),
    )
