from pyspark.sql import functions as F


def build(spark):
    claims = spark.table("claims").select("claim_id", "policy_id")
    paid = (
        spark.table("payments")
        .join(claims, "claim_id")
        .join(spark.table("policies").select("policy_id", "product", "region"), "policy_id")
        .withColumn("region", F.coalesce("region", F.lit("none")))
        .withColumn("net_of_tax", F.col("gross") - F.col("tax"))
    )
    out = (
        paid.groupBy("product", "region")
        .agg(
            F.sum("gross").alias("gross"),
            F.sum("net_of_tax").alias("net_of_tax"),
            F.countDistinct("claim_id").alias("claims"),
        )
        .filter(F.col("claims") > 0)
    )
    return out
