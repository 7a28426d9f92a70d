"""How much each vehicle was used per month, and its rank within the depot."""

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from fleet.lib.columns import fill_counts
from fleet.lib.units import ratio_pct


def run(spark: SparkSession) -> DataFrame:
    trips = spark.table("fleet_trip_facts")
    busy = trips.groupBy("vehicle_id", "depot_id", "month").agg(
        F.count("*").alias("trips"),
        F.sum("distance_km").alias("km"),
        F.sum("duration_min").alias("busy_min"),
        F.countDistinct("driver_id").alias("drivers"),
        F.countDistinct("trip_date").alias("days_used"),
    )
    idle = (
        spark.table("fleet_idle_periods")
        .groupBy("vehicle_id", "month")
        .agg(F.sum("idle_min").alias("idle_min"), F.count("*").alias("idle_periods"))
    )
    joined = busy.join(idle, ["vehicle_id", "month"], "left")
    joined = fill_counts(joined, "busy_min", "idle_min", "idle_periods")
    total = F.col("busy_min") + F.col("idle_min")

    by_depot = Window.partitionBy("depot_id", "month").orderBy(F.col("busy_min").desc())
    df = joined.select(
        "vehicle_id",
        "depot_id",
        "month",
        "trips",
        F.coalesce("km", F.lit(0)).cast("decimal(22,3)").alias("km"),
        "busy_min",
        "idle_min",
        "idle_periods",
        "drivers",
        "days_used",
        ratio_pct(F.col("busy_min"), total).alias("utilisation_pct"),
        F.rank().over(by_depot).alias("rank_in_depot"),
    )
    df.write.mode("overwrite").saveAsTable("fleet_vehicle_utilisation")
    return df
