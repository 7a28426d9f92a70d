"""Core: order history figures per customer."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from retail.common.dates import days_since


def build(spark: SparkSession) -> DataFrame:
    customers = spark.table("retail_stg_customers")
    orders = spark.table("retail_order_totals")

    completed = orders.where(F.col("is_completed")).where(F.col("customer_id").isNotNull())
    history = completed.groupBy("customer_id").agg(
        F.count("order_id").alias("order_count"),
        F.sum("total_amount").alias("lifetime_amount"),
        F.min("order_date").alias("first_order_date"),
        F.max("order_date").alias("last_order_date"),
        F.sum(F.when(F.col("is_online"), 1).otherwise(0)).alias("online_orders"),
    )

    df = (
        customers.join(history, on="customer_id", how="left")
        .withColumn("order_count", F.coalesce(F.col("order_count"), F.lit(0)))
        .withColumn("online_orders", F.coalesce(F.col("online_orders"), F.lit(0)))
        .withColumn("is_buyer", F.col("order_count") > 0)
        .withColumn("days_since_order", days_since("last_order_date"))
        .select(
            "customer_id",
            "country",
            "signup_date",
            "opted_in",
            "order_count",
            "online_orders",
            "lifetime_amount",
            "first_order_date",
            "last_order_date",
            "days_since_order",
            "is_buyer",
        )
    )
    df.write.mode("overwrite").saveAsTable("retail_customer_orders")
    return df
