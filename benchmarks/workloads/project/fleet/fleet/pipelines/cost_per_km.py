"""Maintenance cost per driven km, by vehicle and month."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fleet.lib.money import zero_if_null


def run(spark: SparkSession) -> DataFrame:
    costs = spark.table("fleet_maintenance_costs")
    odometer = spark.table("fleet_odometer_months")

    both = costs.join(odometer, ["vehicle_id", "month"], "full_outer")
    both = both.withColumn("total_cost", zero_if_null("total_cost"))

    cost_per_km = F.when(
        F.col("driven_km") > 0, F.round(F.col("total_cost") / F.col("driven_km"), 4).cast("decimal(14,4)")
    )
    active = spark.table("fleet_stg_vehicles").where(F.col("is_active"))
    df = (
        both.join(active.select("vehicle_id", "vehicle_class"), "vehicle_id", "inner")
        .withColumn("cost_per_km", cost_per_km)
        .withColumn("standing", F.coalesce(F.col("driven_km"), F.lit(0)) == 0)
        .select(
            "vehicle_id",
            "vehicle_class",
            "month",
            "total_cost",
            "driven_km",
            "cost_per_km",
            "standing",
        )
    )
    df.write.mode("overwrite").saveAsTable("fleet_cost_per_km")
    return df
