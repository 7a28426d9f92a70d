from pyspark.sql import functions as F

INACTIVE_DAYS = 30


def build(spark, as_of="2024-06-01"):
    ref = F.lit(as_of).cast("date")
    subs = (
        spark.table("subscribers")
        .filter(F.col("activated_on") <= ref)
        .withColumn("segment", F.coalesce("segment", F.lit("UNSEGMENTED")))
        .withColumn("tenure_months", F.floor(F.months_between(ref, "activated_on")).cast("int"))
        .withColumn(
            "tenure_band",
            F.when(F.col("tenure_months") < 3, "new")
            .when(F.col("tenure_months") < 12, "young")
            .otherwise("loyal"),
        )
    )
    last_call = (
        spark.table("cdrs")
        .filter(F.col("msisdn").isNotNull())
        .withColumn("day", F.to_date("started_at"))
        .filter(F.col("day") <= ref)
        .groupBy("msisdn")
        .agg(F.max("day").alias("last_call"))
    )
    last_data = (
        spark.table("data_usage")
        .filter(F.col("usage_date") <= ref)
        .filter(
            F.coalesce(F.col("home_mb"), F.lit(0)) + F.coalesce(F.col("roaming_mb"), F.lit(0)) > 0
        )
        .groupBy("msisdn")
        .agg(F.max("usage_date").alias("last_data"))
    )
    last_topup = (
        spark.table("topups")
        .withColumn("day", F.to_date("topup_at"))
        .filter(F.col("day") <= ref)
        .groupBy("msisdn")
        .agg(F.max("day").alias("last_topup"), F.sum("amount").alias("topup_total"))
    )
    activity = (
        subs.join(last_call, "msisdn", "left")
        .join(last_data, "msisdn", "left")
        .join(last_topup, "msisdn", "left")
        .withColumn("last_seen", F.greatest("last_call", "last_data", "last_topup"))
        .withColumn("topup_total", F.coalesce("topup_total", F.lit(0)))
    )
    classified = (
        activity.withColumn("churned", F.coalesce(F.col("deactivated_on") < ref, F.lit(False)))
        .withColumn(
            "dormant",
            ~F.col("churned")
            & (F.col("last_seen").isNull() | (F.datediff(ref, F.col("last_seen")) > INACTIVE_DAYS)),
        )
        .withColumn(
            "state",
            F.when(F.col("churned"), "CHURNED")
            .when(F.col("dormant"), "DORMANT")
            .otherwise("ACTIVE"),
        )
    )
    detail = classified.select(
        "msisdn", "segment", "tenure_months", "tenure_band", "last_seen", "topup_total", "state"
    )
    summary = (
        classified.groupBy("segment", "tenure_band")
        .agg(
            F.count("*").alias("n_lines"),
            F.sum(F.col("churned").cast("int")).alias("n_churned"),
            F.sum(F.col("dormant").cast("int")).alias("n_dormant"),
            F.sum("topup_total").alias("topup_total"),
        )
        .withColumn("n_active", F.col("n_lines") - F.col("n_churned") - F.col("n_dormant"))
    )
    win_back = (
        detail.filter(F.col("state") == "DORMANT")
        .filter(F.col("topup_total") > 0)
        .select("msisdn", "segment", "last_seen")
    )
    return {"line_state": detail, "churn_summary": summary, "win_back": win_back}
