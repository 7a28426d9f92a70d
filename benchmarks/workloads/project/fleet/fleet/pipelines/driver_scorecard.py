"""Score of each active driver: harsh events per 100 km and overlong days."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fleet.lib.columns import fill_counts


def run(spark: SparkSession) -> DataFrame:
    drivers = spark.table("fleet_stg_drivers").where("is_active")
    shifts = (
        spark.table("fleet_driver_shifts")
        .groupBy("driver_id")
        .agg(
            F.sum("distance_km").alias("km"),
            F.count("*").alias("days"),
            F.sum(F.col("over_limit").cast("int")).alias("overlong_days"),
        )
    )
    harsh = spark.sql(
        "SELECT driver_id, SUM(severity) AS harsh_points, COUNT(*) AS harsh_events "
        "FROM fleet_harsh_events WHERE driver_id IS NOT NULL GROUP BY driver_id"
    )
    joined = drivers.join(shifts, "driver_id", "left").join(harsh, "driver_id", "left")
    joined = fill_counts(joined, "days", "overlong_days", "harsh_points", "harsh_events")

    per_100_km = F.when(
        F.col("km") > 0, F.round(F.col("harsh_points") * 100 / F.col("km"), 2).cast("decimal(12,2)")
    )
    scored = joined.withColumn("points_per_100_km", per_100_km)
    grade = (
        F.when(F.col("points_per_100_km").isNull(), "n/a")
        .when((F.col("points_per_100_km") < 1) & (F.col("overlong_days") == 0), "A")
        .when(F.col("points_per_100_km") < 3, "B")
        .otherwise("C")
    )
    df = scored.select(
        "driver_id",
        "driver_name",
        "home_region",
        "days",
        "km",
        "overlong_days",
        "harsh_events",
        "points_per_100_km",
        grade.alias("grade"),
    )
    df.write.mode("overwrite").saveAsTable("fleet_driver_scorecard")
    return df
