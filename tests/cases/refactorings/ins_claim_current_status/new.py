# title: first and last event of a claim by max_by / min_by in one group by instead of two row_number windows (claim_id, event_no is the key)
# expect: equivalent
# kind: latest per key
from pyspark.sql import functions as F

CLOSED = ("paid", "rejected", "closed")


def build(spark):
    ev = (
        spark.table("claim_events")
        .groupBy("claim_id")
        .agg(
            F.max_by("status", "event_no").alias("current_status"),
            F.max_by("adjuster", "event_no").alias("adjuster"),
            F.max("event_no").alias("n_last"),
            F.min_by("event_at", "event_no").alias("first_event_at"),
        )
    )
    ev.createOrReplaceTempView("claim_event_summary")
    closed = ", ".join(repr(s) for s in CLOSED)
    status = spark.sql(f"""
        SELECT c.claim_id, c.policy_id,
               coalesce(e.current_status, 'new') AS current_status,
               e.adjuster, e.n_last, e.first_event_at,
               coalesce(e.current_status, 'new') IN ({closed}) AS is_closed,
               c.reserve
        FROM claims c LEFT JOIN claim_event_summary e USING (claim_id)
    """)
    open_by_product = (
        spark.table("policies")
        .join(status.where("NOT is_closed"), "policy_id")
        .groupBy("product")
        .agg(F.count("claim_id").alias("open_claims"), F.sum("reserve").alias("open_reserve"))
    )
    return {"status": status, "open_by_product": open_by_product}
