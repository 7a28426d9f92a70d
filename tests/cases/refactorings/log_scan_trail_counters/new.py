# title: cumulative counters rewritten from one row_number and a total count; last scan by max_by and plain aggregates instead of the last window row
# expect: equivalent
# kind: cumulative counts
from pyspark.sql import functions as F


def build(spark):
    trail = spark.sql("""
        SELECT shipment_id, scan_seq,
               row_number() OVER w AS pos,
               count(CASE WHEN scan_type = 'exception' THEN 1 END) OVER w AS exceptions_so_far,
               row_number() OVER w - 1L AS scans_before,
               count(*) OVER (PARTITION BY shipment_id) - row_number() OVER w AS scans_after,
               first_value(hub) OVER w AS first_hub,
               coalesce(lag(hub) OVER w <> hub, false) AS moved
        FROM scans
        WINDOW w AS (PARTITION BY shipment_id ORDER BY scan_seq)
    """)
    last = (
        spark.table("scans")
        .groupBy("shipment_id")
        .agg(
            F.max_by("hub", "scan_seq").alias("last_hub"),
            F.max_by("scan_type", "scan_seq").alias("last_type"),
            F.count_if(F.col("scan_type") == "exception").alias("exceptions"),
            F.count("*").alias("n_scans"),
        )
    )
    status = (
        spark.table("shipments")
        .join(last, "shipment_id", "left")
        .select("shipment_id", "order_ref", "last_hub", "last_type", "exceptions", "n_scans")
    )
    return {"trail": trail, "status": status}
