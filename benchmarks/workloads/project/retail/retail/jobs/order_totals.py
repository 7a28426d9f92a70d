"""Core: one row per order with the sums of its lines."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from retail.common.constants import HIGH_VALUE_ORDER

MONEY = "decimal(16,2)"


def build(spark: SparkSession) -> DataFrame:
    orders = spark.table("retail_stg_orders")
    lines = spark.table("retail_stg_order_lines")

    sums = lines.groupBy("order_id").agg(
        F.count("*").alias("line_count"),
        F.sum("quantity").alias("units"),
        F.countDistinct("product_id").alias("distinct_products"),
        F.sum("discount").cast(MONEY).alias("discount_amount"),
        F.sum("net_amount").cast(MONEY).alias("net_amount"),
    )

    joined = orders.join(sums, "order_id", "left")
    filled = joined.fillna(0, subset=["line_count", "units", "distinct_products"])

    df = (
        filled.withColumn("discount_amount", F.coalesce("discount_amount", F.lit(0).cast(MONEY)))
        .withColumn("net_amount", F.coalesce("net_amount", F.lit(0).cast(MONEY)))
        .withColumn("total_amount", (F.col("net_amount") + F.col("shipping_fee")).cast(MONEY))
        .withColumn("is_high_value", F.col("total_amount") >= HIGH_VALUE_ORDER)
        .select(
            "order_id",
            "customer_id",
            "store_id",
            "order_date",
            "currency",
            "coupon_code",
            "is_online",
            "is_completed",
            "line_count",
            "units",
            "distinct_products",
            "discount_amount",
            "net_amount",
            "total_amount",
            "is_high_value",
        )
    )
    df.write.mode("overwrite").saveAsTable("retail_order_totals")
    return df
