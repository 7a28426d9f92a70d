"""Telemetry condensed to one row per vehicle and day."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

HARSH_TYPES = ["HARSH_BRAKE", "HARSH_TURN", "HARSH_ACCEL"]


def run(spark: SparkSession) -> DataFrame:
    events = spark.table("fleet_stg_telemetry")
    is_harsh = F.col("event_type").isin(*HARSH_TYPES)

    daily = events.groupBy("vehicle_id", "event_date").agg(
        F.count(F.lit(1)).alias("events"),
        F.sum(F.when(is_harsh, 1).otherwise(0)).alias("harsh_events"),
        F.max("speed_kmh").alias("max_speed_kmh"),
        F.min("odometer_km").alias("first_odometer_km"),
        F.max("odometer_km").alias("last_odometer_km"),
        F.min("fuel_level").alias("lowest_fuel"),
    )
    driven = F.col("last_odometer_km") - F.col("first_odometer_km")
    df = (
        daily.withColumn("driven_km", driven)
        .withColumn("low_fuel", F.coalesce(F.col("lowest_fuel") < 10, F.lit(False)))
        .withColumn("speeding", F.coalesce(F.col("max_speed_kmh") > 130, F.lit(False)))
        .drop("lowest_fuel")
    )
    df.write.mode("overwrite").saveAsTable("fleet_vehicle_days")
    return df
