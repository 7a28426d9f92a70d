# title: lines are aggregated per order first; the average quantity became an average of order averages
# expect: inequivalent
# kind: avg of avgs
from pyspark.sql import functions as F


def build(spark):
    per_order = (
        spark.table("order_items")
        .where("qty > 0")
        .groupBy("order_id")
        .agg(
            F.count("*").alias("lines"),
            F.avg("qty").alias("avg_qty"),
            F.max(F.expr("qty * unit_price")).alias("max_line"),
        )
    )
    orders = (
        spark.table("orders")
        .selectExpr(
            "order_id",
            "upper(trim(store_code)) as store",
            "cast(date_trunc('month', order_ts) as date) as month",
        )
        .where("store <> ''")
    )
    return (
        orders.join(per_order, "order_id")
        .groupBy("store", "month")
        .agg(
            F.count("order_id").alias("orders"),
            F.sum("lines").alias("lines"),
            F.avg("avg_qty").alias("avg_qty"),
            F.max("max_line").alias("max_line"),
        )
    )
