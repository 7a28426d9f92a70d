"""Staging: orders of the reporting period, without drafts."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from retail.common.cleaning import blank_to_null, trim_lower
from retail.common.constants import BASE_CURRENCY, COMPLETED_STATUSES
from retail.common.dates import in_reporting_period


def build(spark: SparkSession) -> DataFrame:
    orders = spark.table("raw_orders")

    normalised = (
        orders.withColumn("status", trim_lower("status"))
        .withColumn("currency", F.upper(F.trim(F.col("currency"))))
        .withColumn("currency", F.coalesce(F.col("currency"), F.lit(BASE_CURRENCY)))
        .withColumn("coupon_code", F.upper(blank_to_null("coupon_code")))
        .withColumn("order_date", F.to_date("order_ts"))
    )

    in_scope = normalised.filter(in_reporting_period("order_date")).filter(
        F.col("status").isNotNull() & (F.col("status") != "draft")
    )

    fee = F.coalesce(F.col("shipping_fee"), F.lit(0)).cast("decimal(10,2)")
    df = in_scope.select(
        F.col("id").alias("order_id"),
        "customer_id",
        "store_id",
        "status",
        "order_ts",
        "order_date",
        "currency",
        fee.alias("shipping_fee"),
        "coupon_code",
        F.col("store_id").isNull().alias("is_online"),
        F.col("status").isin(COMPLETED_STATUSES).alias("is_completed"),
    )
    df.write.mode("overwrite").saveAsTable("retail_stg_orders")
    return df
