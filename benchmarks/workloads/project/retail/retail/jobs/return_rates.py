"""Mart: return rates by category and price band."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from retail.common.constants import DEFAULT_CATEGORY
from retail.common.scoring import share_of

MIN_UNITS = 2


def build(spark: SparkSession) -> None:
    returns = spark.table("retail_order_returns")
    products = spark.table("retail_stg_products")

    attributes = products.select("product_id", "category", "price_band")
    enriched = returns.join(attributes, "product_id", "left").fillna(
        {"category": DEFAULT_CATEGORY, "price_band": "unknown"}
    )

    grouped = enriched.groupBy("category", "price_band").agg(
        F.sum("quantity").alias("sold_units"),
        F.sum("returned_units").alias("returned_units"),
        F.sum("refund_amount").alias("refund_amount"),
        F.sum(F.col("is_full_return").cast("int")).alias("full_returns"),
    )

    relevant = grouped.filter(F.col("sold_units") >= MIN_UNITS)
    rated = relevant.withColumn("return_rate", share_of("returned_units", "sold_units"))
    df = rated.withColumn(
        "rating",
        F.when(F.col("return_rate") > 0.25, "critical")
        .when(F.col("return_rate") > 0.1, "elevated")
        .otherwise("normal"),
    )
    df.write.mode("overwrite").saveAsTable("retail_return_rates")
