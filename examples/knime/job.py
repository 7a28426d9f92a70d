"""The workflow in the folder orders, in PySpark, and a migration with a common mistake."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, SparkSession, functions as F


def build(spark: SparkSession) -> DataFrame:
    """Orders that are not cancelled, large or small, with the country of the customer."""
    return _report(spark, ~F.col("status").eqNullSafe("cancelled"))


def mistaken(spark: SparkSession) -> DataFrame:
    """In Spark null is not different from anything: orders without a status are lost."""
    return _report(spark, F.col("status") != "cancelled")


def _report(spark: SparkSession, kept: Column) -> DataFrame:
    orders = spark.table("orders").where(kept).drop("id")
    customers = spark.table("customers")
    size = F.when(F.col("amount") > 100, "large").otherwise("small")
    joined = orders.join(customers, orders.customer_id == customers.id)
    return joined.select("amount", size.alias("size"), "country")
