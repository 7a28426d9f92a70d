# title: sum(gross - tax) rewritten as sum(gross) - sum(tax), but tax is nullable and such payments used to be skipped
# expect: inequivalent
# kind: sum of differences
from pyspark.sql import functions as F


def build(spark):
    claim_totals = (
        spark.table("payments")
        .groupBy("claim_id")
        .agg(F.sum("gross").alias("gross"), F.sum("tax").alias("tax"))
    )
    return (
        claim_totals.join(spark.table("claims").select("claim_id", "policy_id"), "claim_id")
        .join(spark.table("policies"), "policy_id")
        .groupBy("product", F.expr("nvl(region, 'none')").alias("region"))
        .agg(
            F.sum("gross").cast("decimal(22,2)").alias("gross"),
            (F.sum("gross") - F.sum("tax")).cast("decimal(23,2)").alias("net_of_tax"),
            F.countDistinct("claim_id").alias("claims"),
        )
    )
