from pyspark.sql import functions as F


def build(spark):
    leads = spark.table("leads")
    excluded = (F.col("source").isin("ads", "referral") & (F.col("score") < 50)) | F.col(
        "email"
    ).rlike("@x[.]io$")
    kept = leads.filter(~F.coalesce(excluded, F.lit(False)))
    kept = kept.withColumn(
        "channel", F.when(F.col("source").isin("web", "Webinar"), "email").otherwise("social")
    )
    c = spark.table("campaigns").select("campaign_id", "channel", "start_date", "end_date")
    matched = kept.join(c, "channel")
    matched = matched.filter(
        F.to_date("created_at").between(F.col("start_date"), F.col("end_date"))
    )
    return {
        "screened": kept.select("lead_id", "source", "score", "channel"),
        "matched": matched.select("lead_id", "campaign_id", "created_at"),
    }
