# title: 90 days back replaced with three months back: the window starts on 2023-12-31 instead of 2024-01-01
# expect: inequivalent
# kind: constants computed
from pyspark.sql import functions as F


def build(spark, as_of="2024-03-31"):
    orders = spark.table("orders")
    in_window = (
        F.col("order_ts") >= F.add_months(F.lit(as_of).cast("date"), -3).cast("timestamp")
    ) & (F.col("order_ts") < F.date_add(F.lit(as_of).cast("date"), 1).cast("timestamp"))
    ok = (F.lower("status") != "cancelled") & (F.lower("status") != "returned")
    spend = (
        orders.where(in_window & ok)
        .groupBy("customer_id")
        .agg(
            F.sum("amount").alias("spend"),
            F.count("*").alias("orders"),
            F.max("order_ts").alias("last_order"),
        )
    )
    return (
        spark.table("customers")
        .select("customer_id", F.upper("country").alias("country"))
        .join(spend, "customer_id", "left")
        .fillna({"orders": 0})
        .select("customer_id", "country", "orders", "spend", "last_order")
    )
