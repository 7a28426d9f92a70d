from pyspark.sql import functions as F


def build(spark):
    sold = (
        spark.table("order_items")
        .groupBy("sku")
        .agg(F.sum("qty").alias("sold"), F.sum(F.col("qty") * F.col("unit_price")).alias("revenue"))
    )
    back = (
        spark.table("returns")
        .groupBy("sku")
        .agg(F.sum("qty").alias("returned"), F.count("*").alias("n_returns"))
    )
    out = (
        spark.table("products")
        .join(sold, "sku", "left")
        .join(back, "sku", "left")
        .withColumn("sold", F.coalesce(F.col("sold"), F.lit(0)))
        .withColumn("returned", F.coalesce(F.col("returned"), F.lit(0)))
        .withColumn("n_returns", F.coalesce(F.col("n_returns"), F.lit(0)))
        .withColumn("brand", F.coalesce(F.trim("brand"), F.lit("no brand")))
        .withColumn("net_units", F.col("sold") - F.col("returned"))
        .withColumn("flag", F.when(F.col("returned") * 2 > F.col("sold"), "high").otherwise("ok"))
    )
    return out.select(
        "sku", "brand", "category", "sold", "returned", "n_returns", "net_units", "flag", "revenue"
    )
