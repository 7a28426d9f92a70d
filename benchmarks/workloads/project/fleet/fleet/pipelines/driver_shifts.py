"""Working days of the drivers, with the running total of the ISO week."""

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from fleet.lib.units import minutes_between

MAX_DAY_MINUTES = 9 * 60


def run(spark: SparkSession) -> DataFrame:
    trips = spark.table("fleet_trip_facts")
    driven = trips.where(F.col("driver_id").isNotNull())
    driven = driven.where(F.col("ended_at").isNotNull())

    days = driven.groupBy("driver_id", "trip_date").agg(
        F.count("trip_id").alias("trips"),
        F.min("started_at").alias("shift_start"),
        F.max("ended_at").alias("shift_end"),
        F.sum("duration_min").alias("drive_min"),
        F.sum("distance_km").alias("distance_km"),
    )
    days = days.withColumn("week_start", F.date_trunc("week", "trip_date").cast("date"))
    week_so_far = (
        Window.partitionBy("driver_id", "week_start")
        .orderBy("trip_date")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    df = days.select(
        "driver_id",
        "trip_date",
        "week_start",
        "trips",
        "shift_start",
        "shift_end",
        minutes_between("shift_start", "shift_end").alias("shift_min"),
        "drive_min",
        "distance_km",
        F.sum("drive_min").over(week_so_far).alias("week_drive_min"),
        (F.col("drive_min") > MAX_DAY_MINUTES).alias("over_limit"),
    )
    df.write.mode("overwrite").saveAsTable("fleet_driver_shifts")
    return df
