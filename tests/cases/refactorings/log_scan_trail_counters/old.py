from pyspark.sql import Window, functions as F


def build(spark):
    trail = Window.partitionBy("shipment_id").orderBy("scan_seq")
    upto = trail.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    before = trail.rowsBetween(Window.unboundedPreceding, -1)
    after = trail.rowsBetween(1, Window.unboundedFollowing)
    is_exception = F.when(F.col("scan_type") == "exception", 1).otherwise(0)
    scans = (
        spark.table("scans")
        .withColumn("pos", F.row_number().over(trail))
        .withColumn("exceptions_so_far", F.sum(is_exception).over(upto))
        .withColumn("scans_before", F.count("*").over(before))
        .withColumn("scans_after", F.count("*").over(after))
        .withColumn("prev_hub", F.lag("hub").over(trail))
        .withColumn("first_hub", F.first("hub").over(upto))
        .withColumn(
            "moved",
            F.col("prev_hub").isNotNull()
            & F.col("hub").isNotNull()
            & (F.col("prev_hub") != F.col("hub")),
        )
    )
    final = scans.filter(F.col("scans_after") == 0).select(
        "shipment_id",
        F.col("hub").alias("last_hub"),
        F.col("scan_type").alias("last_type"),
        F.col("exceptions_so_far").alias("exceptions"),
        F.col("pos").cast("bigint").alias("n_scans"),
    )
    status = (
        spark.table("shipments")
        .select("shipment_id", "order_ref")
        .join(final, "shipment_id", "left")
    )
    return {
        "trail": scans.select(
            "shipment_id",
            "scan_seq",
            "pos",
            "exceptions_so_far",
            "scans_before",
            "scans_after",
            "first_hub",
            "moved",
        ),
        "status": status,
    }
