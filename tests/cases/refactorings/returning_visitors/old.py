from pyspark.sql import functions as F


def build(spark):
    events = spark.table("events")
    sessions = spark.table("sessions")
    buyers = events.filter(F.lower("event_type") == "purchase").select("visitor_id").distinct()
    s = sessions.join(buyers, "visitor_id", "left_semi")
    daily = s.groupBy(F.to_date("started_at").alias("day"), F.lower("device").alias("device")).agg(
        F.count("*").alias("sessions"),
        F.sum("pageviews").alias("pageviews"),
        F.sum(F.when(F.col("duration_s") >= 60, 1).otherwise(0)).alias("engaged"),
    )
    return daily.filter(F.col("day") >= F.lit("2024-01-01"))
