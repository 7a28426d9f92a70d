# title: union replaced by a rollup whose grand total is dropped by region IS NOT NULL, which also drops the policies without a region
# expect: inequivalent
# kind: rollup nulls
from pyspark.sql import functions as F


def build(spark):
    return (
        spark.table("policies")
        .where("annual_premium > 0")
        .rollup("region", "product")
        .agg(F.sum("annual_premium").alias("premium"), F.count(F.lit(1)).alias("n"))
        .where(F.col("region").isNotNull())
        .withColumn("product", F.coalesce("product", F.lit("ALL")))
        .select("region", "product", "premium", "n")
    )
