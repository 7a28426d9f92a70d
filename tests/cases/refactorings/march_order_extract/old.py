from pyspark.sql import functions as F


def build(spark):
    orders = spark.table("orders").filter((F.year("order_ts") == 2024) & (F.month("order_ts") == 3))
    items = spark.table("order_items")
    lines = orders.join(items, "order_id", "left")
    return lines.groupBy("order_id", "channel").agg(
        F.count("line_no").alias("lines"),
        F.sum(F.col("qty") * F.col("unit_price")).alias("gross"),
        F.max("order_ts").alias("order_ts"),
    )
