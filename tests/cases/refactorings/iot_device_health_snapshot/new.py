# title: latest values by max_by with a filter per metric in one group by instead of row_number + pivot, peaks by window aggregates instead of joining the groups back
# expect: equivalent
# kind: latest per key
from pyspark.sql import Window, functions as F

METRICS = ["temp", "hum", "batt"]
LOW_BATTERY = "3.400"


def build(spark, metrics=METRICS):
    readings = spark.table("readings")
    valued = readings.where("value IS NOT NULL")
    snap = valued.groupBy("device_id").agg(
        *[
            F.expr(f"max_by(value, ts) FILTER (WHERE metric = '{m}')").alias(f"last_{m}")
            for m in metrics
        ],
        F.max(F.when(F.col("metric").isin(metrics), F.col("ts"))).alias("last_seen"),
    )
    snap.createOrReplaceTempView("device_snapshot")

    w = Window.partitionBy("device_id", "metric")
    vs_peak = (
        readings.select(
            "device_id",
            "metric",
            "ts",
            "value",
            F.max("value").over(w).alias("max_value"),
            F.count("value").over(w).alias("n_values"),
        )
        .where("value = max_value AND n_values > 1")
        .drop("max_value")
    )
    columns = ", ".join(f"s.last_{m}" for m in metrics)
    health = spark.sql(f"""
        WITH open_alerts AS (
            SELECT device_id, count_if(cleared_at IS NULL) AS n FROM alerts GROUP BY device_id
        )
        SELECT d.device_id, t.region, {columns}, s.last_seen,
               coalesce(a.n, 0) AS open_alerts,
               CASE WHEN s.last_seen IS NULL THEN 'silent'
                    WHEN s.last_batt < cast('{LOW_BATTERY}' AS decimal(10,3)) THEN 'low battery'
                    WHEN a.n > 0 THEN 'alerting'
                    ELSE 'ok' END AS state
        FROM devices d
        LEFT JOIN device_snapshot s ON s.device_id = d.device_id
        LEFT JOIN open_alerts a ON a.device_id = d.device_id
        LEFT JOIN sites t ON t.site_id = d.site_id
    """)
    by_region = health.groupBy("region", "state").count().withColumnRenamed("count", "devices")
    return {"health": health, "vs_peak": vs_peak, "by_region": by_region}
