import pyspark.sql.functions as F

SNAPSHOT = "2024-06-30"


def build(spark):
    accounts = spark.read.parquet("data/accounts.parquet")
    usage = spark.read.parquet("data/usage.parquet")
    complaints = spark.read.parquet("data/complaints.parquet")

    usage_agg = (
        usage.where(F.col("usage_date") <= F.lit(SNAPSHOT).cast("date"))
        .where(F.col("account_id").isNotNull())
        .groupBy("account_id")
        .agg(
            F.sum("minutes").alias("total_minutes"),
            F.max("megabytes").alias("peak_megabytes"),
            F.max("usage_date").alias("last_seen"),
        )
    )
    complaint_agg = complaints.groupBy("account_id").agg(
        F.count("*").alias("complaints"),
        F.max("severity").alias("worst_severity"),
    )

    df = accounts.join(usage_agg, "account_id", "left").join(complaint_agg, "account_id", "left")
    df = df.withColumn(
        "tenure_days", F.datediff(F.lit(SNAPSHOT).cast("date"), F.col("signup_date"))
    )
    df = df.withColumn("idle_days", F.datediff(F.lit(SNAPSHOT).cast("date"), F.col("last_seen")))
    df = df.withColumn("total_minutes", F.coalesce(F.col("total_minutes"), F.lit(0)))
    df = df.withColumn("complaints", F.coalesce(F.col("complaints"), F.lit(0)))
    df = df.withColumn("is_silent", F.col("total_minutes") == 0)
    df = df.withColumn(
        "at_risk",
        F.when(F.col("idle_days") > 60, 1).when(F.col("worst_severity") >= 4, 1).otherwise(0),
    )
    df = df.withColumn("plan", F.upper(F.trim("plan")))
    return df.select(
        "account_id",
        "plan",
        "tenure_days",
        "idle_days",
        "total_minutes",
        "complaints",
        "is_silent",
        "at_risk",
    )
