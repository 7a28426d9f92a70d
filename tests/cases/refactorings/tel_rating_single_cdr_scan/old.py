from pyspark.sql import functions as F

DEFAULT_PLAN = "PAYG"
FALLBACK_RATE = "0.1500"


def build(spark, month_start="2024-05-01"):
    month_end = F.add_months(F.lit(month_start).cast("date"), 1)
    calls = (
        spark.table("cdrs")
        .filter(F.col("msisdn").isNotNull())
        .filter(F.upper("call_type") == "VOICE")
        .filter(F.to_date("started_at") >= F.lit(month_start).cast("date"))
        .filter(F.to_date("started_at") < month_end)
        .withColumn("duration_sec", F.coalesce("duration_sec", F.lit(0)))
        .withColumn("minutes", F.ceil(F.col("duration_sec") / 60).cast("bigint"))
    )
    voice = calls.groupBy("msisdn").agg(
        F.sum("minutes").alias("minutes"), F.count("*").alias("n_calls")
    )
    longest = calls.groupBy("msisdn").agg(F.max("duration_sec").alias("longest_sec"))
    sms = (
        spark.table("cdrs")
        .filter(F.col("call_type") == "SMS")
        .filter(F.to_date("started_at") >= F.lit(month_start).cast("date"))
        .filter(F.to_date("started_at") < month_end)
        .groupBy("msisdn")
        .agg(F.sum("charge").alias("sms_charge"))
    )
    subs = (
        spark.table("subscribers")
        .filter(F.col("activated_on") < month_end)
        .filter(
            F.col("deactivated_on").isNull()
            | (F.col("deactivated_on") >= F.lit(month_start).cast("date"))
        )
        .withColumn("plan_code", F.coalesce("plan_code", F.lit(DEFAULT_PLAN)))
        .select("msisdn", "customer_id", "plan_code", "segment")
    )
    plans = spark.table("plans").select(
        "plan_code", "monthly_fee", "included_minutes", "per_minute"
    )
    rated = (
        subs.join(plans, "plan_code", "left")
        .join(voice, "msisdn", "left")
        .join(longest, "msisdn", "left")
        .join(sms, "msisdn", "left")
        .withColumn("minutes", F.coalesce("minutes", F.lit(0)))
        .withColumn("n_calls", F.coalesce("n_calls", F.lit(0)))
        .withColumn("monthly_fee", F.coalesce("monthly_fee", F.lit(0)))
        .withColumn("included_minutes", F.coalesce("included_minutes", F.lit(0)))
        .withColumn("per_minute", F.coalesce("per_minute", F.expr(FALLBACK_RATE)))
        .withColumn(
            "extra_minutes", F.greatest(F.col("minutes") - F.col("included_minutes"), F.lit(0))
        )
        .withColumn("voice_charge", F.col("extra_minutes") * F.col("per_minute"))
        .withColumn("sms_charge", F.coalesce("sms_charge", F.lit(0)))
        .withColumn(
            "total", F.round(F.col("monthly_fee") + F.col("voice_charge") + F.col("sms_charge"), 2)
        )
    )
    bills = rated.select(
        "msisdn",
        "customer_id",
        "plan_code",
        "minutes",
        "n_calls",
        "longest_sec",
        "extra_minutes",
        "total",
    )
    by_plan = (
        rated.groupBy("plan_code")
        .agg(
            F.count("*").alias("n_subs"),
            F.sum("total").alias("revenue"),
            F.sum(F.when(F.col("extra_minutes") > 0, 1).otherwise(0)).alias("n_over"),
        )
        .withColumn("all_over", F.col("n_over") == F.col("n_subs"))
    )
    by_customer = (
        bills.filter(F.col("customer_id").isNotNull())
        .groupBy("customer_id")
        .agg(F.sum("total").alias("total"), F.count("msisdn").alias("n_lines"))
    )
    return {"bills": bills, "plan_revenue": by_plan, "customer_totals": by_customer}
