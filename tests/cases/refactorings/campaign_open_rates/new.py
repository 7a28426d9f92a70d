# title: coalesce of two counters replaced with fillna(0) over all numeric columns, which also turns null budgets into 0
# expect: inequivalent
# kind: coalesce vs fillna
from pyspark.sql import functions as F


def build(spark):
    stats = (
        spark.table("sends")
        .groupBy("campaign_id")
        .agg(
            F.count(F.lit(1)).alias("sent"),
            F.count(F.when(F.col("opened"), True)).alias("opened"),
            F.max("sent_at").alias("last_sent"),
        )
    )
    return (
        spark.table("campaigns")
        .withColumn("channel", F.lower("channel"))
        .join(stats, "campaign_id", "left")
        .fillna(0)
        .fillna("none", subset=["channel"])
        .selectExpr(
            "campaign_id",
            "channel",
            "budget",
            "sent",
            "opened",
            "case when budget is null then 'unplanned' when sent = 0 then 'unused' else 'run' end as state",
            "cast(last_sent as date) as last_sent_on",
        )
    )
