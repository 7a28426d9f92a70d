# title: SQL views ported to the DataFrame API, but count(paid_at) became count(*), counting unpaid invoices too
# expect: inequivalent
# kind: SQL vs DataFrame
from pyspark.sql import functions as F


def build(spark, year=2024):
    ended = spark.table("subscriptions").where(
        (F.col("ended_on") >= F.lit(f"{year}-01-01").cast("date"))
        & (F.col("ended_on") < F.lit(f"{year + 1}-01-01").cast("date"))
    )
    inv = (
        spark.table("invoices")
        .groupBy("sub_id")
        .agg(F.count("*").alias("n_paid"), F.sum("amount").alias("billed"))
    )
    accounts = spark.table("accounts").select("account_id", "country")
    return (
        ended.join(inv, "sub_id", "left")
        .join(accounts, "account_id", "left")
        .groupBy(
            F.date_format("ended_on", "yyyy-MM").alias("month"),
            F.coalesce("country", F.lit("n/a")).alias("country"),
        )
        .agg(
            F.count("*").alias("churned"),
            F.sum("mrr").alias("lost_mrr"),
            F.sum(F.coalesce("n_paid", F.lit(0))).alias("paid_invoices"),
        )
    )
