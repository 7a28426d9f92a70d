# title: Next event by lead over (time, id) instead of a non-equi self join with min; aggregation before the dimension join
# expect: equivalent
# kind: window for self join
from pyspark.sql import Window, functions as F


def build(spark):
    timeline = Window.partitionBy("machine_id").orderBy("event_ts", "event_id")
    stops = (
        spark.table("machine_events")
        .withColumn("end_ts", F.lead("event_ts").over(timeline))
        .where("state = 'DOWN' AND end_ts IS NOT NULL")
        .select(
            "machine_id",
            F.expr("coalesce(reason_code, 'UNKNOWN')").alias("reason_code"),
            (F.unix_timestamp("end_ts") - F.unix_timestamp("event_ts")).alias("down_sec"),
        )
    )
    per_machine = stops.groupBy("machine_id", "reason_code").agg(
        F.count("*").alias("n_stops"),
        F.sum("down_sec").alias("down_sec"),
        F.max("down_sec").alias("longest_sec"),
    )
    machines = F.broadcast(spark.table("machines").select("machine_id", "line_id"))
    return (
        per_machine.join(machines, "machine_id", "left")
        .withColumn("down_min", F.expr("floor(down_sec / 60)"))
        .select(
            "line_id", "machine_id", "reason_code", "n_stops", "down_sec", "longest_sec", "down_min"
        )
    )
