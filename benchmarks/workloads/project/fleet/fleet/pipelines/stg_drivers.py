"""Staging of drivers with the region of their home depot."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fleet.lib.cleaning import normalise_code, trim_to_null
from fleet.lib.columns import rename_columns

DEFAULT_RATE = "18.50"


def run(spark: SparkSession) -> DataFrame:
    drivers = spark.table("src_drivers")
    depots = spark.table("src_depots").select("depot_id", "region")

    cleaned = drivers.select(
        "driver_id",
        trim_to_null("full_name").alias("full_name"),
        normalise_code("license_class").alias("license_class"),
        "hired_on",
        "left_on",
        F.col("home_depot_id").alias("depot_id"),
        F.coalesce(F.col("hourly_rate"), F.lit(DEFAULT_RATE).cast("decimal(8,2)")).alias("hourly_rate"),
    )
    joined = cleaned.join(depots, on="depot_id", how="left")
    df = joined.select(
        "driver_id",
        F.coalesce("full_name", F.lit("(unknown)")).alias("full_name"),
        "license_class",
        F.col("left_on").isNull().alias("is_active"),
        F.year("hired_on").alias("hired_year"),
        "depot_id",
        "region",
        "hourly_rate",
    )
    df = rename_columns(df, {"full_name": "driver_name", "region": "home_region"})
    df.write.mode("overwrite").saveAsTable("fleet_stg_drivers")
    return df
