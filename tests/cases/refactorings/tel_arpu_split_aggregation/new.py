# title: One wide aggregation split into money and traffic, joined null-safely on the groups (segment may be null)
# expect: equivalent
# kind: split aggregation
from pyspark.sql import functions as F

GROUP = ["segment", "prepaid"]


def in_period(ts_col, start, end):
    return (F.col(ts_col) >= start) & (F.col(ts_col) < end)


def build(spark, start="2024-05-01 00:00:00", end="2024-06-01 00:00:00"):
    plans = spark.table("plans").selectExpr("plan_code", "monthly_fee")
    subs = (
        spark.table("subscribers")
        .join(F.broadcast(plans), "plan_code", "left")
        .selectExpr(
            "msisdn",
            "segment",
            "monthly_fee IS NULL OR monthly_fee = 0 AS prepaid",
            "coalesce(monthly_fee, 0) AS fee",
        )
    )
    topups = (
        spark.table("topups")
        .where(in_period("topup_at", start, end))
        .groupBy("msisdn")
        .agg(F.sum("amount").alias("topup"))
    )
    usage = (
        spark.table("cdrs")
        .where("msisdn IS NOT NULL")
        .where(in_period("started_at", start, end))
        .groupBy("msisdn")
        .agg(F.sum("charge").alias("usage_charge"), F.count("*").alias("n_events"))
    )
    money = (
        subs.join(topups, "msisdn", "left")
        .fillna(0, subset=["topup"])
        .groupBy(*GROUP)
        .agg(
            F.count("*").alias("n_lines"),
            F.sum("fee").alias("fees"),
            F.sum("topup").alias("topups"),
        )
    )
    traffic = (
        subs.join(usage, "msisdn", "left")
        .fillna(0, subset=["usage_charge", "n_events"])
        .groupBy(*GROUP)
        .agg(
            F.sum("usage_charge").alias("usage"),
            F.sum("n_events").alias("n_events"),
            F.count(F.when(F.col("n_events") == 0, 1)).alias("silent_lines"),
        )
    )
    return (
        money.alias("m")
        .join(traffic.alias("t"), F.expr("m.segment <=> t.segment AND m.prepaid = t.prepaid"))
        .select(
            "m.segment",
            "m.prepaid",
            "n_lines",
            "fees",
            "topups",
            "usage",
            "n_events",
            "silent_lines",
        )
    )
