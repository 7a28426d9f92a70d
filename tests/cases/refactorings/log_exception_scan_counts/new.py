# title: the scan_type filter moved from the right side of the left join to after it (allowing unscanned), so shipments with only other scans are lost
# expect: inequivalent
# kind: outer join filter
from pyspark.sql import functions as F


def build(spark):
    joined = (
        spark.table("shipments")
        .join(spark.table("scans"), "shipment_id", "left")
        .where("scan_seq IS NULL OR scan_type = 'exception'")
    )
    per_carrier = joined.groupBy("carrier_id").agg(
        F.countDistinct("shipment_id").alias("shipments"),
        F.count("scan_seq").alias("exceptions"),
        F.countDistinct(F.when(F.col("scan_seq").isNotNull(), F.col("shipment_id"))).alias(
            "with_exceptions"
        ),
    )
    return per_carrier.join(spark.table("carriers"), "carrier_id", "left").select(
        "carrier_name", "shipments", "exceptions", "with_exceptions"
    )
