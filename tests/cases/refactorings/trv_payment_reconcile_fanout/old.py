from pyspark.sql import functions as F

TOLERANCE = 1


def sum_by_booking(df, col_name, count_name):
    return df.groupBy("booking_id").agg(
        F.sum("amount").alias(col_name), F.count("*").alias(count_name)
    )


def build(spark):
    bookings = (
        spark.table("bookings")
        .withColumn("channel", F.lower(F.trim("channel")))
        .withColumn("channel", F.coalesce("channel", F.lit("unknown")))
        .withColumn("due", F.coalesce("total_amount", F.lit(0)))
        .select("booking_id", "hotel_id", "channel", "status", "due")
    )
    payments = spark.table("payments").filter(F.col("paid_at").isNotNull())
    paid = sum_by_booking(payments, "paid", "n_payments")
    refunded = sum_by_booking(spark.table("refunds"), "refunded", "n_refunds")
    merged = (
        bookings.join(paid, "booking_id", "left")
        .join(refunded, "booking_id", "left")
        .withColumn("paid", F.coalesce("paid", F.lit(0)))
        .withColumn("refunded", F.coalesce("refunded", F.lit(0)))
        .withColumn("n_payments", F.coalesce("n_payments", F.lit(0)))
        .withColumn("n_refunds", F.coalesce("n_refunds", F.lit(0)))
        .withColumn("net_paid", F.col("paid") - F.col("refunded"))
        .withColumn(
            "expected", F.when(F.col("status") == "CANCELLED", F.lit(0)).otherwise(F.col("due"))
        )
        .withColumn("diff", F.col("net_paid") - F.col("expected"))
        .withColumn(
            "state",
            F.when(F.abs("diff") <= TOLERANCE, "MATCHED")
            .when(F.col("diff") > 0, "OVERPAID")
            .when(F.col("net_paid") == 0, "UNPAID")
            .otherwise("PARTIAL"),
        )
    )
    hotels = spark.table("hotels").select("hotel_id", "hotel_name")
    exceptions = (
        merged.filter(F.col("state") != "MATCHED")
        .join(hotels, "hotel_id", "left")
        .withColumn("hotel_name", F.coalesce("hotel_name", F.lit("n/a")))
        .select("booking_id", "hotel_name", "channel", "expected", "net_paid", "diff", "state")
    )
    by_channel = (
        merged.groupBy("channel", "state")
        .agg(
            F.count("*").alias("n_bookings"),
            F.sum("diff").alias("diff_total"),
            F.sum("n_payments").alias("n_payments"),
            F.sum("n_refunds").alias("n_refunds"),
        )
        .filter(F.col("n_bookings") > 0)
    )
    orphans = (
        spark.table("payments")
        .join(spark.table("bookings").select("booking_id"), "booking_id", "left_anti")
        .select("payment_id", "booking_id", "amount")
    )
    return {"exceptions": exceptions, "by_channel": by_channel, "orphan_payments": orphans}
