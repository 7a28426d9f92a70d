"""What each customer owes us."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from fleet.lib.columns import fill_counts
from fleet.lib.money import zero_if_null


def run(spark: SparkSession) -> DataFrame:
    ledger = spark.table("fleet_invoice_ledger")
    ledger = ledger.where(F.col("state") != "cancelled")

    totals = ledger.groupBy("customer_id").agg(
        F.count("invoice_id").alias("invoices"),
        F.sum("gross_eur").alias("billed_eur"),
        F.sum("paid_eur").alias("paid_eur"),
        F.sum(F.when(F.col("state") != "paid", F.col("open_eur"))).alias("open_eur"),
        F.max("last_paid_on").alias("last_paid_on"),
        F.min(F.when(F.col("state") != "paid", F.col("due_on"))).alias("oldest_due_on"),
    )
    customers = spark.table("fleet_stg_customers")
    joined = customers.join(totals, "customer_id", "left")
    joined = fill_counts(joined, "invoices")

    df = joined.select(
        "customer_id",
        "customer_name",
        "segment",
        "country",
        "invoices",
        zero_if_null("billed_eur").alias("billed_eur"),
        zero_if_null("paid_eur").alias("paid_eur"),
        zero_if_null("open_eur").alias("open_eur"),
        "last_paid_on",
        "oldest_due_on",
        (F.col("invoices") == 0).alias("never_billed"),
    )
    df.write.mode("overwrite").saveAsTable("fleet_customer_balance")
    return df
