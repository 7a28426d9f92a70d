from pyspark.sql import functions as F


def build(spark):
    exceptions = spark.table("scans").filter(F.col("scan_type") == "exception")
    per_shipment = (
        spark.table("shipments")
        .join(exceptions, "shipment_id", "left")
        .groupBy("shipment_id", "carrier_id", "delivered_on")
        .agg(
            F.count("scan_seq").alias("n_exceptions"),
            F.min("scanned_at").alias("first_exception"),
        )
    )
    per_carrier = (
        per_shipment.groupBy("carrier_id")
        .agg(
            F.count("*").alias("shipments"),
            F.sum("n_exceptions").alias("exceptions"),
            F.sum(F.when(F.col("n_exceptions") > 0, 1).otherwise(0)).alias("with_exceptions"),
        )
        .join(spark.table("carriers"), "carrier_id", "left")
        .select("carrier_name", "shipments", "exceptions", "with_exceptions")
    )
    return per_carrier
