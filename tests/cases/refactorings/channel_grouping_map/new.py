# title: when chains replaced with literal maps and a lookup join against an inline table with unique keys
# expect: equivalent
# kind: case vs lookup
from itertools import chain

from pyspark.sql import functions as F

STAGES = {"page_view": "browse", "click": "browse", "add_to_cart": "intent", "purchase": "buy"}
WEIGHTS = {"buy": 10, "intent": 3, "browse": 1}
DEVICES = {"mobile": "handheld", "tablet": "handheld", "desktop": "desk"}


def as_map(d):
    return F.create_map(*[F.lit(x) for x in chain(*d.items())])


def build(spark):
    events = (
        spark.table("events")
        .withColumn("stage", F.coalesce(as_map(STAGES)[F.lower("event_type")], F.lit("other")))
        .withColumn("weight", F.coalesce(as_map(WEIGHTS)[F.col("stage")], F.lit(0)))
        .select("session_id", "stage", "weight")
    )
    devices = spark.createDataFrame(list(DEVICES.items()), "device string, device_group string")
    sessions = (
        spark.table("sessions")
        .select("session_id", F.lower("device").alias("device"))
        .join(F.broadcast(devices), "device", "left")
    )
    return (
        events.join(sessions, "session_id", "left")
        .fillna("unknown", ["device_group"])
        .groupBy("stage", "device_group")
        .agg(F.sum("weight").alias("weight"), F.count(F.lit(1)).alias("events"))
    )
