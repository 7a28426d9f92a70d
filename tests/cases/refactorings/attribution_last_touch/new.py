# title: last-touch attribution moved to SQL over cleaned views; datediff <= n as a date bound, the when chain built in a loop, negations simplified
# expect: equivalent
# kind: SQL vs DataFrame
from pyspark.sql import functions as F

QUALITY = [(80, "A"), (50, "B"), (0, "C")]


def quality(score):
    expr = F.lit("X")
    for limit, label in reversed(QUALITY):
        expr = F.when(score >= limit, label).otherwise(expr)
    return expr


def build(spark, window_days=30):
    spark.table("sends").selectExpr(
        "send_id", "lower(trim(recipient)) as email", "campaign_id", "sent_at", "opened"
    ).createOrReplaceTempView("sends_clean")
    leads = (
        spark.table("leads")
        .where("created_at is not null")
        .withColumn("email", F.trim(F.lower("email")))
        .where(F.col("email").like("%@%"))
    )
    leads.createOrReplaceTempView("leads_clean")
    last = spark.sql(f"""
        SELECT lead_id, touch.campaign_id AS campaign_id, touch.sent_at AS sent_at, touch.opened AS opened
        FROM (
            SELECT l.lead_id,
                   named_struct('campaign_id', s.campaign_id, 'sent_at', s.sent_at, 'opened', s.opened) AS touch,
                   row_number() OVER (PARTITION BY l.lead_id ORDER BY s.sent_at DESC, s.send_id DESC) AS rn
            FROM leads_clean l JOIN sends_clean s ON l.email = s.email
            WHERE NOT (s.sent_at > l.created_at)
              AND to_date(s.sent_at) >= date_sub(to_date(l.created_at), {window_days})
        )
        WHERE rn = 1
    """)
    campaigns = spark.table("campaigns").selectExpr("campaign_id", "lower(channel) as channel")
    detail = (
        leads.select("lead_id", "email", "score")
        .join(last, "lead_id", "left")
        .join(campaigns, "campaign_id", "left")
        .select(
            "lead_id",
            "email",
            F.expr("coalesce(channel, if(campaign_id is null, 'direct', 'unknown'))").alias(
                "channel"
            ),
            quality(F.col("score")).alias("quality"),
            F.coalesce("opened", F.lit(False)).alias("opened"),
            "sent_at",
        )
    )
    summary = (
        detail.where("not (channel = 'unknown')")
        .groupBy("channel", "quality")
        .agg(F.count(F.lit(1)).alias("leads"), F.countDistinct("email").alias("people"))
    )
    return {"detail": detail, "summary": summary}
