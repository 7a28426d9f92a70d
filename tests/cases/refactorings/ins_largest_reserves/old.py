from pyspark.sql import Window, functions as F


def build(spark, top=1):
    claims = spark.table("claims").filter(F.col("reserve").isNotNull())
    policies = spark.table("policies").select("policy_id", "product", "agent_id")
    ranked = claims.join(policies, "policy_id").withColumn(
        "rk", F.rank().over(Window.partitionBy("policy_id").orderBy(F.desc("reserve")))
    )
    largest = ranked.filter(F.col("rk") <= top + 1)
    by_agent = (
        largest.join(spark.table("agents"), "agent_id", "left")
        .groupBy("agent_name")
        .agg(F.count("*").alias("large_claims"), F.sum("reserve").alias("reserve"))
    )
    return {
        "largest": largest.select("policy_id", "claim_id", "reserve", "rk"),
        "by_agent": by_agent,
    }
