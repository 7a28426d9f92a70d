"""Invoices with what was paid on them, in EUR."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fleet.lib.columns import fill_counts, with_month
from fleet.lib.money import to_eur, zero_if_null


def paid_per_invoice(payments: DataFrame) -> DataFrame:
    return payments.groupBy("invoice_id").agg(
        F.sum("amount").alias("paid_amount"),
        F.count("payment_id").alias("payments"),
        F.max("paid_on").alias("last_paid_on"),
    )


def run(spark: SparkSession) -> DataFrame:
    invoices = with_month(spark.table("fleet_stg_invoices"), "issued_on")
    paid = paid_per_invoice(spark.table("fleet_stg_payments"))
    rates = spark.table("fleet_stg_fx_monthly").select("currency", "month", "rate_to_eur")

    joined = invoices.join(paid, "invoice_id", "left").join(rates, ["currency", "month"], "left")
    joined = fill_counts(joined, "payments")
    amounts = joined.withColumn("gross_eur", to_eur(F.col("gross_amount"), F.col("rate_to_eur")))
    amounts = amounts.withColumn("paid_eur", to_eur(zero_if_null("paid_amount"), F.col("rate_to_eur")))
    amounts = amounts.withColumn("open_eur", F.col("gross_eur") - F.col("paid_eur"))

    state = (
        F.when(F.col("status") == "CANCELLED", "cancelled")
        .when(F.col("open_eur") <= 0, "paid")
        .when(F.col("payments") > 0, "partly paid")
        .otherwise("open")
    )
    df = amounts.select(
        "invoice_id",
        "customer_id",
        "trip_id",
        "issued_on",
        "due_on",
        "month",
        "currency",
        "gross_eur",
        "paid_eur",
        "open_eur",
        "payments",
        "last_paid_on",
        state.alias("state"),
    )
    df.write.mode("overwrite").saveAsTable("fleet_invoice_ledger")
    return df
