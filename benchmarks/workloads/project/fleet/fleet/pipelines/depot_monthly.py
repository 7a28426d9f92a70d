"""Monthly figures of the depots."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fleet.lib.money import zero_if_null
from fleet.lib.units import ratio_pct


def run(spark: SparkSession) -> DataFrame:
    usage = spark.table("fleet_vehicle_utilisation").where(F.col("depot_id").isNotNull())
    per_depot = usage.groupBy("depot_id", "month").agg(
        F.count("vehicle_id").alias("vehicles"),
        F.sum("trips").alias("trips"),
        F.sum("km").alias("km"),
        F.sum("busy_min").alias("busy_min"),
        F.sum("idle_min").alias("idle_min"),
    )
    costs = spark.sql(
        """
        SELECT v.depot_id, c.month, SUM(c.total_cost) AS maintenance_eur
        FROM fleet_maintenance_costs c
        JOIN fleet_stg_vehicles v ON v.vehicle_id = c.vehicle_id
        GROUP BY v.depot_id, c.month
        """
    )
    depots = spark.table("src_depots").select("depot_id", "depot_name", "region")

    df = (
        per_depot.join(costs, ["depot_id", "month"], "left")
        .join(depots, "depot_id")
        .select(
            "depot_id",
            "depot_name",
            "region",
            "month",
            "vehicles",
            "trips",
            "km",
            ratio_pct(F.col("busy_min"), F.col("busy_min") + F.col("idle_min")).alias("utilisation_pct"),
            zero_if_null("maintenance_eur").alias("maintenance_eur"),
        )
    )
    df.write.mode("overwrite").saveAsTable("fleet_depot_monthly")
    return df
