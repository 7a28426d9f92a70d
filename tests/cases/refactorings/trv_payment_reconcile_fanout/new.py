# title: Both joins before one aggregation: payments times refunds multiply, the sums are too high (counts are distinct)
# expect: inequivalent
# kind: join fan-out
from pyspark.sql import functions as F

TOLERANCE = 1
STATE_SQL = f"""
    CASE WHEN abs(diff) <= {TOLERANCE} THEN 'MATCHED'
         WHEN diff > 0 THEN 'OVERPAID'
         WHEN net_paid = 0 THEN 'UNPAID'
         ELSE 'PARTIAL' END
"""


def build(spark):
    payments = (
        spark.table("payments")
        .where("paid_at IS NOT NULL")
        .selectExpr("booking_id", "payment_id", "amount AS pay_amount")
    )
    refunds = spark.table("refunds").selectExpr(
        "booking_id", "refund_id", "amount AS refund_amount"
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
        .join(payments, "booking_id", "left")
        .join(refunds, "booking_id", "left")
        .groupBy("booking_id", "hotel_id", "channel", "status", "due")
        .agg(
            F.coalesce(F.sum("pay_amount"), F.lit(0)).alias("paid"),
            F.coalesce(F.sum("refund_amount"), F.lit(0)).alias("refunded"),
            F.countDistinct("payment_id").alias("n_payments"),
            F.countDistinct("refund_id").alias("n_refunds"),
        )
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
