# title: month condition turned into between on the timestamp, whose upper bound is midnight of March 31 and loses the last day
# expect: inequivalent
# kind: date ranges
from pyspark.sql import functions as F

MONTH_START, MONTH_END = "2024-03-01", "2024-03-31"


def build(spark):
    orders = spark.table("orders").filter(
        F.col("order_ts").between(
            F.lit(MONTH_START).cast("timestamp"), F.lit(MONTH_END).cast("timestamp")
        )
    )
    lines = (
        spark.table("order_items")
        .groupBy("order_id")
        .agg(F.count("*").alias("lines"), F.sum(F.expr("qty * unit_price")).alias("gross"))
    )
    return (
        orders.join(lines, "order_id", "left")
        .na.fill(0, ["lines"])
        .select("order_id", "channel", "lines", "gross", "order_ts")
    )
