from pyspark.sql import Window, functions as F


def build(spark, top=2):
    sends = spark.table("sends").filter(~F.coalesce("bounced", F.lit(False)))
    stats = sends.groupBy("campaign_id").agg(
        F.count("*").alias("sent"),
        F.sum(F.when(F.col("opened"), 1).otherwise(0)).alias("opened"),
        F.countDistinct(F.lower(F.trim("recipient"))).alias("people"),
    )
    c = (
        spark.table("campaigns")
        .withColumn("channel", F.coalesce(F.lower("channel"), F.lit("none")))
        .withColumn("title", F.initcap(F.regexp_replace(F.trim("campaign_name"), "[_-]", " ")))
        .withColumn(
            "budget_class",
            F.when(F.col("budget") >= 1000, "large")
            .when(F.col("budget") >= 100, "medium")
            .when(F.col("budget").isNotNull(), "small")
            .otherwise("none"),
        )
        .join(stats, "campaign_id", "left")
        .fillna(0, subset=["sent", "opened", "people"])
    )
    w = Window.partitionBy("channel").orderBy(F.col("opened").desc(), F.col("sent").desc())
    ranked = c.withColumn("position", F.rank().over(w))
    best = ranked.filter(F.col("position") <= top).filter(~F.col("channel").isin("none", "display"))
    known = (
        spark.table("leads")
        .select(F.lower(F.trim("email")).alias("email"))
        .filter("email <> ''")
        .distinct()
    )
    reach = (
        sends.withColumn("email", F.lower(F.trim("recipient")))
        .join(known, "email", "left_semi")
        .groupBy("campaign_id")
        .agg(F.countDistinct("email").alias("known_people"))
    )
    return {
        "best": best.select(
            "campaign_id",
            "title",
            "channel",
            "budget_class",
            "sent",
            "opened",
            "people",
            "position",
        ),
        "reach": reach,
    }
