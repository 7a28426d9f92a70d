from pyspark.sql import functions as F


def build(spark):
    products = spark.table("products").filter(F.coalesce("active", F.lit(True)))
    sold = spark.table("order_items").filter(F.col("qty") > 0).select("sku").distinct()
    unsold = products.join(sold, "sku", "left_anti")
    returned = spark.table("returns").groupBy("sku").agg(F.sum("qty").alias("returned"))
    out = unsold.join(returned, "sku", "left").withColumn(
        "returned", F.coalesce("returned", F.lit(0))
    )
    return {
        "unsold": out.select(
            "sku",
            F.initcap(F.trim("title")).alias("title"),
            F.lower("category").alias("category"),
            "returned",
        ),
        "per_category": out.groupBy(F.lower("category").alias("category")).agg(
            F.count("*").alias("unsold")
        ),
    }
