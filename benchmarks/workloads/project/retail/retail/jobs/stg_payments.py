"""Staging: settled payments and refunds."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from retail.common.cleaning import trim_lower
from retail.common.constants import CARD_METHODS, SETTLED_STATES


def build(spark: SparkSession) -> DataFrame:
    payments = spark.table("raw_payments")

    settled = payments.filter(trim_lower("state").isin(SETTLED_STATES))
    settled = settled.filter("order_id IS NOT NULL AND amount IS NOT NULL")

    method = trim_lower("method")
    method_group = (
        F.when(method.isin(CARD_METHODS), "card")
        .when(method == "paypal", "wallet")
        .when(method == "applepay", "wallet")
        .when(method == "cash", "cash")
        .otherwise("other")
    )

    df = (
        settled.withColumn("method_group", method_group)
        .withColumn("paid_date", F.to_date("paid_at"))
        .withColumn("is_refund", F.col("amount") < 0)
        .withColumnRenamed("id", "payment_id")
        .select(
            "payment_id",
            "order_id",
            "method_group",
            "amount",
            "paid_date",
            "is_refund",
        )
    )
    df.write.mode("overwrite").saveAsTable("retail_stg_payments")
    return df
