from pyspark.sql import functions as F


def build(spark):
    claims = spark.table("claims")
    policies = spark.table("policies").withColumn("year", F.year("start_date"))
    mix = (
        policies.join(claims, "policy_id", "left")
        .groupBy("product", "year")
        .agg(
            F.countDistinct("policy_id").alias("policies"),
            F.count("claim_id").alias("claims"),
            F.countDistinct("cause", "severity").alias("cause_severity_mix"),
            F.sum("reserve").alias("reserve"),
        )
        .withColumn("has_claims", F.col("claims") > 0)
    )
    return mix.filter(F.col("policies") >= 1)
