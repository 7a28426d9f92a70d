from pyspark.sql import functions as F


def build(spark):
    stores = spark.table("stores").filter(F.col("open"))
    inventory = spark.table("inventory").fillna(0, subset=["on_hand", "on_order"])
    rules = spark.table("reorder_rules").filter(F.col("supplier").isNotNull())

    positions = (
        inventory.join(stores, "store_id")
        .groupBy("sku", "region")
        .agg(
            F.sum("on_hand").alias("on_hand"),
            F.sum("on_order").alias("on_order"),
            F.count("*").alias("stores"),
        )
        .withColumn("available", F.col("on_hand") + F.col("on_order"))
    )
    orders = (
        positions.join(rules, "sku")
        .filter(F.col("reorder_point") >= F.col("available"))
        .withColumn("missing", F.col("reorder_point") - F.col("available"))
        .withColumn("lot_size", F.coalesce(F.col("lot_size"), F.lit(1)))
        .withColumn("urgent", F.col("on_hand") == 0)
    )
    return orders.select(
        "supplier", "region", "sku", "stores", "available", "missing", "lot_size", "urgent"
    )
