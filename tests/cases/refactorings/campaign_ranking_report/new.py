# title: large tidy-up (filters through the window on its partition key, De Morgan, translate) in which rank became row_number: ties at the top get other positions
# expect: inequivalent
# kind: rank vs row_number
from pyspark.sql import Window, functions as F


def budget_class(c):
    return (
        F.when(c.isNull(), "none")
        .when(c < 100, "small")
        .when(c < 1000, "medium")
        .otherwise("large")
    )


def build(spark, top=2):
    sends = (
        spark.table("sends")
        .where("bounced is null or not bounced")
        .withColumn("email", F.lower(F.trim("recipient")))
    )
    stats = sends.groupBy("campaign_id").agg(
        F.count(F.lit(1)).alias("sent"),
        F.count(F.when(F.col("opened"), 1)).alias("opened"),
        F.countDistinct("email").alias("people"),
    )
    c = (
        spark.table("campaigns")
        .select(
            "campaign_id",
            F.expr("coalesce(lower(channel), 'none')").alias("channel"),
            F.initcap(F.translate(F.trim("campaign_name"), "_-", "  ")).alias("title"),
            budget_class(F.col("budget")).alias("budget_class"),
        )
        .where("channel not in ('none', 'display')")
        .join(stats, "campaign_id", "left")
        .na.fill({"sent": 0, "opened": 0, "people": 0})
    )
    w = Window.partitionBy("channel").orderBy(F.desc("opened"), F.desc("sent"))
    best = c.withColumn("position", F.row_number().over(w)).where(F.col("position") <= F.lit(top))
    known = spark.table("leads").select(F.lower(F.trim("email")).alias("email"))
    reach = (
        sends.where("email <> ''")
        .join(known, "email", "left_semi")
        .groupBy("campaign_id")
        .agg(F.expr("count(distinct email)").alias("known_people"))
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
