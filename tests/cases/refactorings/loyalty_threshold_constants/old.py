from pyspark.sql import functions as F


def build(spark, cutoff="2024-12-31", days=365):
    cut = F.lit(cutoff).cast("date")
    customers = spark.table("customers")
    veterans = customers.filter(F.datediff(cut, F.col("signup_date")) > days)
    rookies = customers.filter(
        F.col("signup_date").between(F.add_months(F.lit("2024-01-31").cast("date"), 1), cut)
    )
    orders = spark.table("orders")
    big = orders.filter(F.col("amount") >= F.lit("100").cast("decimal(12,2)"))
    big = big.filter(
        ~F.col("amount").between(
            F.lit(10 * 50 - 250).cast("decimal(12,2)"), F.lit("0999.99").cast("decimal(12,2)")
        )
    )
    half = big.filter(
        F.col("order_ts") < F.lit("2024-07-01").cast("timestamp") - F.expr("INTERVAL 1 DAY")
    )
    first_week = orders.filter(
        (F.col("order_ts") >= F.lit("2024-01-01").cast("timestamp"))
        & (
            F.unix_timestamp("order_ts") - F.unix_timestamp(F.lit("2024-01-01 00:00:00"))
            < 7 * 24 * 3600
        )
    )
    return {
        "veterans": veterans.select(
            "customer_id",
            F.lit(cutoff).cast("date").alias("as_of"),
            F.lit("1").cast("int").alias("tier"),
        ),
        "rookies": rookies.select("customer_id", F.date_format(cut, "yyyyMMdd").alias("batch")),
        "half": half.select("order_id", "amount"),
        "first_week": first_week.select("order_id"),
    }
