# title: coalesce(excluded, false) expanded with De Morgan into SQL, but a blocked source with a null score is now dropped (old kept it)
# expect: inequivalent
# kind: De Morgan
from pyspark.sql import functions as F


def build(spark):
    spark.table("leads").createOrReplaceTempView("v_leads_raw")
    kept = spark.sql("""
        SELECT lead_id, source, score, created_at,
               CASE WHEN source IN ('web', 'Webinar') THEN 'email' ELSE 'social' END AS channel
        FROM v_leads_raw
        WHERE (source NOT IN ('ads', 'referral') OR source IS NULL OR score >= 50)
          AND (email NOT RLIKE '@x[.]io$' OR email IS NULL)
    """)
    c = spark.table("campaigns")
    matched = kept.join(
        c,
        (kept["channel"] == c["channel"])
        & (F.to_date(kept["created_at"]) >= c["start_date"])
        & (F.to_date(kept["created_at"]) <= c["end_date"]),
    )
    return {
        "screened": kept.select("lead_id", "source", "score", "channel"),
        "matched": matched.select("lead_id", "campaign_id", "created_at"),
    }
