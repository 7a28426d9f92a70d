# title: overlapping outages merged with NOT EXISTS an earlier outage still running (self anti join) instead of the running maximum of the ends
# expect: equivalent
# kind: sessionization
from pyspark.sql import functions as F


def build(spark):
    spark.table("outages").where("ended_at IS NOT NULL").createOrReplaceTempView("closed_outages")
    spark.sql("""
        SELECT o.zone, o.outage_id
        FROM closed_outages o
        WHERE NOT EXISTS (
            SELECT 1 FROM closed_outages e
            WHERE e.zone = o.zone
              AND (e.started_at < o.started_at
                   OR (e.started_at = o.started_at AND e.outage_id < o.outage_id))
              AND e.ended_at >= o.started_at)
    """).createOrReplaceTempView("block_starts")
    blocks = spark.sql("""
        SELECT o.*,
               count(s.outage_id) OVER (
                   PARTITION BY o.zone ORDER BY o.started_at, o.outage_id
                   ROWS UNBOUNDED PRECEDING) AS block_no
        FROM closed_outages o
        LEFT JOIN block_starts s ON s.outage_id = o.outage_id
    """)
    merged = (
        blocks.groupBy("zone", "block_no")
        .agg(
            F.min("started_at").alias("started_at"),
            F.max("ended_at").alias("ended_at"),
            F.count("outage_id").alias("n_outages"),
            F.sum("customers_hit").alias("customers_hit"),
        )
        .selectExpr(
            "*", "floor((unix_timestamp(ended_at) - unix_timestamp(started_at)) / 60) AS minutes"
        )
    )
    zone_stats = merged.groupBy("zone").agg(
        F.count("block_no").alias("blocks"),
        F.sum("n_outages").alias("n_outages"),
        F.max("minutes").alias("longest"),
    )
    return {"merged": merged, "zone_stats": zone_stats}
