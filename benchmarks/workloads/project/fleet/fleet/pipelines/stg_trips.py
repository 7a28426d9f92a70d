"""Staging of trips: latest version of each trip, clean codes, common units."""

import logging

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fleet.lib.cleaning import canonical_status, latest_by
from fleet.lib.units import metres_to_km, minutes_between

log = logging.getLogger(__name__)

OUTPUT = [
    "trip_id",
    "vehicle_id",
    "driver_id",
    "customer_id",
    "started_at",
    "ended_at",
    "trip_date",
    "distance_km",
    "duration_min",
    "cargo_kg",
    "status",
    "price",
]


def run(spark: SparkSession) -> DataFrame:
    trips = spark.table("src_trips")
    latest = latest_by(trips, ["trip_id"], "version")

    # trips without a vehicle are planning stubs
    real = latest.where(F.col("vehicle_id").isNotNull())

    df = (
        real.withColumn("status", canonical_status("status"))
        .withColumn("distance_km", metres_to_km("distance_m"))
        .withColumn("duration_min", minutes_between("started_at", "ended_at"))
        .withColumn("trip_date", F.to_date("started_at"))
        .withColumn("cargo_kg", F.coalesce(F.col("cargo_kg"), F.lit(0)))
        .where(F.col("status") != "DRAFT")
        .select(*OUTPUT)
    )
    df.write.mode("overwrite").saveAsTable("fleet_stg_trips")
    return df
