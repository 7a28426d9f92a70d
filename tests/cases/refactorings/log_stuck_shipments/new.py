# title: left_anti as NOT EXISTS and as NOT IN over a null-free list, left join + isNull on a NOT NULL column as left_anti
# expect: equivalent
# kind: anti joins
from pyspark.sql import functions as F


def build(spark):
    stuck = spark.sql("""
        SELECT s.shipment_id, s.order_ref, c.carrier_name, s.promised_on
        FROM shipments s
        LEFT JOIN carriers c ON c.carrier_id = s.carrier_id
        WHERE s.delivered_on IS NULL
          AND NOT EXISTS (
              SELECT * FROM scans x
              WHERE x.shipment_id = s.shipment_id AND x.scan_type = 'delivered')
    """)
    shipments = spark.table("shipments")
    unscanned = shipments.join(spark.table("scans"), on="shipment_id", how="anti").select(
        "shipment_id", "origin", "destination"
    )
    kept = spark.sql("""
        SELECT origin, count(*) AS kept, sum(freight) AS freight
        FROM shipments
        WHERE shipment_id NOT IN (
            SELECT shipment_id FROM returns WHERE shipment_id IS NOT NULL)
        GROUP BY origin
    """)
    return {"stuck": stuck, "unscanned": unscanned, "kept": kept}
