# title: NOT EXISTS / EXISTS / NOT IN without nulls / left join is null rewritten as anti and semi joins and a marked left join; De Morgan on the order conditions
# expect: equivalent
# kind: distinct vs semi join
from pyspark.sql import functions as F


def build(spark, since="2024-03-01"):
    orders = spark.table("orders")
    customers = spark.table("customers")
    recent = (
        orders.where(F.col("order_ts") >= F.lit(since).cast("timestamp"))
        .where((F.col("status") != "cancelled") & (F.col("status") != "returned"))
        .where(F.col("amount") > 0)
        .select("customer_id")
        .distinct()
        .withColumn("is_recent", F.lit(True))
    )
    open_subs = (
        spark.table("subscriptions")
        .where(F.col("ended_on").isNull())
        .select(F.col("account_id").alias("customer_id"))
    )
    targets = (
        customers.where("trim(email) <> ''")
        .join(orders, "customer_id", "leftsemi")
        .join(open_subs, "customer_id", "leftanti")
        .join(recent, "customer_id", "left")
        .where("is_recent is null")
        .select(
            "customer_id",
            F.lower(F.trim("email")).alias("email"),
            F.upper("country").alias("country"),
        )
    )
    dead_stock = (
        spark.table("products")
        .join(spark.table("order_items"), ["sku"], "left_anti")
        .select("sku", "category")
    )
    return {"targets": targets, "dead_stock": dead_stock}
