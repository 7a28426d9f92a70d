"""Overdue invoices at the closing date, with their ageing bucket."""

import datetime

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

CLOSING_DATE = datetime.date(2024, 6, 30)


def ageing_bucket(days):
    return (
        F.when(days <= 30, "1-30")
        .when(days <= 60, "31-60")
        .when(days <= 90, "61-90")
        .otherwise("90+")
    )


def run(spark: SparkSession) -> DataFrame:
    closing = F.lit(CLOSING_DATE)
    ledger = spark.table("fleet_invoice_ledger")
    customers = spark.table("fleet_stg_customers").select("customer_id", "customer_name", "is_active")

    unpaid = ledger.where(F.col("state").isin("open", "partly paid"))
    overdue = unpaid.where(F.col("due_on") < closing)
    overdue = overdue.withColumn("days_overdue", F.datediff(closing, F.col("due_on")))

    df = (
        overdue.join(customers, "customer_id", "left")
        .withColumn("bucket", ageing_bucket(F.col("days_overdue")))
        .select(
            "invoice_id",
            "customer_id",
            "customer_name",
            "due_on",
            "days_overdue",
            "bucket",
            "open_eur",
            F.coalesce("is_active", F.lit(False)).alias("customer_active"),
        )
    )
    df.write.mode("overwrite").saveAsTable("fleet_overdue_invoices")
    return df
