# title: The two row filters are merged and moved in front of the joins.
# expect: equivalent

"""Daily net revenue by country and segment."""

from pyspark.sql import DataFrame, SparkSession, functions as F


def refunds_per_order(spark: SparkSession) -> DataFrame:
    return (
        spark.table("refunds")
        .filter(F.col("amount").isNotNull())
        .groupBy("order_id")
        .agg(F.sum("amount").alias("refunded"))
    )


def build(spark: SparkSession, cutoff: str = "2024-01-01") -> DataFrame:
    orders = (
        spark.table("orders")
        .withColumn("order_date", F.to_date("order_ts"))
        .filter(
            (F.col("status") != "cancelled") & (F.col("order_date") >= F.lit(cutoff).cast("date"))
        )
    )
    customers = spark.table("customers").select("customer_id", "segment", "country")

    enriched = (
        orders.join(customers, "customer_id")
        .join(refunds_per_order(spark), "order_id", "left")
        .withColumn("refunded", F.coalesce(F.col("refunded"), F.lit(0)))
        .withColumn("net_amount", F.col("amount") - F.col("refunded"))
    )

    return (
        enriched.groupBy("order_date", "country", "segment")
        .agg(
            F.count("*").alias("orders"),
            F.countDistinct("customer_id").alias("customers"),
            F.sum("net_amount").alias("net_revenue"),
            F.max("amount").alias("largest_order"),
        )
        .withColumn("country", F.coalesce(F.col("country"), F.lit("unknown")))
    )
