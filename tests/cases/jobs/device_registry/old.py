from pyspark.sql import functions as F

SCHEMA = "device_id STRING, firmware STRING, beat_date DATE, uptime_s INT"


def build(spark, since: str = "2024-01-15"):
    beats = (
        spark.read.schema(SCHEMA)
        .csv("data/heartbeats.csv", header=True)
        .dropna(subset=["device_id"])
        .filter(F.col("beat_date") >= F.lit(since).cast("date"))
        .withColumn("firmware", F.coalesce(F.col("firmware"), F.lit("0.0")))
        .dropDuplicates()
    )
    devices = spark.table("devices")

    summary = (
        beats.groupBy("device_id", "firmware")
        .agg(
            F.count("*").alias("beats"),
            F.min("beat_date").alias("first_beat"),
            F.max("beat_date").alias("last_beat"),
            F.max("uptime_s").alias("max_uptime_s"),
        )
        .withColumn("days", F.datediff("last_beat", "first_beat") + 1)
    )
    return (
        devices.join(summary, "device_id", "left")
        .withColumn("beats", F.coalesce(F.col("beats"), F.lit(0)))
        .withColumn("is_alive", F.col("beats") > 0)
        .withColumn("model", F.upper("model"))
        .drop("owner")
    )
