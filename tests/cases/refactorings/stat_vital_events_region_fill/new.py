# title: Pivot to conditional sums, upper() of the event type got lost: lower case types are not counted
# expect: inequivalent
# kind: letter case
import datetime

from pyspark.sql import functions as F

MEASURES = {"births": "BIRTH", "deaths": "DEATH", "marriages": "MARRIAGE"}


def _count_of(code):
    return F.sum(F.when(F.col("event_type") == code, 1).otherwise(0))


def build(spark, year=2024):
    mun = spark.table("municipalities").withColumn(
        "municipality_name", F.initcap(F.trim("municipality_name"))
    )
    events = spark.table("vital_events").filter(
        F.col("event_date").between(datetime.date(year, 1, 1), datetime.date(year, 12, 31))
    )
    located = events.withColumn(
        "quarter", F.concat(F.lit("Q"), F.quarter("event_date").cast("string"))
    ).join(F.broadcast(mun), "municipality_code", "left")
    summary = (
        located.groupBy("region_code", "quarter")
        .agg(*[_count_of(code).alias(name) for name, code in MEASURES.items()])
        .withColumn("natural_increase", F.col("births") - F.col("deaths"))
    )
    late = (
        located.withColumn("delay", F.datediff(F.to_date("registered_at"), F.col("event_date")))
        .filter("delay > 1")
        .select("event_id", "municipality_name", "event_date", "registered_at")
    )
    return {"summary": summary, "late_registrations": late}
