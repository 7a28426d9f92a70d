"""Times between two trips in which a vehicle stood still."""

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from fleet.lib.units import minutes_between, month_of

MIN_IDLE_MINUTES = 60


def run(spark: SparkSession) -> DataFrame:
    trips = spark.table("fleet_stg_trips")
    trips = trips.where(~F.col("status").isin("CANCELLED", "UNKNOWN"))
    trips = trips.where(F.col("ended_at").isNotNull())

    in_order = Window.partitionBy("vehicle_id").orderBy("started_at", "trip_id")
    previous = F.lag("ended_at").over(in_order)

    gaps = (
        trips.select("vehicle_id", "trip_id", "started_at", previous.alias("idle_from"))
        .withColumnRenamed("started_at", "idle_until")
        .withColumn("idle_min", minutes_between("idle_from", "idle_until"))
    )
    long_gaps = gaps.filter(F.col("idle_min") >= MIN_IDLE_MINUTES)
    df = long_gaps.select(
        "vehicle_id",
        F.col("trip_id").alias("next_trip_id"),
        "idle_from",
        "idle_until",
        month_of("idle_from").alias("month"),
        "idle_min",
        (F.to_date("idle_from") != F.to_date("idle_until")).alias("overnight"),
    )
    df.write.mode("overwrite").saveAsTable("fleet_idle_periods")
    return df
