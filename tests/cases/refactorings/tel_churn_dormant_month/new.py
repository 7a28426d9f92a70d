# title: Dormant after one calendar month instead of more than 30 days: differs where the month has 31 days
# expect: inequivalent
# kind: month vs days
from functools import reduce

from pyspark.sql import functions as F

INACTIVE_DAYS = 30


def _events(spark):
    calls = spark.table("cdrs").selectExpr(
        "msisdn", "to_date(started_at) AS day", "CAST(NULL AS DECIMAL(8,2)) AS amount"
    )
    data = (
        spark.table("data_usage")
        .where("coalesce(home_mb, 0) + coalesce(roaming_mb, 0) > 0")
        .selectExpr("msisdn", "usage_date AS day", "CAST(NULL AS DECIMAL(8,2)) AS amount")
    )
    topups = spark.table("topups").selectExpr("msisdn", "CAST(topup_at AS DATE) AS day", "amount")
    return reduce(lambda a, b: a.unionByName(b), [calls, data, topups])


def build(spark, as_of="2024-06-01", inactive_days=INACTIVE_DAYS):
    activity = (
        _events(spark)
        .where("msisdn IS NOT NULL")
        .where(F.col("day") <= F.to_date(F.lit(as_of)))
        .groupBy("msisdn")
        .agg(F.max("day").alias("last_seen"), F.sum("amount").alias("topup_total"))
    )
    classified = (
        spark.table("subscribers")
        .where(f"activated_on <= DATE'{as_of}'")
        .join(activity, "msisdn", "left")
        .withColumn("topup_total", F.coalesce("topup_total", F.lit(0)))
        .fillna({"segment": "UNSEGMENTED"})
        .withColumn(
            "tenure_months",
            F.expr(f"CAST(floor(months_between(DATE'{as_of}', activated_on)) AS INT)"),
        )
        .withColumn(
            "tenure_band",
            F.expr(
                "CASE WHEN tenure_months < 3 THEN 'new' WHEN tenure_months < 12 THEN 'young' ELSE 'loyal' END"
            ),
        )
        .withColumn(
            "state",
            F.expr(
                f"""CASE WHEN deactivated_on < DATE'{as_of}' THEN 'CHURNED'
                         WHEN last_seen IS NULL OR last_seen < add_months(DATE'{as_of}', -1) THEN 'DORMANT'
                         ELSE 'ACTIVE' END"""
            ),
        )
    )
    detail = classified.select(
        "msisdn", "segment", "tenure_months", "tenure_band", "last_seen", "topup_total", "state"
    )
    summary = detail.groupBy("segment", "tenure_band").agg(
        F.count("*").alias("n_lines"),
        *[F.count_if(F.col("state") == s).alias(f"n_{s.lower()}") for s in ("CHURNED", "DORMANT")],
        F.sum("topup_total").alias("topup_total"),
        F.count_if(F.col("state") == "ACTIVE").alias("n_active"),
    )
    win_back = detail.where("state = 'DORMANT' AND topup_total > 0").select(
        "msisdn", "segment", "last_seen"
    )
    return {"line_state": detail, "churn_summary": summary, "win_back": win_back}
