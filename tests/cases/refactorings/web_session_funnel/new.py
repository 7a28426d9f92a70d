# title: large withColumn chain split into helpers and selects, UDF tidied, sum of 1/0 flags replaced with count(when), coalesce by fillna, filter on a group key pushed below the aggregate
# expect: equivalent
# kind: withColumn vs select
from pyspark.sql import Window, functions as F

COUNTERS = ["events", "purchases", "product_views", "breaks"]


def _host(url):
    parts = url.split("://") if url is not None else []
    return parts[1].split("/")[0] if len(parts) > 1 else "internal"


host_udf = F.udf(_host, "string")


def load_events(spark):
    noise = ["heartbeat", "ping"]
    return (
        spark.table("events")
        .where("session_id is not null and event_ts is not null and event_type is not null")
        .select(
            "event_id",
            "session_id",
            "event_ts",
            "campaign_id",
            F.lower("event_type").alias("etype"),
            F.regexp_replace(host_udf(F.col("referrer")), "^www[.]", "").alias("ref_host"),
            F.lower("url").contains("/p/").alias("is_product"),
        )
        .where(~F.col("etype").isin(noise) & ~F.col("etype").like("debug%"))
    )


def build(spark):
    w = Window.partitionBy("session_id").orderBy(F.col("event_ts"), F.col("event_id"))
    gap = F.unix_timestamp("event_ts") - F.unix_timestamp(F.lag("event_ts", 1).over(w))
    ev = load_events(spark).select("*", F.row_number().over(w).alias("step"), gap.alias("gap_s"))
    first = ev.where("step = 1").selectExpr(
        "session_id", "ref_host as entry_host", "campaign_id as entry_campaign"
    )
    agg = ev.groupBy("session_id").agg(
        F.count(F.lit(1)).alias("events"),
        F.count(F.when(F.col("etype") == "purchase", 1)).alias("purchases"),
        F.count(F.when(F.col("is_product"), 1)).alias("product_views"),
        F.count(F.when(F.col("gap_s") > 1800, 1)).alias("breaks"),
        F.min("event_ts").alias("first_ts"),
        F.max("event_ts").alias("last_ts"),
    )
    campaigns = spark.table("campaigns").selectExpr(
        "campaign_id as entry_campaign", "channel as entry_channel"
    )
    detail = (
        spark.table("sessions")
        .selectExpr("session_id", "lower(device) as device", "coalesce(country, '??') as country")
        .join(agg, "session_id", "left")
        .join(
            first.join(campaigns, "entry_campaign", "left").drop("entry_campaign"),
            "session_id",
            "left",
        )
        .fillna(0, subset=COUNTERS)
        .withColumn(
            "outcome",
            F.expr("""case when purchases > 0 then 'buyer' when product_views > 0 then 'browser'
                      when events > 0 then 'visitor' else 'empty' end"""),
        )
        .select(
            "session_id",
            "device",
            "country",
            *COUNTERS,
            "entry_host",
            "entry_channel",
            "outcome",
            "first_ts",
            "last_ts",
        )
    )
    summary = (
        detail.where("country <> '??'")
        .groupBy("country", "outcome")
        .agg(F.count("*").alias("sessions"), F.sum("events").alias("events"))
    )
    return {"detail": detail, "summary": summary}
