"""Staging: product master data with price bands."""

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType

from retail.common.cleaning import blank_to_null
from retail.common.constants import DEFAULT_CATEGORY


@F.udf(returnType=StringType())
def sku_family(sku):
    """SKUs look like FAMILY-SIZE-COLOUR."""
    if sku is None:
        return None
    return sku.strip().upper().split("-")[0]


def price_band(name: str) -> Column:
    price = F.col(name)
    return (
        F.when(price.isNull(), "unknown")
        .when(price < 10, "low")
        .when(price < 50, "mid")
        .otherwise("high")
    )


def build(spark: SparkSession) -> None:
    products = spark.table("raw_products")
    df = products.select(
        F.col("id").alias("product_id"),
        sku_family("sku").alias("sku_family"),
        F.trim("name").alias("product_name"),
        F.coalesce(F.lower(blank_to_null("category")), F.lit(DEFAULT_CATEGORY)).alias(
            "category"
        ),
        F.initcap(F.trim("brand")).alias("brand"),
        "cost",
        "list_price",
        (F.col("list_price") - F.col("cost")).alias("unit_margin"),
        price_band("list_price").alias("price_band"),
        (~F.coalesce(F.col("discontinued"), F.lit(False))).alias("is_active"),
    )
    df.write.mode("overwrite").saveAsTable("retail_stg_products")
