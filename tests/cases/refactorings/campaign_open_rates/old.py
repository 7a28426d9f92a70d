from pyspark.sql import functions as F


def build(spark):
    stats = (
        spark.table("sends")
        .groupBy("campaign_id")
        .agg(
            F.count("*").alias("sent"),
            F.sum(F.when(F.col("opened"), 1).otherwise(0)).alias("opened"),
            F.max("sent_at").alias("last_sent"),
        )
    )
    out = spark.table("campaigns").join(stats, "campaign_id", "left")
    out = out.withColumn("sent", F.coalesce("sent", F.lit(0))).withColumn(
        "opened", F.coalesce("opened", F.lit(0))
    )
    out = out.withColumn("channel", F.coalesce(F.lower("channel"), F.lit("none")))
    return out.select(
        "campaign_id",
        "channel",
        "budget",
        "sent",
        "opened",
        F.when(F.col("budget").isNull(), "unplanned")
        .when(F.col("sent") == 0, "unused")
        .otherwise("run")
        .alias("state"),
        F.to_date("last_sent").alias("last_sent_on"),
    )
