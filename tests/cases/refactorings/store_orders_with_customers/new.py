# title: filters on the left table pushed below both left joins, right side reduced with a semi join, coalesce replaced with fillna by column
# expect: equivalent
# kind: filter pushdown
from pyspark.sql import functions as F

KEEP = {"shipped", "paid", "SHIPPED"}


def load_orders(spark, since):
    return (
        spark.table("orders")
        .where(F.col("order_ts") >= F.lit(since).cast("timestamp"))
        .where(F.col("status").isin(sorted(KEEP)))
        .where("channel <> 'phone'")
        .select("order_id", "customer_id", "amount")
    )


def build(spark, since="2024-01-01"):
    orders = load_orders(spark, since)
    wanted = orders.select("order_id")
    totals = (
        spark.table("order_items")
        .join(wanted, "order_id", "left_semi")
        .groupBy("order_id")
        .agg(
            F.sum(F.expr("cast(qty as bigint)")).alias("units"),
            F.expr("count(distinct sku)").alias("skus"),
        )
    )
    customers = spark.table("customers").select("customer_id", "country", "segment")
    return (
        orders.join(totals, "order_id", "left")
        .join(customers, "customer_id", "left")
        .fillna({"units": 0, "skus": 0, "country": "??"})
        .select("order_id", "customer_id", "country", "segment", "units", "skus", "amount")
    )
