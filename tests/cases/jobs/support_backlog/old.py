from pyspark.sql import functions as F


def build(spark, as_of: str = "2024-05-15"):
    cases = (
        spark.table("cases")
        .filter(F.col("closed_on").isNull())
        .withColumn("age_days", F.datediff(F.lit(as_of).cast("date"), F.col("opened_on")))
        .withColumn("queue", F.coalesce(F.col("queue"), F.lit("general")))
    )
    agents = spark.table("agents").select("agent_id", "team", "active")

    backlog = (
        cases.join(agents, "agent_id", "left")
        .filter(F.col("active"))
        .withColumn(
            "age_band",
            F.when(F.col("age_days") > 30, "old")
            .when(F.col("age_days") > 7, "aging")
            .otherwise("fresh"),
        )
        .withColumn("team", F.coalesce(F.col("team"), F.lit("unassigned")))
    )
    return backlog.groupBy("team", "queue", "age_band").agg(
        F.count("*").alias("cases"),
        F.max("age_days").alias("oldest_days"),
        F.countDistinct("agent_id").alias("agents"),
    )
