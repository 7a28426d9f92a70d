"""Counts of suspicious rows; the caller prints them."""

from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F


def check(df: DataFrame, name: str, condition) -> DataFrame:
    """One row: name of the check, rows looked at, rows that fail."""
    return df.agg(
        F.lit(name).alias("check_name"),
        F.count(F.lit(1)).alias("rows"),
        F.count(F.when(condition, 1)).alias("failures"),
    )


def run(spark: SparkSession) -> DataFrame:
    trips = spark.table("fleet_stg_trips")
    facts = spark.table("fleet_trip_facts")
    ledger = spark.table("fleet_invoice_ledger")
    drivers = spark.table("fleet_stg_drivers")

    checks = [
        check(trips, "trip ends before it starts", F.col("ended_at") < F.col("started_at")),
        check(trips, "trip without distance", F.coalesce(F.col("distance_km"), F.lit(0)) <= 0),
        check(facts, "trip overloaded", F.col("load_pct") > 100),
        check(facts, "completed trip without revenue", F.col("revenue").isNull()),
        check(ledger, "overpaid invoice", F.col("open_eur") < 0),
        check(drivers, "active driver without license", F.col("is_active") & F.col("license_class").isNull()),
    ]
    result = reduce(DataFrame.unionByName, checks)
    return result.withColumn("ok", F.col("failures") == 0)
