from pyspark.sql import Window, functions as F

METRICS = ["temp", "hum", "batt"]
LOW_BATTERY = "3.400"


def latest_values(readings):
    w = Window.partitionBy("device_id", "metric").orderBy(F.col("ts").desc())
    return (
        readings.filter(F.col("value").isNotNull())
        .withColumn("rn", F.row_number().over(w))
        .filter(F.col("rn") == 1)
        .select("device_id", "metric", "ts", "value")
    )


def snapshot(latest, metrics):
    values = latest.groupBy("device_id").pivot("metric", metrics).agg(F.max("value"))
    for m in metrics:
        values = values.withColumnRenamed(m, f"last_{m}")
    seen = (
        latest.filter(F.col("metric").isin(metrics))
        .groupBy("device_id")
        .agg(F.max("ts").alias("last_seen"))
    )
    return values.join(seen, "device_id", "left")


def build(spark, metrics=METRICS):
    readings = spark.table("readings")
    devices = spark.table("devices")
    latest = latest_values(readings)
    snap = snapshot(latest, metrics)

    peaks = readings.groupBy("device_id", "metric").agg(
        F.max("value").alias("max_value"), F.count("value").alias("n_values")
    )
    vs_peak = (
        readings.join(peaks, ["device_id", "metric"])
        .filter(F.col("value") == F.col("max_value"))
        .filter(F.col("n_values") > 1)
        .select("device_id", "metric", "ts", "value", "n_values")
    )
    open_alerts = (
        spark.table("alerts")
        .filter(F.col("cleared_at").isNull())
        .groupBy("device_id")
        .agg(F.count("*").alias("open_alerts"))
    )
    health = (
        devices.join(snap, "device_id", "left")
        .join(open_alerts, "device_id", "left")
        .join(spark.table("sites"), "site_id", "left")
        .withColumn("open_alerts", F.coalesce("open_alerts", F.lit(0)))
        .withColumn(
            "state",
            F.when(F.col("last_seen").isNull(), "silent")
            .when(F.col("last_batt") < F.lit(LOW_BATTERY).cast("decimal(10,3)"), "low battery")
            .when(F.col("open_alerts") > 0, "alerting")
            .otherwise("ok"),
        )
        .select(
            "device_id",
            "region",
            *[f"last_{m}" for m in metrics],
            "last_seen",
            "open_alerts",
            "state",
        )
    )
    by_region = health.groupBy("region", "state").agg(F.count("*").alias("devices"))
    return {"health": health, "vs_peak": vs_peak, "by_region": by_region}
