from pyspark.sql import Window, functions as F


def build(spark):
    ev = (
        spark.table("events")
        .filter(~F.col("event_type").isNull() & ~F.col("visitor_id").isNull())
        .withColumn("visitor", F.lower("visitor_id"))
        .withColumn("etype", F.lower("event_type"))
        .withColumn("day", F.to_date("event_ts"))
        .filter(F.col("day").between("2024-01-01", "2024-12-31"))
    )
    w = (
        Window.partitionBy("visitor")
        .orderBy("day")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    daily = ev.groupBy("visitor", "day").agg(
        F.count("*").alias("events"),
        F.sum(F.when(F.col("etype") == "purchase", 1).otherwise(0)).alias("purchases"),
    )
    running = daily.withColumn("events_to_date", F.sum("events").over(w)).withColumn(
        "purchases_to_date", F.sum("purchases").over(w)
    )
    ordered = ev.withColumn(
        "seen", F.count("*").over(Window.partitionBy("visitor").orderBy("event_ts", "event_id"))
    )
    milestones = ordered.filter(F.col("seen").isin(1, 3, 5)).select(
        "visitor", "seen", "etype", "event_id"
    )
    return {"running": running, "milestones": milestones}
