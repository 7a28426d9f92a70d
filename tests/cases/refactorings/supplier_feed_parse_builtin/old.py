from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType


@F.udf(IntegerType())
def parse_qty(text):
    try:
        return int(text)
    except (TypeError, ValueError):
        return 0


def build(spark):
    feed = spark.table("supplier_feed").withColumn("qty", parse_qty("qty_text"))
    feed = feed.withColumn("sku", F.trim("sku")).filter(F.col("sku").isNotNull())
    stock = feed.groupBy("sku").agg(F.sum("qty").alias("received"), F.count("*").alias("lines"))
    out = spark.table("products").join(stock, "sku", "left")
    return out.select(
        "sku",
        F.upper("brand").alias("brand"),
        F.coalesce("received", F.lit(0)).alias("received"),
        F.coalesce("lines", F.lit(0)).alias("lines"),
    )
