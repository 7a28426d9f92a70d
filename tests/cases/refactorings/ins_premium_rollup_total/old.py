from pyspark.sql import functions as F

COLS = ["region", "product", "premium", "n"]


def build(spark):
    p = spark.table("policies").filter(F.col("annual_premium") > 0)
    agg = [F.sum("annual_premium").alias("premium"), F.count("*").alias("n")]
    detail = p.groupBy("region", "product").agg(*agg)
    regions = p.groupBy("region").agg(*agg).withColumn("product", F.lit("ALL"))
    return (
        detail.withColumn("region", F.coalesce("region", F.lit("unknown")))
        .select(*COLS)
        .unionByName(
            regions.withColumn("region", F.coalesce("region", F.lit("unknown"))).select(*COLS)
        )
    )
