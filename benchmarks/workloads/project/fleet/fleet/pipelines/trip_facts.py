"""One row per completed trip with everything the marts need."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fleet.lib.columns import with_month
from fleet.lib.money import apply_discount
from fleet.lib.units import ratio_pct


def run(spark: SparkSession) -> DataFrame:
    trips = spark.table("fleet_stg_trips").where(F.col("status") == "COMPLETED")
    vehicles = spark.table("fleet_stg_vehicles").select(
        "vehicle_id", "vehicle_class", "capacity_kg", "depot_id"
    )
    customers = spark.table("fleet_stg_customers").select("customer_id", "segment", "discount_pct")

    joined = trips.join(vehicles, "vehicle_id", "inner").join(customers, "customer_id", "left")
    measured = (
        joined.withColumn("revenue", apply_discount(F.col("price"), F.col("discount_pct")))
        .withColumn("load_pct", ratio_pct(F.col("cargo_kg"), F.col("capacity_kg")))
        .withColumn("is_long_haul", F.coalesce(F.col("distance_km") >= 150, F.lit(False)))
    )
    df = with_month(measured, "trip_date").select(
        "trip_id",
        "vehicle_id",
        "driver_id",
        "customer_id",
        "depot_id",
        "vehicle_class",
        "segment",
        "trip_date",
        "month",
        "started_at",
        "ended_at",
        "distance_km",
        "duration_min",
        "load_pct",
        "is_long_haul",
        "revenue",
    )
    df.write.mode("overwrite").saveAsTable("fleet_trip_facts")
    return df
