# title: lead window over RUN and DOWN events only: a stop ended by another (or unknown) state now lasts until the next RUN or DOWN
# expect: inequivalent
# kind: filter before window
from pyspark.sql import Window, functions as F


def build(spark):
    timeline = Window.partitionBy("machine_id").orderBy("event_ts", "event_id")
    stops = (
        spark.table("machine_events")
        .where("state IN ('DOWN', 'RUN')")
        .withColumn("end_ts", F.lead("event_ts").over(timeline))
        .where("state = 'DOWN'")
        .where("end_ts IS NOT NULL")
        .withColumn("down_sec", F.expr("unix_timestamp(end_ts) - unix_timestamp(event_ts)"))
        .fillna({"reason_code": "UNKNOWN"})
    )
    machines = spark.table("machines").select("machine_id", "line_id")
    return (
        stops.join(F.broadcast(machines), "machine_id", "left")
        .groupBy("line_id", "machine_id", "reason_code")
        .agg(
            F.count("*").alias("n_stops"),
            F.sum("down_sec").alias("down_sec"),
            F.max("down_sec").alias("longest_sec"),
        )
        .withColumn("down_min", F.floor(F.col("down_sec") / 60))
    )
