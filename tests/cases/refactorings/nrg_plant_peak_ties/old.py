from pyspark.sql import Window, functions as F


def build(spark):
    w = Window.partitionBy("plant_id").orderBy(F.col("mwh").desc(), F.col("hour_ts"))
    peaks = (
        spark.table("generation")
        .withColumn("rn", F.row_number().over(w))
        .filter("rn = 1")
        .select("plant_id", "hour_ts", "mwh", "curtailed")
    )
    by_owner = (
        spark.table("plants")
        .join(peaks, "plant_id")
        .groupBy("owner")
        .agg(
            F.sum("mwh").alias("sum_of_peaks"),
            F.sum("curtailed").alias("curtailed_at_peak"),
            F.countDistinct("plant_id").alias("plants"),
        )
    )
    return by_owner.filter(F.col("plants") > 0)
