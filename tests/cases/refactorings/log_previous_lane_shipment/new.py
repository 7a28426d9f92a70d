# title: lag replaced by a self join on earlier created_on (strictly smaller date), so a second shipment of the same day no longer sees the first
# expect: inequivalent
# kind: self join
from pyspark.sql import functions as F


def build(spark):
    s = spark.table("shipments")
    s.createOrReplaceTempView("lane_shipments")
    gaps = spark.sql("""
        SELECT c.shipment_id, c.origin, c.destination, c.carrier_id,
               c.lane_no, max(p.created_on) AS prev_created,
               datediff(c.created_on, max(p.created_on)) AS gap_days
        FROM (
            SELECT *, row_number() OVER (PARTITION BY origin, destination
                                         ORDER BY created_on, shipment_id) AS lane_no
            FROM lane_shipments
        ) c
        LEFT JOIN lane_shipments p
          ON p.origin = c.origin AND p.destination = c.destination
         AND p.created_on < c.created_on
        GROUP BY c.shipment_id, c.origin, c.destination, c.carrier_id, c.lane_no, c.created_on
    """)
    by_carrier = (
        gaps.join(spark.table("carriers"), "carrier_id")
        .groupBy("carrier_name")
        .agg(F.max("gap_days").alias("max_gap"), F.count("gap_days").alias("n_gaps"))
    )
    return {"gaps": gaps.drop("carrier_id"), "by_carrier": by_carrier}
