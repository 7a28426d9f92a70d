"""Amounts by month and payment method, one column per method."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fleet.lib.columns import with_month
from fleet.lib.money import zero_if_null

METHODS = ["CARD", "TRANSFER", "DEBIT", "OTHER"]


def run(spark: SparkSession) -> DataFrame:
    payments = spark.table("fleet_stg_payments")
    payments = with_month(payments, "paid_on")

    amounts = payments.groupBy("month").pivot("method", METHODS).agg(F.sum("amount"))
    reversals = (
        payments.where(F.col("is_reversal"))
        .groupBy("month")
        .agg(F.count("*").alias("reversals"))
    )
    joined = amounts.join(reversals, "month", "left")
    df = joined.select(
        "month",
        zero_if_null("CARD").alias("card_eur"),
        zero_if_null("TRANSFER").alias("transfer_eur"),
        zero_if_null("DEBIT").alias("debit_eur"),
        zero_if_null("OTHER").alias("other_eur"),
        F.coalesce("reversals", F.lit(0)).alias("reversals"),
    )
    df.write.mode("overwrite").saveAsTable("fleet_payment_methods")
