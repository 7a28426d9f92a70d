from pyspark.sql import functions as F


def build(spark, start="2024-05-01 00:00:00", end="2024-06-01 00:00:00"):
    subs = (
        spark.table("subscribers")
        .join(spark.table("plans").select("plan_code", "monthly_fee"), "plan_code", "left")
        .withColumn("prepaid", F.coalesce(F.col("monthly_fee") == 0, F.lit(True)))
        .select("msisdn", "segment", "prepaid", F.coalesce("monthly_fee", F.lit(0)).alias("fee"))
    )
    topups = (
        spark.table("topups")
        .filter((F.col("topup_at") >= start) & (F.col("topup_at") < end))
        .groupBy("msisdn")
        .agg(F.sum("amount").alias("topup"))
    )
    usage = (
        spark.table("cdrs")
        .filter((F.col("started_at") >= start) & (F.col("started_at") < end))
        .groupBy("msisdn")
        .agg(F.sum("charge").alias("usage_charge"), F.count("*").alias("n_events"))
    )
    lines = (
        subs.join(topups, "msisdn", "left")
        .join(usage, "msisdn", "left")
        .na.fill(0, subset=["topup", "usage_charge", "n_events"])
    )
    return lines.groupBy("segment", "prepaid").agg(
        F.count("*").alias("n_lines"),
        F.sum("fee").alias("fees"),
        F.sum("topup").alias("topups"),
        F.sum("usage_charge").alias("usage"),
        F.sum("n_events").alias("n_events"),
        F.sum(F.when(F.col("n_events") == 0, 1).otherwise(0)).alias("silent_lines"),
    )
