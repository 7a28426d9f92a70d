# title: Fallback rate applied in the plan dimension before the left join: subscribers on unknown plans get a null total
# expect: inequivalent
# kind: coalesce before join
from pyspark.sql import functions as F

DEFAULT_PLAN = "PAYG"
FALLBACK_RATE = "0.1500"


def monthly_usage(spark, month_start):
    """All usage measures in one scan of the cdrs."""
    is_voice = F.upper("call_type") == "VOICE"
    minutes = F.expr("CAST(ceil(coalesce(duration_sec, 0) / 60) AS BIGINT)")
    return (
        spark.table("cdrs")
        .where("msisdn IS NOT NULL")
        .where(
            f"started_at >= DATE'{month_start}' AND started_at < add_months(DATE'{month_start}', 1)"
        )
        .groupBy("msisdn")
        .agg(
            F.sum(F.when(is_voice, minutes)).alias("minutes"),
            F.count(F.when(is_voice, 1)).alias("n_calls"),
            F.max(F.when(is_voice, F.coalesce("duration_sec", F.lit(0)))).alias("longest_sec"),
            F.sum(F.when(F.col("call_type") == "SMS", F.col("charge"))).alias("sms_charge"),
        )
    )


def active_subscribers(spark, month_start):
    return (
        spark.table("subscribers")
        .where(f"activated_on < add_months(DATE'{month_start}', 1)")
        .where(f"deactivated_on IS NULL OR deactivated_on >= DATE'{month_start}'")
        .fillna({"plan_code": DEFAULT_PLAN})
        .drop("activated_on", "deactivated_on")
    )


def build(spark, month_start="2024-05-01"):
    plans = spark.table("plans").selectExpr(
        "plan_code",
        "coalesce(monthly_fee, 0) AS monthly_fee",
        "included_minutes",
        f"coalesce(per_minute, {FALLBACK_RATE}) AS per_minute",
    )
    rated = (
        active_subscribers(spark, month_start)
        .join(F.broadcast(plans), "plan_code", "left")
        .join(monthly_usage(spark, month_start), "msisdn", "left")
        .fillna(0, subset=["minutes", "n_calls", "monthly_fee", "included_minutes", "sms_charge"])
        .withColumn("sms_charge", F.coalesce("sms_charge", F.lit(0)))
        .withColumn(
            "extra_minutes",
            F.expr(
                "CASE WHEN minutes > included_minutes THEN minutes - included_minutes ELSE 0 END"
            ),
        )
        .withColumn("voice_charge", F.col("extra_minutes") * F.col("per_minute"))
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
    by_plan = rated.groupBy("plan_code").agg(
        F.count("*").alias("n_subs"),
        F.sum("total").alias("revenue"),
        F.count_if(F.col("extra_minutes") > 0).alias("n_over"),
        (F.count_if(F.col("extra_minutes") > 0) == F.count("*")).alias("all_over"),
    )
    bills.createOrReplaceTempView("bills")
    by_customer = spark.sql(
        """
        SELECT customer_id, SUM(total) AS total, COUNT(*) AS n_lines
        FROM bills WHERE customer_id IS NOT NULL
        GROUP BY customer_id
        """
    )
    return {"bills": bills, "plan_revenue": by_plan, "customer_totals": by_customer}
