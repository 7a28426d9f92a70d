from pyspark.sql import Window, functions as F


def build(spark, window_days=30):
    leads = spark.table("leads").filter(F.col("created_at").isNotNull())
    leads = leads.withColumn("email", F.lower(F.trim("email"))).filter(
        ~((F.col("email") == "") | ~F.col("email").contains("@"))
    )
    sends = (
        spark.table("sends")
        .withColumn("email", F.lower(F.trim("recipient")))
        .select("send_id", "email", "campaign_id", "sent_at", "opened")
    )
    touches = leads.join(sends, "email").filter(
        (F.col("sent_at") <= F.col("created_at"))
        & (F.datediff(F.to_date("created_at"), F.to_date("sent_at")) <= window_days)
    )
    w = Window.partitionBy("lead_id").orderBy(F.col("sent_at").desc(), F.col("send_id").desc())
    last = (
        touches.withColumn("rn", F.row_number().over(w))
        .filter("rn = 1")
        .select("lead_id", "campaign_id", "sent_at", "opened")
    )
    out = (
        leads.join(last, "lead_id", "left")
        .join(
            spark.table("campaigns").select("campaign_id", "channel", "campaign_name"),
            "campaign_id",
            "left",
        )
        .withColumn(
            "channel",
            F.coalesce(
                F.lower("channel"),
                F.when(F.col("campaign_id").isNull(), F.lit("direct")).otherwise(F.lit("unknown")),
            ),
        )
        .withColumn(
            "quality",
            F.when(F.col("score") >= 80, "A")
            .when(F.col("score") >= 50, "B")
            .when(F.col("score") >= 0, "C")
            .otherwise("X"),
        )
        .withColumn("opened", F.coalesce("opened", F.lit(False)))
    )
    detail = out.select("lead_id", "email", "channel", "quality", "opened", "sent_at")
    summary = detail.groupBy("channel", "quality").agg(
        F.count("*").alias("leads"), F.countDistinct("email").alias("people")
    )
    return {"detail": detail, "summary": summary.filter(F.col("channel") != "unknown")}
