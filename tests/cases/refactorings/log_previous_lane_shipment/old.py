from pyspark.sql import Window, functions as F


def build(spark):
    lane = Window.partitionBy("origin", "destination").orderBy("created_on", "shipment_id")
    shipments = (
        spark.table("shipments")
        .withColumn("prev_created", F.lag("created_on").over(lane))
        .withColumn("lane_no", F.row_number().over(lane))
        .withColumn("gap_days", F.datediff("created_on", "prev_created"))
    )
    gaps = shipments.select(
        "shipment_id", "origin", "destination", "lane_no", "prev_created", "gap_days"
    )
    by_carrier = (
        shipments.join(spark.table("carriers"), "carrier_id")
        .groupBy("carrier_name")
        .agg(F.max("gap_days").alias("max_gap"), F.count("gap_days").alias("n_gaps"))
    )
    return {"gaps": gaps, "by_carrier": by_carrier}
