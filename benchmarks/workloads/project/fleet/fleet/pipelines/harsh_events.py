"""Harsh driving events, attributed to the driver of the trip that was under way."""

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType


def severity(event_type, speed):
    """1 (mild) to 3 (dangerous)."""
    if speed is None:
        return 1
    if event_type == "HARSH_BRAKE" and speed > 80:
        return 3
    if speed > 50:
        return 2
    return 1


severity_udf = F.udf(severity, IntegerType())


def run(spark: SparkSession) -> DataFrame:
    events = spark.table("fleet_stg_telemetry").where(F.col("event_type").startswith("HARSH_"))
    trips = spark.table("fleet_trip_facts").select(
        "trip_id", "vehicle_id", "driver_id", "started_at", "ended_at"
    )
    under_way = (
        (F.col("e.vehicle_id") == F.col("t.vehicle_id"))
        & (F.col("e.event_ts") >= F.col("t.started_at"))
        & (F.col("e.event_ts") < F.col("t.ended_at"))
    )
    matched = events.alias("e").join(trips.alias("t"), under_way, "left")

    # overlapping trips: the one that started last wins
    best = Window.partitionBy("e.event_id").orderBy(
        F.col("t.started_at").desc(), F.col("t.trip_id").desc()
    )
    ranked = matched.withColumn("rn", F.row_number().over(best)).where(F.col("rn") == 1)
    df = ranked.select(
        "e.event_id",
        "e.vehicle_id",
        "e.event_date",
        "e.event_type",
        "e.speed_kmh",
        "t.trip_id",
        "t.driver_id",
        severity_udf("e.event_type", "e.speed_kmh").alias("severity"),
    )
    df.write.mode("overwrite").saveAsTable("fleet_harsh_events")
    return df
