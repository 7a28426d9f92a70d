# title: negated disjunctions pushed inwards by De Morgan and split into several filters; three-valued logic is the same
# expect: equivalent
# kind: De Morgan
from pyspark.sql import functions as F

BLOCKED = ["ads", "referral"]


def build(spark):
    audience = (
        spark.table("leads")
        .filter(~F.col("source").isin(*BLOCKED))
        .filter((F.col("score") < 0) | (F.col("score") > 9))
        .filter("email not like '%@x.io'")
        .filter(~F.lower(F.col("email")).startswith("no-"))
        .select("lead_id", F.trim(F.lower("email")).alias("email"), "score")
    )

    live = (
        spark.table("campaigns")
        .where("not (channel rlike '^(display|social)$') or contains(campaign_name, 'VIP')")
        .where("end_date >= start_date and budget > 0")
    )

    touched = (
        spark.table("sends")
        .where(~F.col("bounced") & F.col("opened"))
        .join(live, on="campaign_id", how="inner")
        .select(
            F.lower(F.trim(F.col("recipient"))).alias("email"),
            "campaign_id",
            "campaign_name",
            "sent_at",
        )
    )
    return {
        "audience": audience.join(touched, ["email"], "left_outer").select(
            "lead_id", "email", "score", "campaign_id", "campaign_name", "sent_at"
        ),
        "live_campaigns": live.select("campaign_id", "campaign_name", "channel", "budget"),
    }
