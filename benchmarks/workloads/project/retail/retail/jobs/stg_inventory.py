"""Staging: latest stock per store and product."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from retail.common.cleaning import latest_per_key, non_negative


def build(spark: SparkSession) -> DataFrame:
    stock = spark.table("raw_inventory")
    keyed = stock.filter(
        F.col("store_id").isNotNull()
        & F.col("product_id").isNotNull()
        & F.col("snapshot_date").isNotNull()
    )

    # a day may be delivered twice: the higher count wins
    latest = latest_per_key(
        keyed,
        ["store_id", "product_id"],
        [F.desc("snapshot_date"), F.desc("on_hand"), F.desc("reserved")],
    )

    df = (
        latest.withColumn("on_hand", F.coalesce("on_hand", F.lit(0)))
        .withColumn("reserved", F.coalesce("reserved", F.lit(0)))
        .withColumn("available", non_negative(F.col("on_hand") - F.col("reserved")))
        .select(
            "store_id", "product_id", "snapshot_date", "on_hand", "reserved", "available"
        )
    )
    df.write.mode("overwrite").saveAsTable("retail_stg_inventory")
    return df
