from pyspark.sql import functions as F


def build(spark):
    ev = spark.table("machine_events").select(
        "event_id", "machine_id", "event_ts", "state", "reason_code"
    )
    nxt = ev.select(
        F.col("machine_id").alias("n_machine"),
        F.col("event_ts").alias("n_ts"),
        F.col("event_id").alias("n_id"),
    )
    following = (
        ev.join(
            nxt,
            (F.col("machine_id") == F.col("n_machine"))
            & (
                (F.col("n_ts") > F.col("event_ts"))
                | ((F.col("n_ts") == F.col("event_ts")) & (F.col("n_id") > F.col("event_id")))
            ),
            "left",
        )
        .groupBy("event_id", "machine_id", "event_ts", "state", "reason_code")
        .agg(F.min("n_ts").alias("end_ts"))
    )
    stops = (
        following.filter(F.col("state") == "DOWN")
        .filter(F.col("end_ts").isNotNull())
        .withColumn("down_sec", F.unix_timestamp("end_ts") - F.unix_timestamp("event_ts"))
        .withColumn("reason_code", F.coalesce("reason_code", F.lit("UNKNOWN")))
    )
    machines = spark.table("machines").select("machine_id", "line_id")
    return (
        stops.join(machines, "machine_id", "left")
        .groupBy("line_id", "machine_id", "reason_code")
        .agg(
            F.count("*").alias("n_stops"),
            F.sum("down_sec").alias("down_sec"),
            F.max("down_sec").alias("longest_sec"),
        )
        .withColumn("down_min", F.floor(F.col("down_sec") / 60))
    )
