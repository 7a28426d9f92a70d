from pyspark.sql import Window, functions as F

WINDOW_SIZE = 3


def smooth(df, size=WINDOW_SIZE):
    w = (
        Window.partitionBy("device_id", "metric")
        .orderBy("ts")
        .rowsBetween(-(size - 1), Window.currentRow)
    )
    return (
        df.withColumn("w_sum", F.sum("value").over(w))
        .withColumn("w_n", F.count("value").over(w))
        .withColumn(
            "smoothed",
            F.when(F.col("w_n") > 0, (F.col("w_sum") / F.col("w_n")).cast("decimal(12,3)")),
        )
    )


def build(spark):
    base = spark.table("readings").filter(F.coalesce(F.col("quality"), F.lit(1)) == 1)
    return smooth(base).select(
        "device_id",
        "metric",
        "ts",
        "value",
        "smoothed",
        (F.col("value") - F.col("smoothed")).alias("residual"),
    )
