from pyspark.sql import Window, functions as F


def build(spark):
    gen = (
        spark.table("generation")
        .withColumn("month", F.trunc("hour_ts", "month"))
        .withColumn("forecast", F.coalesce("forecast", F.lit(0).cast("decimal(12,3)")))
        .withColumn("bias", F.col("mwh") - F.col("forecast"))
        .withColumn("net", F.col("mwh") - F.col("curtailed"))
    )
    monthly = gen.groupBy("plant_id", "month").agg(
        F.sum("bias").alias("bias"),
        F.sum("net").alias("net"),
        F.count("*").alias("hours"),
    )
    w = Window.partitionBy("plant_id").orderBy("month")
    trend = (
        monthly.withColumn("net_ytd", F.sum("net").over(w).cast("decimal(23,3)"))
        .withColumn("prev_net", F.lag("net").over(w))
        .withColumn(
            "change", F.col("net") - F.coalesce(F.col("prev_net"), F.lit(0).cast("decimal(23,3)"))
        )
        .withColumn("months_so_far", F.count("*").over(w))
    )
    return trend.join(
        spark.table("plants").select("plant_id", "fuel", "region"), "plant_id", "left"
    ).select(
        "plant_id",
        "fuel",
        "region",
        "month",
        "hours",
        "bias",
        "net",
        "net_ytd",
        "change",
        "months_so_far",
    )
