"""Mart: completed orders that are not paid in full."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from retail.common.dates import days_since

TOLERANCE = 0.01
OVERDUE_DAYS = 30


def build(spark: SparkSession) -> DataFrame:
    completed = spark.sql(
        """
        SELECT order_id, customer_id, order_date, currency, total_amount
        FROM retail_order_totals
        WHERE is_completed AND total_amount > 0
        """
    )
    payments = spark.table("retail_order_payments").select("order_id", "balance_amount")

    open_amount = F.col("total_amount") - F.coalesce(F.col("balance_amount"), F.lit(0))
    gaps = (
        completed.join(payments, "order_id", "left")
        .withColumn("open_amount", open_amount)
        .filter(F.col("open_amount") > TOLERANCE)
    )

    return gaps.select(
        "order_id",
        "customer_id",
        "order_date",
        "currency",
        "total_amount",
        "open_amount",
        F.col("balance_amount").isNull().alias("never_paid"),
        (days_since("order_date") > OVERDUE_DAYS).alias("is_overdue"),
    )
