from pyspark.sql import functions as F


def build(spark):
    shipments = spark.table("shipments")
    scans = spark.table("scans")
    returns = spark.table("returns").filter(F.col("shipment_id").isNotNull())

    undelivered = shipments.filter(F.col("delivered_on").isNull())
    delivered_scans = (
        scans.filter(F.col("scan_type") == "delivered").select("shipment_id").distinct()
    )
    stuck = (
        undelivered.join(delivered_scans, "shipment_id", "left_anti")
        .join(spark.table("carriers"), "carrier_id", "left")
        .select("shipment_id", "order_ref", "carrier_name", "promised_on")
    )
    unscanned = (
        shipments.join(scans.select("shipment_id", "scan_seq"), "shipment_id", "left")
        .filter(F.col("scan_seq").isNull())
        .select("shipment_id", "origin", "destination")
    )
    kept = (
        shipments.join(returns.select("shipment_id").distinct(), "shipment_id", "left_anti")
        .groupBy("origin")
        .agg(F.count("*").alias("kept"), F.sum("freight").alias("freight"))
    )
    return {"stuck": stuck, "unscanned": unscanned, "kept": kept}
