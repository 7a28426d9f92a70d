from pyspark.sql import functions as F

SEVERITIES = ["low", "medium", "high"]


def build(spark):
    alerts = spark.table("alerts").withColumn("severity", F.lower(F.trim("severity")))
    board = (
        alerts.groupBy("device_id")
        .pivot("severity", SEVERITIES)
        .agg(F.count("alert_id"))
        .fillna(0, SEVERITIES)
    )
    extra = alerts.groupBy("device_id").agg(
        F.count("*").alias("total"),
        F.sum(F.when(F.col("cleared_at").isNull(), 1).otherwise(0)).alias("still_open"),
        F.countDistinct("code").alias("codes"),
    )
    per_device = (
        spark.table("devices")
        .select("device_id", "site_id", "model")
        .join(board, "device_id", "left")
        .join(extra, "device_id", "left")
        .fillna(0, SEVERITIES + ["total", "still_open", "codes"])
    )
    noisy_sites = (
        per_device.join(spark.table("sites"), "site_id")
        .groupBy("site_id", "site_name")
        .agg(
            F.sum("high").alias("high"),
            F.sum("total").alias("total"),
            F.sum(F.when(F.col("total") > 0, 1).otherwise(0)).alias("alerting_devices"),
        )
        .filter(F.col("total") >= 2)
    )
    silent = per_device.filter(F.col("total") == 0).select("device_id")
    return {"per_device": per_device, "noisy_sites": noisy_sites, "silent": silent}
