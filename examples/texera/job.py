"""The workflow `orders.json` in PySpark, and the same with a mistake that is easily made."""

from pyspark.sql import DataFrame, SparkSession, functions as F


def build(spark: SparkSession) -> DataFrame:
    """Orders of both coasts by the country of the customer."""
    orders, customers = spark.table("orders"), spark.table("customers")
    coasts = orders.where(F.col("region").isin("east", "west"))
    # Texera's join finds a partner for a null, if the other side has one.
    joined = coasts.join(customers, coasts.customer.eqNullSafe(customers.id))
    return joined.groupBy("country").agg(
        F.count("*").cast("int").alias("orders"),
        F.coalesce(F.sum("total"), F.lit(0.0)).alias("total"),
    )


def mistaken(spark: SparkSession) -> DataFrame:
    """The same with the usual join, in which a null has no partner."""
    orders, customers = spark.table("orders"), spark.table("customers")
    coasts = orders.where(F.col("region").isin("east", "west"))
    joined = coasts.join(customers, coasts.customer == customers.id)
    return joined.groupBy("country").agg(
        F.count("*").cast("int").alias("orders"),
        F.coalesce(F.sum("total"), F.lit(0.0)).alias("total"),
    )
