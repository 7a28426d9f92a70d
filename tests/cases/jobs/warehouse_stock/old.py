from pyspark.sql import SparkSession, functions as F


def build(spark: SparkSession):
    stock = spark.read.parquet("data/stock.parquet")
    products = spark.read.parquet("data/products.parquet")
    warehouses = spark.read.parquet("data/warehouses.parquet")

    counted = (
        stock.fillna(0, subset=["quantity"])
        .withColumn("quantity", F.greatest(F.col("quantity"), F.lit(0)))
        .filter(F.col("counted_on").isNotNull())
    )
    valued = (
        counted.join(products, "sku", "left")
        .join(F.broadcast(warehouses), "warehouse", "left")
        .withColumn("value", F.col("quantity") * F.col("unit_cost"))
        .withColumn("region", F.coalesce("region", F.lit("n/a")))
    )

    by_region = valued.groupBy("region").agg(
        F.sum("value").alias("stock_value"),
        F.sum("quantity").alias("units"),
        F.countDistinct("sku").alias("skus"),
    )
    obsolete = (
        valued.filter(F.col("discontinued") & (F.col("quantity") > 0))
        .groupBy("warehouse", "sku", "title")
        .agg(F.sum("quantity").alias("units"), F.max("counted_on").alias("last_count"))
    )

    by_region.write.mode("overwrite").parquet("out/stock_by_region")
    obsolete.write.mode("overwrite").partitionBy("warehouse").parquet("out/obsolete_stock")
