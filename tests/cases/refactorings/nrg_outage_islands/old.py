from pyspark.sql import Window, functions as F


def build(spark):
    closed = spark.table("outages").filter(F.col("ended_at").isNotNull())
    order = Window.partitionBy("zone").orderBy("started_at", "outage_id")
    so_far = order.rowsBetween(Window.unboundedPreceding, -1)
    flagged = closed.withColumn("prev_end", F.max("ended_at").over(so_far)).withColumn(
        "starts_block",
        F.when(F.col("prev_end").isNull() | (F.col("started_at") > F.col("prev_end")), 1).otherwise(
            0
        ),
    )
    blocks = flagged.withColumn("block_no", F.sum("starts_block").over(order))
    merged = (
        blocks.groupBy("zone", "block_no")
        .agg(
            F.min("started_at").alias("started_at"),
            F.max("ended_at").alias("ended_at"),
            F.count("*").alias("n_outages"),
            F.sum("customers_hit").alias("customers_hit"),
        )
        .withColumn(
            "minutes",
            F.floor((F.unix_timestamp("ended_at") - F.unix_timestamp("started_at")) / F.lit(60)),
        )
    )
    zone_stats = merged.groupBy("zone").agg(
        F.count("*").alias("blocks"),
        F.sum("n_outages").alias("n_outages"),
        F.max("minutes").alias("longest"),
    )
    return {"merged": merged, "zone_stats": zone_stats}
