from datetime import date, timedelta

from pyspark.sql import functions as F

REPORT_DATE = date(2024, 3, 31)


def build(spark, lookback_days=90):
    start = REPORT_DATE - timedelta(days=lookback_days)
    stop = REPORT_DATE + timedelta(days=1)
    orders = spark.table("orders").filter(
        (F.to_date("order_ts") >= F.lit(start)) & (F.to_date("order_ts") < F.lit(stop))
    )
    recent = orders.filter(
        F.col("order_ts") >= F.lit(stop).cast("timestamp") - F.expr("INTERVAL 30 DAYS")
    )
    by_status = orders.groupBy("status").agg(
        F.count("*").alias("n"), F.sum("amount").alias("amount")
    )
    subs = spark.table("subscriptions").filter(
        (F.col("started_on") <= F.lit(REPORT_DATE))
        & (F.col("ended_on").isNull() | (F.col("ended_on") > F.lit(REPORT_DATE)))
    )
    subs = subs.withColumn("report_date", F.lit(REPORT_DATE)).withColumn(
        "age_days", F.datediff("report_date", "started_on")
    )
    return {
        "by_status": by_status,
        "recent": recent.select("order_id", "order_ts"),
        "subs": subs.select("sub_id", "report_date", "age_days"),
    }
