from pyspark.sql import functions as F


def build(spark):
    lines = (
        spark.table("order_items")
        .join(spark.table("orders"), "order_id")
        .join(spark.table("products"), "sku", "left")
        .withColumn("category", F.lower(F.coalesce("category", F.lit("none"))))
        .withColumn("gross", F.col("qty") * F.col("unit_price"))
    )
    agg = lines.groupBy("category", "channel").agg(
        F.sum("gross").alias("gross"),
        F.countDistinct("order_id").alias("orders"),
        F.count("gross").alias("priced_lines"),
        F.max(F.to_date("order_ts")).alias("last_day"),
    )
    agg = agg.filter(~F.col("category").isin("toys", "none"))
    agg = agg.filter(~F.col("channel").isin("phone", "store"))
    agg = agg.filter(F.col("priced_lines") > 0)
    top = agg.groupBy("category").agg(
        F.max("gross").alias("best_gross"), F.sum("orders").alias("orders")
    )
    return {"detail": agg, "top": top}
