# title: countDistinct(cause, severity) replaced by size(collect_set(struct)), which also counts combinations with a null in them
# expect: inequivalent
# kind: count distinct
from pyspark.sql import functions as F


def build(spark):
    joined = spark.table("policies").join(spark.table("claims"), "policy_id", "left")
    mix = joined.groupBy("product", F.year("start_date").alias("year")).agg(
        F.size(F.collect_set("policy_id")).cast("bigint").alias("policies"),
        F.count("claim_id").alias("claims"),
        F.size(F.collect_set(F.struct("cause", "severity")))
        .cast("bigint")
        .alias("cause_severity_mix"),
        F.sum("reserve").alias("reserve"),
    )
    return mix.withColumn("has_claims", F.expr("claims > 0"))
