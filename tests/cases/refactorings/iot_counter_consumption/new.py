# title: the sum of lag differences within a day telescopes to last counter minus first counter (by max_by / min_by on the unique ts), and sites get their sums from the daily rows directly
# expect: equivalent
# kind: sum of differences
from pyspark.sql import functions as F


def build(spark):
    daily = (
        spark.table("counters")
        .groupBy("device_id", F.to_date("ts").alias("day"))
        .agg(
            (F.max_by("counter", "ts") - F.min_by("counter", "ts")).alias("consumed"),
            F.count(F.lit(1)).alias("n_reads"),
            F.max("ts").alias("last_read"),
        )
    )
    totals = daily.groupBy("device_id").agg(F.sum("consumed").alias("consumed"))
    totals.createOrReplaceTempView("device_totals")
    per_site = spark.sql("""
        SELECT d.site_id, s.site_name,
               count(d.device_id) AS devices,
               count_if(t.device_id IS NOT NULL) AS reporting,
               sum(t.consumed) AS consumed
        FROM devices d
        LEFT JOIN device_totals t ON t.device_id = d.device_id
        LEFT JOIN sites s ON s.site_id = d.site_id
        GROUP BY d.site_id, s.site_name
    """)
    return {"daily": daily, "per_site": per_site}
