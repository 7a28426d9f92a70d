# title: The withColumn chain becomes one select and the usage aggregate a helper.
# expect: equivalent

import pyspark.sql.functions as F

SNAPSHOT = "2024-06-30"


def summarize_usage(usage, as_of):
    in_scope = (F.col("usage_date") <= as_of) & F.col("account_id").isNotNull()
    return (
        usage.where(in_scope)
        .groupBy("account_id")
        .agg(
            F.coalesce(F.sum("minutes"), F.lit(0)).alias("total_minutes"),
            F.max("usage_date").alias("last_seen"),
        )
    )


def build(spark):
    as_of = F.lit(SNAPSHOT).cast("date")
    accounts = spark.read.parquet("data/accounts.parquet")
    usage = summarize_usage(spark.read.parquet("data/usage.parquet"), as_of)
    complaints = (
        spark.read.parquet("data/complaints.parquet")
        .groupBy("account_id")
        .agg(F.count("*").alias("complaints"), F.max("severity").alias("worst_severity"))
    )

    idle_days = F.datediff(as_of, F.col("last_seen"))
    minutes = F.coalesce(F.col("total_minutes"), F.lit(0))
    at_risk = (idle_days > 60) | (F.col("worst_severity") >= 4)
    return (
        accounts.join(usage, "account_id", "left")
        .join(complaints, "account_id", "left")
        .select(
            "account_id",
            F.upper(F.trim("plan")).alias("plan"),
            F.datediff(as_of, F.col("signup_date")).alias("tenure_days"),
            idle_days.alias("idle_days"),
            minutes.alias("total_minutes"),
            F.coalesce(F.col("complaints"), F.lit(0)).alias("complaints"),
            (minutes == 0).alias("is_silent"),
            F.when(at_risk, 1).otherwise(0).alias("at_risk"),
        )
    )
