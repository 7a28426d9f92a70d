"""Staging of vehicles, enriched by their depot."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fleet.lib.cleaning import flag, normalise_code, trim_to_null


def vehicle_class():
    """Vans and trucks are told apart by what they may carry."""
    capacity = F.col("capacity_kg")
    return (
        F.when(F.col("vehicle_type") == "CAR", "car")
        .when(capacity <= 3500, "van")
        .when(capacity > 3500, "truck")
        .otherwise("other")
    )


def run(spark: SparkSession) -> DataFrame:
    vehicles = (
        spark.table("src_vehicles")
        .withColumn("vehicle_type", normalise_code("vehicle_type"))
        .withColumn("plate", trim_to_null("plate"))
        .withColumn("is_electric", flag("is_electric"))
        .withColumn("is_active", F.col("retired_on").isNull())
    )
    depots = spark.table("src_depots")
    df = (
        vehicles.alias("v")
        .join(depots.alias("d"), F.col("v.depot_id") == F.col("d.depot_id"), "left")
        .select(
            "v.vehicle_id",
            "v.plate",
            vehicle_class().alias("vehicle_class"),
            "v.capacity_kg",
            "v.is_electric",
            "v.is_active",
            F.year("v.purchased_on").alias("model_year"),
            "v.depot_id",
            F.coalesce("d.depot_name", F.lit("UNASSIGNED")).alias("depot_name"),
            "d.region",
        )
    )
    df.write.mode("overwrite").saveAsTable("fleet_stg_vehicles")
    return df
