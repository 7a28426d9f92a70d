# title: aggregated by hour first and from the hours by day: sum of sums over sum of counts, min of mins and max of maxes
# expect: equivalent
# kind: two step aggregate
from pyspark.sql import functions as F

METRICS = ["temp", "hum"]


def hourly(spark, metrics):
    return (
        spark.table("readings")
        .where(F.col("metric").isin(*metrics) & (F.coalesce(F.col("quality"), F.lit(1)) != 0))
        .groupBy("device_id", "metric", F.date_trunc("hour", "ts").alias("hour"))
        .agg(
            F.sum("value").alias("s"),
            F.count("value").alias("c"),
            F.count("*").alias("n"),
            F.min("value").alias("low"),
            F.max("value").alias("high"),
        )
    )


def build(spark, metrics=METRICS):
    hourly(spark, metrics).createOrReplaceTempView("hourly_readings")
    return spark.sql("""
        WITH daily AS (
            SELECT device_id, metric, cast(hour AS date) AS day,
                   sum(n) AS n, sum(c) AS value_n,
                   min(low) AS low, max(high) AS high,
                   cast(sum(s) AS decimal(20,3)) AS value_sum
            FROM hourly_readings
            GROUP BY device_id, metric, cast(hour AS date)
        )
        SELECT d.site_id, x.device_id, x.metric, x.day, x.n, x.value_n, x.low, x.high,
               CASE WHEN x.value_n > 0 THEN cast(x.value_sum / x.value_n AS decimal(14,4)) END AS mean,
               x.high - x.low AS spread
        FROM daily x JOIN devices d ON d.device_id = x.device_id
    """)
