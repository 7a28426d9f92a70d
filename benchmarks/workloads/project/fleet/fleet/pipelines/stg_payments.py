"""Staging of payments: the bank feed repeats lines, reversals become negative."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fleet.lib.cleaning import flag, normalise_code
from fleet.lib.money import round_money

KNOWN_METHODS = ["CARD", "TRANSFER", "DEBIT"]


def run(spark: SparkSession) -> DataFrame:
    feed = spark.table("src_payments").dropDuplicates()
    booked = feed.where(F.col("invoice_id").isNotNull() & F.col("paid_at").isNotNull())
    booked = booked.where(F.col("amount") > 0)

    code = normalise_code("method")
    method = F.when(code.isin(KNOWN_METHODS), code).otherwise(F.lit("OTHER"))
    signed = F.when(flag("is_reversal"), -F.col("amount")).otherwise(F.col("amount"))

    df = booked.select(
        "payment_id",
        "invoice_id",
        F.to_date("paid_at").alias("paid_on"),
        method.alias("method"),
        round_money(signed).alias("amount"),
        flag("is_reversal").alias("is_reversal"),
    )
    df.write.mode("overwrite").saveAsTable("fleet_stg_payments")
    return df
