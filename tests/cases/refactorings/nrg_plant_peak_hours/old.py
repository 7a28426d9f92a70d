from pyspark.sql import Window, functions as F


def build(spark, min_peak="1.500"):
    w = Window.partitionBy("plant_id").orderBy(F.col("mwh").desc(), F.col("hour_ts").asc())
    stats = Window.partitionBy("plant_id")
    peaks = (
        spark.table("generation")
        .withColumn("hours", F.count("*").over(stats))
        .withColumn("total_mwh", F.sum("mwh").over(stats))
        .withColumn("rn", F.row_number().over(w))
        .filter(F.col("rn") == 1)
        .filter(F.col("mwh") >= F.lit(min_peak).cast("decimal(12,3)"))
        .select(
            "plant_id",
            F.col("hour_ts").alias("peak_hour"),
            F.col("mwh").alias("peak_mwh"),
            "hours",
            "total_mwh",
        )
    )
    named = spark.table("plants").join(peaks, "plant_id", "left")
    by_fuel = named.groupBy("fuel").agg(
        F.max("peak_mwh").alias("peak_mwh"),
        F.sum("hours").alias("hours"),
        F.count("peak_hour").alias("plants_with_peak"),
    )
    return {"peaks": named, "by_fuel": by_fuel}
