# title: semi join replaced with an inner join on purchases deduplicated by visitor and session, so visitors with purchases in two sessions count twice
# expect: inequivalent
# kind: distinct vs semi join
from pyspark.sql import functions as F


def build(spark, min_day="2024-01-01"):
    purchases = (
        spark.table("events")
        .filter(F.lower("event_type") == "purchase")
        .select("visitor_id", "session_id")
        .dropDuplicates()
    )
    sessions = spark.table("sessions").filter(F.to_date("started_at") >= F.lit(min_day))
    joined = sessions.join(purchases.select("visitor_id"), "visitor_id")
    return (
        joined.withColumn("day", F.to_date("started_at"))
        .withColumn("device", F.lower("device"))
        .groupBy("day", "device")
        .agg(
            F.count("*").alias("sessions"),
            F.sum("pageviews").alias("pageviews"),
            F.count(F.when(F.col("duration_s") >= 60, 1)).alias("engaged"),
        )
    )
