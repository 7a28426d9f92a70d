from pyspark.sql import functions as F


def with_device_group(df):
    return df.withColumn(
        "device_group",
        F.when(
            F.col("device").isNotNull(),
            F.when(
                (F.col("device") == "phone") | (F.col("device") == "tablet"),
                F.lit("mobile"),
            ).otherwise(F.lit("desktop")),
        ).otherwise(F.lit("unknown")),
    )


def build(spark, since: str = "2024-05-01", until: str = "2024-05-31"):
    impressions = spark.read.parquet("data/impressions.parquet")
    clicks = spark.read.parquet("data/clicks.parquet")

    valid_clicks = (
        clicks.filter(F.col("is_valid")).groupBy("impression_id").agg(F.count("*").alias("clicks"))
    )
    base = (
        impressions.filter(
            (F.col("placement") == "feed")
            | (F.col("placement") == "story")
            | (F.col("placement") == "search")
        )
        .filter(F.col("shown_on") >= F.lit(since).cast("date"))
        .filter(F.col("shown_on") <= F.lit(until).cast("date"))
        .transform(with_device_group)
        .join(valid_clicks, "impression_id", "left")
    )

    return (
        base.withColumn("clicked", F.when(F.col("clicks") > 0, 1).otherwise(0))
        .groupBy("campaign_id", "device_group")
        .agg(
            F.count("*").alias("impressions"),
            F.sum("clicked").alias("clicked_impressions"),
            F.sum(F.coalesce(F.col("clicks"), F.lit(0))).alias("clicks"),
            F.sum("cost_micros").alias("cost_micros"),
        )
        .withColumn("ctr", F.round(F.col("clicked_impressions") / F.col("impressions"), 4))
    )
