"""The workflow orders.yxmd in PySpark, and a migration with a common mistake."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, SparkSession, functions as F


def build(spark: SparkSession) -> DataFrame:
    """Orders that are not cancelled, by the country of the customer."""
    return _by_country(spark, ~F.col("status").eqNullSafe("4"))


def mistaken(spark: SparkSession) -> DataFrame:
    """In Spark null is not different from anything: orders without a status are lost."""
    return _by_country(spark, F.col("status") != "4")


def _by_country(spark: SparkSession, kept: Column) -> DataFrame:
    orders = spark.table("orders").where(kept)
    customers = spark.table("customers").withColumnRenamed("id", "customer")
    joined = orders.join(customers, orders.customer_id == customers.customer)
    return joined.groupBy("country").agg(
        F.count("*").alias("orders"), F.sum("quantity").alias("pieces")
    )
