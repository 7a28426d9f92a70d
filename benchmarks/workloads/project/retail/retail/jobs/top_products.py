"""Mart: best selling products of each category."""

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from retail.common.scoring import share_of

TOP_N = 3


def build(spark: SparkSession) -> DataFrame:
    sales = spark.table("retail_product_sales")

    totals = sales.groupBy("category", "product_id").agg(
        F.sum("units").alias("units"),
        F.sum("net_amount").alias("net_amount"),
        F.max("sales_month").alias("last_sales_month"),
    )

    category = Window.partitionBy("category")
    ranking = category.orderBy(F.col("net_amount").desc(), F.col("product_id"))

    ranked = totals.withColumn("category_amount", F.sum("net_amount").over(category))
    ranked = ranked.withColumn("position", F.row_number().over(ranking))
    top = ranked.filter(F.col("position") <= TOP_N)

    df = top.select(
        "category",
        "position",
        "product_id",
        "units",
        "net_amount",
        share_of("net_amount", "category_amount").alias("category_share"),
        "last_sales_month",
    )
    df.write.mode("overwrite").saveAsTable("retail_top_products")
    return df
