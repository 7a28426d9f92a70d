from pyspark.sql import functions as F


def build(spark):
    per_device = (
        spark.table("devices")
        .join(spark.table("alerts"), "device_id", "left")
        .groupBy("device_id", "site_id")
        .agg(
            F.count("alert_id").alias("n_alerts"),
            F.sum(F.when(F.col("severity") == "high", 1).otherwise(0)).alias("n_high"),
            F.max("raised_at").alias("last_alert"),
        )
    )
    return (
        per_device.join(spark.table("sites"), "site_id", "left")
        .withColumn("quiet", F.col("n_alerts") == 0)
        .select("device_id", "site_name", "n_alerts", "n_high", "last_alert", "quiet")
    )
