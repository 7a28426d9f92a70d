from pyspark.sql import Window, functions as F


def with_steps(events):
    w = Window.partitionBy("claim_id").orderBy("event_no")
    return (
        events.withColumn("step", F.row_number().over(w))
        .withColumn("next_status", F.lead("status").over(w))
        .withColumn("next_at", F.lead("event_at").over(w))
        .withColumn("prev_adjuster", F.lag("adjuster").over(w))
        .withColumn(
            "secs_to_next",
            F.unix_timestamp(F.col("next_at")) - F.unix_timestamp(F.col("event_at")),
        )
    )


def build(spark):
    steps = with_steps(spark.table("claim_events"))
    handovers = steps.filter(
        F.col("prev_adjuster").isNotNull()
        & F.col("adjuster").isNotNull()
        & (F.col("prev_adjuster") != F.col("adjuster"))
    ).select("claim_id", "event_no", "step", "prev_adjuster", "adjuster")

    transitions = (
        steps.filter(F.col("next_status").isNotNull())
        .groupBy(F.col("status").alias("from_status"), F.col("next_status").alias("to_status"))
        .agg(
            F.count("*").alias("n"),
            F.sum("secs_to_next").alias("secs"),
            F.count("secs_to_next").alias("n_timed"),
        )
    )
    claims = spark.table("claims").join(spark.table("policies"), "policy_id")
    reopened = (
        steps.filter((F.col("status") == "rejected") & (F.col("next_status") == "open"))
        .select("claim_id")
        .distinct()
    )
    by_team = (
        claims.join(spark.table("agents"), "agent_id", "left")
        .join(reopened.withColumn("reopened", F.lit(1)), "claim_id", "left")
        .groupBy("team")
        .agg(F.count("*").alias("claims"), F.count("reopened").alias("reopened"))
    )
    return {"handovers": handovers, "transitions": transitions, "by_team": by_team}
