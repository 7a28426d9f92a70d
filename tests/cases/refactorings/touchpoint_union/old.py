from pyspark.sql import functions as F


def build(spark):
    mail = (
        spark.table("sends")
        .filter(F.col("opened"))
        .select(
            "campaign_id",
            F.lower(F.trim("recipient")).alias("contact"),
            F.col("sent_at").alias("at"),
            F.lit("mail").alias("via"),
        )
    )
    web = (
        spark.table("events")
        .filter(F.col("event_type").isin("click", "page_view"))
        .select(
            "campaign_id",
            F.lower("visitor_id").alias("contact"),
            F.col("event_ts").alias("at"),
            F.lit("web").alias("via"),
        )
    )
    touches = mail.union(web).filter(
        F.col("campaign_id").isNotNull() & F.col("contact").isNotNull()
    )
    daily = (
        touches.withColumn("day", F.to_date("at"))
        .groupBy("campaign_id", "day")
        .agg(F.count("*").alias("touches"), F.countDistinct("contact").alias("contacts"))
    )
    return (
        spark.table("campaigns")
        .select("campaign_id", "campaign_name")
        .join(daily, "campaign_id", "left")
        .fillna({"touches": 0, "contacts": 0})
    )
