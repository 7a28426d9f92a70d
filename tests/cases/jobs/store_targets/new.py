# title: The missing sales of a store are no longer filled with zero before they are compared with the target.
# expect: inequivalent

from pyspark.sql import functions as F


def monthly_sales(spark, month):
    return (
        spark.table("sales")
        .filter(F.date_format("sold_on", "yyyy-MM") == month)
        .groupBy("store_id")
        .agg(F.sum("amount").alias("sales"), F.countDistinct("sold_on").alias("sales_days"))
    )


def build(spark, month: str = "2024-03"):
    stores = spark.table("stores")
    targets = spark.table("targets")

    compared = (
        stores.join(targets, "store_id")
        .join(monthly_sales(spark, month), "store_id", "left")
        .withColumn("sales_days", F.coalesce(F.col("sales_days"), F.lit(0)))
        .withColumn("gap", F.col("target") - F.col("sales"))
        .withColumn(
            "result",
            F.when(F.col("sales") < F.col("target"), "missed").otherwise("reached"),
        )
    )
    compared.select(
        "store_id", "city", "sales", "target", "gap", "sales_days", "result"
    ).write.mode("overwrite").parquet("out/store_targets")
