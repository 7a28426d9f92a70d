from pyspark.sql import functions as F

BLOCKED = ["ads", "referral"]


def build(spark):
    leads = spark.table("leads")
    sends = spark.table("sends")
    campaigns = spark.table("campaigns")

    bad_lead = (
        F.col("source").isin(BLOCKED)
        | F.col("score").between(0, 9)
        | F.col("email").like("%@x.io")
        | F.lower("email").startswith("no-")
    )
    audience = leads.filter(~bad_lead).select(
        "lead_id", F.lower(F.trim("email")).alias("email"), "score"
    )

    dead_campaign = F.col("channel").rlike("^(display|social)$") & ~F.col("campaign_name").contains(
        "VIP"
    )
    live = campaigns.filter(~dead_campaign).filter(
        ~((F.col("end_date") < F.col("start_date")) | (F.col("budget") <= 0))
    )

    touched = (
        sends.filter(~(F.col("bounced") | ~F.col("opened")))
        .join(live, "campaign_id")
        .select(
            F.lower(F.trim("recipient")).alias("email"), "campaign_id", "campaign_name", "sent_at"
        )
    )
    out = audience.join(touched, "email", "left")
    return {
        "audience": out.select(
            "lead_id", "email", "score", "campaign_id", "campaign_name", "sent_at"
        ),
        "live_campaigns": live.select("campaign_id", "campaign_name", "channel", "budget"),
    }
