# title: key filter pushed into both sides of a full outer join on that key, month tests as ranges, fillna, distinct as dropDuplicates on the determining key
# expect: equivalent
# kind: filter through outer join
from pyspark.sql import functions as F

METRICS = ["sent", "opened", "hits", "visitors"]
START, STOP = "2024-03-01", "2024-04-01"


def in_month(c):
    return (F.col(c) >= F.lit(START).cast("timestamp")) & (F.col(c) < F.lit(STOP).cast("timestamp"))


def build(spark):
    mail = (
        spark.table("sends")
        .where(F.col("campaign_id").isNotNull() & in_month("sent_at"))
        .withColumn("day", F.col("sent_at").cast("date"))
        .groupBy("campaign_id", "day")
        .agg(F.count(F.lit(1)).alias("sent"), F.count(F.when(F.col("opened"), 1)).alias("opened"))
    )
    web = (
        spark.table("events")
        .dropna(subset=["campaign_id"])
        .where(in_month("event_ts") & F.expr("event_type in ('click', 'page_view', 'purchase')"))
        .withColumn("day", F.col("event_ts").cast("date"))
        .groupBy("campaign_id", "day")
        .agg(F.count(F.lit(1)).alias("hits"), F.countDistinct("visitor_id").alias("visitors"))
    )
    names = spark.table("campaigns").selectExpr(
        "campaign_id", "trim(campaign_name) as campaign_name"
    )
    daily = (
        mail.join(web, ["campaign_id", "day"], "outer")
        .na.fill(0, subset=METRICS)
        .join(names, "campaign_id", "left")
        .select(
            "campaign_id",
            F.expr("coalesce(campaign_name, campaign_id)").alias("campaign_name"),
            "day",
            *METRICS,
        )
    )
    return {
        "daily": daily,
        "campaigns_seen": daily.dropDuplicates(["campaign_id"]).select(
            "campaign_id", "campaign_name"
        ),
    }
