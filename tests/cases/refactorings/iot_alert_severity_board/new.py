# title: pivot of counts (nulls filled by 0) as conditional counts in the same group by; silent devices by anti join instead of total = 0
# expect: equivalent
# kind: pivot conditional
from pyspark.sql import functions as F

SEVERITIES = ["low", "medium", "high"]


def build(spark):
    summary = (
        spark.table("alerts")
        .withColumn("sev", F.expr("lower(trim(severity))"))
        .groupBy("device_id")
        .agg(
            *[F.count(F.when(F.col("sev") == s, 1)).alias(s) for s in SEVERITIES],
            F.count("alert_id").alias("total"),
            F.count_if(F.col("cleared_at").isNull()).alias("still_open"),
            F.countDistinct("code").alias("codes"),
        )
    )
    numbers = SEVERITIES + ["total", "still_open", "codes"]
    devices = spark.table("devices")
    per_device = devices.join(summary, "device_id", "left").select(
        "device_id",
        "site_id",
        "model",
        *[F.coalesce(F.col(c), F.lit(0).cast("bigint")).alias(c) for c in numbers],
    )
    per_device.createOrReplaceTempView("device_board")
    noisy_sites = spark.sql("""
        SELECT s.site_id, s.site_name,
               sum(b.high) AS high,
               sum(b.total) AS total,
               count_if(b.total > 0) AS alerting_devices
        FROM device_board b JOIN sites s ON s.site_id = b.site_id
        GROUP BY s.site_id, s.site_name
        HAVING sum(b.total) >= 2
    """)
    silent = devices.select("device_id").join(spark.table("alerts"), "device_id", "left_anti")
    return {"per_device": per_device, "noisy_sites": noisy_sites, "silent": silent}
