# title: lead / lag over event_no replaced by self joins on the row number (dense, so step + 1 is always the next event); reopened by semi-join flag
# expect: equivalent
# kind: self join
from pyspark.sql import Window, functions as F


def build(spark):
    numbered = spark.table("claim_events").withColumn(
        "step", F.row_number().over(Window.partitionBy("claim_id").orderBy("event_no"))
    )
    cur, nxt = numbered.alias("cur"), numbered.alias("nxt")

    pairs = cur.join(
        nxt,
        (F.col("cur.claim_id") == F.col("nxt.claim_id"))
        & (F.col("nxt.step") == F.col("cur.step") + 1),
        "inner",
    ).select(
        F.col("cur.claim_id").alias("claim_id"),
        F.col("nxt.event_no").alias("event_no"),
        F.col("nxt.step").alias("step"),
        F.col("cur.status").alias("from_status"),
        F.col("nxt.status").alias("to_status"),
        F.col("cur.adjuster").alias("prev_adjuster"),
        F.col("nxt.adjuster").alias("adjuster"),
        (F.unix_timestamp("nxt.event_at") - F.unix_timestamp("cur.event_at")).alias("secs"),
    )
    handovers = pairs.where("prev_adjuster <> adjuster").select(
        "claim_id", "event_no", "step", "prev_adjuster", "adjuster"
    )
    transitions = pairs.groupBy("from_status", "to_status").agg(
        F.count("*").alias("n"),
        F.sum("secs").alias("secs"),
        F.count("secs").alias("n_timed"),
    )
    pairs.createOrReplaceTempView("step_pairs")
    by_team = spark.sql("""
        SELECT a.team,
               count(*) AS claims,
               count_if(r.claim_id IS NOT NULL) AS reopened
        FROM claims c
        JOIN policies p ON p.policy_id = c.policy_id
        LEFT JOIN agents a ON a.agent_id = p.agent_id
        LEFT JOIN (
            SELECT DISTINCT claim_id FROM step_pairs
            WHERE from_status = 'rejected' AND to_status = 'open'
        ) r ON r.claim_id = c.claim_id
        GROUP BY a.team
    """)
    return {"handovers": handovers, "transitions": transitions, "by_team": by_team}
