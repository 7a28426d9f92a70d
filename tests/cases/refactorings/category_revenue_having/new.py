# title: filters on group keys pushed below the aggregate and the join (left join becomes inner as null categories are excluded), countDistinct replaced with two-step grouping
# expect: equivalent
# kind: filter through aggregate
from pyspark.sql import functions as F


def build(spark):
    orders = (
        spark.table("orders")
        .where("channel <> 'phone' and channel <> 'store'")
        .select("order_id", "channel", F.col("order_ts").cast("date").alias("day"))
    )
    products = (
        spark.table("products")
        .where(~F.lower("category").isin("toys", "none"))
        .select("sku", F.lower("category").alias("category"))
    )
    lines = (
        spark.table("order_items")
        .where("sku is not null")
        .join(products, "sku")
        .join(orders, "order_id")
        .selectExpr("category", "channel", "order_id", "day", "qty * unit_price as gross")
    )
    per_order = lines.groupBy("category", "channel", "order_id").agg(
        F.sum("gross").alias("gross"),
        F.count("gross").alias("priced_lines"),
        F.max("day").alias("last_day"),
    )
    agg = (
        per_order.groupBy("category", "channel")
        .agg(
            F.sum("gross").cast("decimal(31,2)").alias("gross"),
            F.count("order_id").alias("orders"),
            F.sum("priced_lines").alias("priced_lines"),
            F.max("last_day").alias("last_day"),
        )
        .where("priced_lines > 0")
    )
    top = agg.groupBy("category").agg(
        F.max("gross").alias("best_gross"), F.sum("orders").alias("orders")
    )
    return {"detail": agg, "top": top}
