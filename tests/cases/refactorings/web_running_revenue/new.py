# title: default frame is fine for the unique daily rows, but the event counter lost its event_id tie-break, so events at the same time share one count
# expect: inequivalent
# kind: window frame
from pyspark.sql import Window, functions as F

YEAR = 2024


def build(spark):
    ev = (
        spark.table("events")
        .where("event_type is not null and visitor_id is not null")
        .where(
            (F.col("event_ts") >= F.lit(f"{YEAR}-01-01").cast("timestamp"))
            & (F.col("event_ts") < F.lit(f"{YEAR + 1}-01-01").cast("timestamp"))
        )
        .selectExpr(
            "event_id",
            "lower(visitor_id) as visitor",
            "lower(event_type) as etype",
            "cast(event_ts as date) as day",
            "event_ts",
        )
    )
    by_visitor = Window.partitionBy("visitor")
    daily = ev.groupBy("visitor", "day").agg(
        F.count(F.lit(1)).alias("events"),
        F.count(F.when(F.col("etype") == "purchase", 1)).alias("purchases"),
    )
    running = daily.select(
        "*",
        F.sum("events").over(by_visitor.orderBy("day")).alias("events_to_date"),
        F.sum("purchases").over(by_visitor.orderBy("day")).alias("purchases_to_date"),
    )
    milestones = (
        ev.withColumn("seen", F.count("*").over(by_visitor.orderBy("event_ts")))
        .where("seen in (1, 3, 5)")
        .select("visitor", "seen", "etype", "event_id")
    )
    return {"running": running, "milestones": milestones}
