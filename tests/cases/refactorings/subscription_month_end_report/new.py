# title: six SQL views with a parameter view rewritten as DataFrame helpers with Python date constants, a tier map and De Morgan on the exclusions
# expect: equivalent
# kind: SQL vs DataFrame
import calendar
from datetime import date

from pyspark.sql import functions as F

TIERS = {"pro": "paid", "enterprise": "paid", "basic": "entry"}


def month_bounds(month):
    y, m = (int(x) for x in month.split("-"))
    return date(y, m, 1), date(y, m, calendar.monthrange(y, m)[1])


def clean_subs(spark):
    tiers = F.create_map(*[F.lit(v) for kv in TIERS.items() for v in kv])
    s = spark.table("subscriptions")
    return (
        s.where(
            F.col("started_on").isNotNull()
            & (F.col("ended_on").isNull() | (F.col("ended_on") >= F.col("started_on")))
        )
        .withColumn("tier", F.coalesce(tiers[F.lower("plan")], F.lit("other")))
        .withColumn("mrr", F.coalesce("mrr", F.lit(0)))
        .withColumn("status", F.lower("status"))
        .drop("plan")
    )


def count_if(cond):
    return F.count(F.when(cond, 1))


def build(spark, report_month="2024-03"):
    start, end = month_bounds(report_month)
    state = (
        clean_subs(spark)
        .withColumn(
            "live_at_end",
            (F.col("started_on") <= F.lit(end))
            & (F.col("ended_on").isNull() | (F.col("ended_on") > F.lit(end))),
        )
        .withColumn(
            "is_new", (F.col("started_on") >= F.lit(start)) & (F.col("started_on") <= F.lit(end))
        )
        .withColumn(
            "is_churn",
            F.coalesce(
                (F.col("ended_on") >= F.lit(start)) & (F.col("ended_on") <= F.lit(end)),
                F.lit(False),
            ),
        )
    )
    billed = (
        spark.table("invoices")
        .where(F.col("issued_on").between(F.lit(start), F.lit(end)))
        .where(F.col("state").isNull() | (F.lower("state") != "void"))
        .groupBy("sub_id")
        .agg(F.sum("amount").alias("billed"), F.count("paid_at").alias("paid_invoices"))
    )
    accounts = spark.table("accounts").select(
        "account_id", F.coalesce(F.upper("country"), F.lit("XX")).alias("country")
    )
    full = (
        state.join(accounts, "account_id", "left")
        .join(billed, "sub_id", "left")
        .fillna({"country": "XX", "paid_invoices": 0})
        .withColumn("billed", F.coalesce("billed", F.lit(0)))
    )
    summary = full.groupBy("country", "tier").agg(
        count_if(F.col("live_at_end")).alias("live"),
        F.sum(F.when(F.col("live_at_end"), F.col("mrr")).otherwise(0)).alias("mrr"),
        count_if(F.col("is_new")).alias("new_subs"),
        count_if(F.col("is_churn")).alias("churned"),
        F.sum("billed").alias("billed"),
        F.sum("paid_invoices").alias("paid_invoices"),
    )
    unpaid = full.where(
        F.col("live_at_end")
        & (F.col("paid_invoices") == 0)
        & (F.col("tier") != "other")
        & (F.col("status") != "paused")
    ).select("sub_id", "account_id", "mrr", "billed")
    return {"summary": summary, "unpaid": unpaid}
