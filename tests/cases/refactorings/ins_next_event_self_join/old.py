from pyspark.sql import Window, functions as F


def build(spark):
    w = Window.partitionBy("claim_id").orderBy("event_no")
    events = (
        spark.table("claim_events")
        .withColumn("next_status", F.lead("status").over(w))
        .withColumn("next_at", F.lead("event_at").over(w))
    )
    return (
        spark.table("claims")
        .select("claim_id", "reported_on", "cause")
        .join(events, "claim_id")
        .withColumn("is_last", F.col("next_status").isNull())
        .withColumn("days_open", F.datediff("next_at", "event_at"))
        .select("claim_id", "cause", "event_no", "status", "next_status", "days_open", "is_last")
    )
