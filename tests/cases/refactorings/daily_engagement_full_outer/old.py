from pyspark.sql import functions as F


def build(spark, month="2024-03"):
    sends = spark.table("sends").filter(F.date_format("sent_at", "yyyy-MM") == month)
    mail = sends.groupBy("campaign_id", F.to_date("sent_at").alias("day")).agg(
        F.count("*").alias("sent"), F.sum(F.when(F.col("opened"), 1).otherwise(0)).alias("opened")
    )
    events = spark.table("events").filter((F.year("event_ts") == 2024) & (F.month("event_ts") == 3))
    web = (
        events.filter(F.col("event_type").isin("click", "page_view", "purchase"))
        .groupBy("campaign_id", F.to_date("event_ts").alias("day"))
        .agg(F.count("*").alias("hits"), F.countDistinct("visitor_id").alias("visitors"))
    )
    both = mail.join(web, ["campaign_id", "day"], "full_outer")
    both = both.filter(F.col("campaign_id").isNotNull())
    for c in ["sent", "opened", "hits", "visitors"]:
        both = both.withColumn(c, F.coalesce(F.col(c), F.lit(0)))
    named = both.join(spark.table("campaigns"), "campaign_id", "left").withColumn(
        "campaign_name", F.coalesce(F.trim("campaign_name"), F.col("campaign_id"))
    )
    kinds = named.select("campaign_id", "campaign_name").distinct()
    return {
        "daily": named.select(
            "campaign_id", "campaign_name", "day", "sent", "opened", "hits", "visitors"
        ),
        "campaigns_seen": kinds,
    }
