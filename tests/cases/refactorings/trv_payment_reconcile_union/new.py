# title: Payments and refunds unioned and aggregated once before one left join instead of two aggregates and two joins
# expect: equivalent
# kind: union then aggregate
from pyspark.sql import functions as F

TOLERANCE = 1
STATE_SQL = f"""
    CASE WHEN abs(diff) <= {TOLERANCE} THEN 'MATCHED'
         WHEN diff > 0 THEN 'OVERPAID'
         WHEN net_paid = 0 THEN 'UNPAID'
         ELSE 'PARTIAL' END
"""


def build(spark):
    movements = (
        spark.table("payments")
        .where("paid_at IS NOT NULL")
        .select("booking_id", "amount", F.lit("P").alias("kind"))
        .unionByName(
            spark.table("refunds").select("booking_id", "amount", F.lit("R").alias("kind"))
        )
        .groupBy("booking_id")
        .agg(
            F.sum(F.when(F.col("kind") == "P", F.col("amount"))).alias("paid"),
            F.sum(F.when(F.col("kind") == "R", F.col("amount"))).alias("refunded"),
            F.count(F.when(F.col("kind") == "P", 1)).alias("n_payments"),
            F.count(F.when(F.col("kind") == "R", 1)).alias("n_refunds"),
        )
    )
    merged = (
        spark.table("bookings")
        .selectExpr(
            "booking_id",
            "hotel_id",
            "coalesce(lower(trim(channel)), 'unknown') AS channel",
            "status",
            "coalesce(total_amount, 0) AS due",
        )
        .join(movements, "booking_id", "left")
        .fillna(0, subset=["paid", "refunded", "n_payments", "n_refunds"])
        .withColumn("net_paid", F.expr("paid - refunded"))
        .withColumn("expected", F.expr("CASE WHEN status = 'CANCELLED' THEN 0 ELSE due END"))
        .withColumn("diff", F.col("net_paid") - F.col("expected"))
        .withColumn("state", F.expr(STATE_SQL))
    )

    hotels = F.broadcast(spark.table("hotels").select("hotel_id", "hotel_name"))
    exceptions = (
        merged.where("state IN ('OVERPAID', 'UNPAID', 'PARTIAL')")
        .join(hotels, "hotel_id", "left")
        .fillna("n/a", subset=["hotel_name"])
        .select("booking_id", "hotel_name", "channel", "expected", "net_paid", "diff", "state")
    )
    by_channel = merged.groupBy("channel", "state").agg(
        F.count(F.lit(1)).alias("n_bookings"),
        F.sum("diff").alias("diff_total"),
        F.sum("n_payments").alias("n_payments"),
        F.sum("n_refunds").alias("n_refunds"),
    )
    orphans = spark.sql(
        """
        SELECT p.payment_id, p.booking_id, p.amount FROM payments p
        WHERE NOT EXISTS (SELECT 1 FROM bookings b WHERE b.booking_id = p.booking_id)
        """
    )
    return {"exceptions": exceptions, "by_channel": by_channel, "orphan_payments": orphans}
