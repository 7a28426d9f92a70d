"""Core: monthly sales per product."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from retail.common.dates import month_start


def build(spark: SparkSession) -> DataFrame:
    orders = spark.table("retail_stg_orders")
    lines = spark.table("retail_stg_order_lines")
    products = spark.table("retail_stg_products")

    completed = orders.filter(F.col("is_completed")).select("order_id", "order_date")
    sold = lines.join(completed, "order_id").filter(F.col("product_id").isNotNull())

    monthly = (
        sold.withColumn("sales_month", month_start("order_date"))
        .groupBy("product_id", "sales_month")
        .agg(
            F.sum("quantity").alias("units"),
            F.sum("net_amount").cast("decimal(18,2)").alias("net_amount"),
            F.countDistinct("order_id").alias("order_count"),
            F.max("unit_price").alias("max_unit_price"),
        )
    )

    attributes = products.select("product_id", "category", "brand", "cost")
    df = monthly.join(attributes, "product_id", "inner").select(
        "product_id",
        "category",
        "brand",
        "sales_month",
        "units",
        "net_amount",
        "order_count",
        "max_unit_price",
        (F.col("units") * F.col("cost")).cast("decimal(18,2)").alias("cost_amount"),
    )
    df.write.mode("overwrite").saveAsTable("retail_product_sales")
    return df
