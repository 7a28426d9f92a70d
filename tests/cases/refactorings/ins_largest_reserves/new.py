# title: rank over the reserve replaced by row_number with claim_id as tie-break, which keeps only one of several equal reserves and renumbers them
# expect: inequivalent
# kind: rank ties
from pyspark.sql import functions as F


def build(spark, top=1):
    spark.sql("""
        SELECT c.policy_id, c.claim_id, c.reserve, p.agent_id,
               row_number() OVER (PARTITION BY c.policy_id
                                  ORDER BY c.reserve DESC, c.claim_id) AS rk
        FROM claims c JOIN policies p ON p.policy_id = c.policy_id
        WHERE c.reserve IS NOT NULL
    """).createOrReplaceTempView("ranked_claims")
    largest = spark.table("ranked_claims").where(f"rk < {top} + 2")
    agents = spark.table("agents").select("agent_id", "agent_name")
    by_agent = (
        largest.join(agents, "agent_id", "left")
        .groupBy("agent_name")
        .agg(F.count("claim_id").alias("large_claims"), F.sum("reserve").alias("reserve"))
    )
    return {"largest": largest.drop("agent_id"), "by_agent": by_agent}
