from pyspark.sql import functions as F

MIN_NET = 100


def build(spark):
    payments = spark.table("payments")
    claims = spark.table("claims").select("claim_id", "policy_id", "cause")
    policies = spark.table("policies").select("policy_id", "product", "annual_premium")

    rows = payments.withColumn("net", F.col("gross") - F.col("recovered")).join(claims, "claim_id")
    per_policy = rows.groupBy("policy_id").agg(
        F.sum("net").alias("net_paid"),
        F.count("*").alias("n_payments"),
        F.max("paid_on").alias("last_paid"),
    )
    result = (
        policies.join(per_policy, "policy_id", "left")
        .withColumn("net_paid", F.coalesce("net_paid", F.lit(0).cast("decimal(23,2)")))
        .withColumn("n_payments", F.coalesce("n_payments", F.lit(0)))
        .withColumn("margin", F.col("annual_premium") - F.col("net_paid"))
        .withColumn("loss_making", F.col("margin") < 0)
    )
    causes = (
        rows.groupBy(F.coalesce("cause", F.lit("other")).alias("cause"))
        .agg(F.sum("net").alias("net_paid"))
        .filter(F.col("net_paid") > MIN_NET)
    )
    return {"policy_margin": result, "causes": causes}
