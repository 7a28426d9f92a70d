from pyspark.sql import Window, functions as F

CLOSED = ("paid", "rejected", "closed")


def build(spark):
    events = spark.table("claim_events")
    w = Window.partitionBy("claim_id").orderBy(F.desc("event_no"))
    current = (
        events.withColumn("rn", F.row_number().over(w))
        .filter("rn = 1")
        .selectExpr("claim_id", "status AS current_status", "adjuster", "event_no AS n_last")
    )
    firsts = (
        events.withColumn(
            "rn", F.row_number().over(Window.partitionBy("claim_id").orderBy("event_no"))
        )
        .filter("rn = 1")
        .select("claim_id", F.col("event_at").alias("first_event_at"))
    )
    status = (
        spark.table("claims")
        .join(current, "claim_id", "left")
        .join(firsts, "claim_id", "left")
        .withColumn("current_status", F.coalesce("current_status", F.lit("new")))
        .withColumn("is_closed", F.col("current_status").isin(*CLOSED))
        .select(
            "claim_id",
            "policy_id",
            "current_status",
            "adjuster",
            "n_last",
            "first_event_at",
            "is_closed",
            "reserve",
        )
    )
    open_by_product = (
        status.filter(~F.col("is_closed"))
        .join(spark.table("policies"), "policy_id")
        .groupBy("product")
        .agg(F.count("*").alias("open_claims"), F.sum("reserve").alias("open_reserve"))
    )
    return {"status": status, "open_by_product": open_by_product}
