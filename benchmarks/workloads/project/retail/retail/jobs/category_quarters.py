"""Mart: yearly category sales with one column per quarter."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

QUARTERS = [1, 2, 3, 4]


def build(spark: SparkSession) -> DataFrame:
    sales = spark.table("retail_product_sales")

    dated = sales.withColumn("sales_year", F.year("sales_month")).withColumn(
        "quarter", F.quarter("sales_month")
    )

    pivoted = (
        dated.groupBy("category", "sales_year")
        .pivot("quarter", QUARTERS)
        .agg(F.sum("net_amount"))
    )
    amounts = pivoted.select(
        "category",
        "sales_year",
        *[F.coalesce(F.col(str(q)), F.lit(0)).alias(f"q{q}_amount") for q in QUARTERS],
    )

    df = amounts.withColumn(
        "year_amount",
        F.col("q1_amount") + F.col("q2_amount") + F.col("q3_amount") + F.col("q4_amount"),
    ).withColumn("has_christmas_sales", F.col("q4_amount") > 0)
    df.write.mode("overwrite").saveAsTable("retail_category_quarters")
    return df
