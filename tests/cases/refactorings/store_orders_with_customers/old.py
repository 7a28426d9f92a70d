from pyspark.sql import functions as F


def build(spark, since="2024-01-01"):
    orders = spark.table("orders")
    customers = spark.table("customers")
    items = spark.table("order_items")
    totals = items.groupBy("order_id").agg(
        F.sum(F.col("qty").cast("bigint")).alias("units"), F.countDistinct("sku").alias("skus")
    )
    joined = (
        orders.join(customers, "customer_id", "left")
        .join(totals, "order_id", "left")
        .filter(F.col("order_ts") >= F.lit(since).cast("timestamp"))
        .filter(F.col("status").isin("shipped", "paid", "SHIPPED"))
        .filter(F.col("channel") != "phone")
    )
    return joined.select(
        "order_id",
        "customer_id",
        F.coalesce("country", F.lit("??")).alias("country"),
        "segment",
        F.coalesce("units", F.lit(0)).alias("units"),
        F.coalesce("skus", F.lit(0)).alias("skus"),
        "amount",
    )
