# title: row_number = 1 by (mwh desc, hour_ts) as a join with the group's maximum and the earliest hour among the maxima; window statistics from the same group by
# expect: equivalent
# kind: latest per key
from pyspark.sql import functions as F


def build(spark, min_peak="1.500"):
    gen = spark.table("generation")
    stats = gen.groupBy("plant_id").agg(
        F.max("mwh").alias("peak_mwh"),
        F.count("*").alias("hours"),
        F.sum("mwh").alias("total_mwh"),
    )
    peak_hours = (
        gen.alias("g")
        .join(
            stats.alias("s"),
            (F.col("g.plant_id") == F.col("s.plant_id")) & (F.col("g.mwh") == F.col("s.peak_mwh")),
        )
        .groupBy("s.plant_id", "s.peak_mwh", "s.hours", "s.total_mwh")
        .agg(F.min("g.hour_ts").alias("peak_hour"))
        .where(f"peak_mwh >= cast('{min_peak}' AS decimal(12,3))")
        .select("plant_id", "peak_hour", "peak_mwh", "hours", "total_mwh")
    )
    named = spark.table("plants").join(peak_hours, "plant_id", "left")
    named.createOrReplaceTempView("plant_peaks")
    by_fuel = spark.sql("""
        SELECT fuel, max(peak_mwh) AS peak_mwh, sum(hours) AS hours,
               count_if(peak_hour IS NOT NULL) AS plants_with_peak
        FROM plant_peaks
        GROUP BY fuel
    """)
    return {"peaks": named, "by_fuel": by_fuel}
