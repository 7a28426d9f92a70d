"""The workflow `orders.ows` in PySpark, and the same with a mistake that is easily made."""

from pyspark.sql import DataFrame, SparkSession, functions as F


def build(spark: SparkSession) -> DataFrame:
    """Discounted orders from all regions but the north, with what is left to pay."""
    orders = spark.table("orders")
    # In Orange a missing number is not 0, and a missing category is none of the others.
    discounted = orders.where(F.col("discount").isNull() | (F.col("discount") != 0))
    elsewhere = discounted.where((F.col("region") != "north") & (F.col("region") != ""))
    amount, discount = F.col("amount").cast("double"), F.col("discount").cast("double")
    return elsewhere.select(
        "amount", "discount", "customer", (amount - amount * discount).alias("net")
    )


def mistaken(spark: SparkSession) -> DataFrame:
    """The same with Spark's `!=`, which drops what is missing."""
    orders = spark.table("orders")
    discounted = orders.where(F.col("discount") != 0)
    elsewhere = discounted.where((F.col("region") != "north") & (F.col("region") != ""))
    amount, discount = F.col("amount").cast("double"), F.col("discount").cast("double")
    return elsewhere.select(
        "amount", "discount", "customer", (amount - amount * discount).alias("net")
    )
