from pyspark.sql import functions as F


def build(spark):
    lines = (
        spark.table("order_items")
        .filter(F.col("qty") > 0)
        .withColumn("gross", F.col("qty") * F.col("unit_price"))
    )
    orders = (
        spark.table("orders")
        .withColumn("store", F.upper(F.trim("store_code")))
        .filter(~(F.col("store") == ""))
    )
    joined = lines.join(orders, "order_id")
    return joined.groupBy("store", F.trunc(F.to_date("order_ts"), "MM").alias("month")).agg(
        F.countDistinct("order_id").alias("orders"),
        F.count("*").alias("lines"),
        F.avg("qty").alias("avg_qty"),
        F.max("gross").alias("max_line"),
    )
