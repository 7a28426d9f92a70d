from pyspark.sql import functions as F

CLAIM_TYPES = ["auto", "home", "health"]


def build(spark, year_start: str = "2023-01-01", year_end: str = "2023-12-31"):
    claims = (
        spark.table("claims")
        .filter(F.col("filed_on").between(year_start, year_end))
        .filter(~F.col("status").isin("rejected", "withdrawn"))
        .withColumn("claim_type", F.lower("claim_type"))
    )
    policies = spark.table("policies").filter(F.length("state") == 2)

    by_type = (
        claims.join(policies, "policy_id")
        .groupBy("state")
        .pivot("claim_type", CLAIM_TYPES)
        .agg(F.sum("amount"))
        .fillna(0, subset=CLAIM_TYPES)
    )
    premiums = policies.groupBy("state").agg(
        F.sum("premium").alias("premium"), F.count("*").alias("policies")
    )

    report = premiums.join(by_type, "state", "left")
    for claim_type in CLAIM_TYPES:
        report = report.withColumn(
            f"{claim_type}_share",
            F.when(F.col("premium") > 0, F.round(F.col(claim_type) / F.col("premium"), 4)),
        )
    report.repartition(1).write.mode("overwrite").insertInto("mart.claims_by_state")
