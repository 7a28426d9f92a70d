# title: date arithmetic, interval, casts of literals and arithmetic on thresholds computed by hand (365 days before 2024-12-31 is 2024-01-01, a leap year)
# expect: equivalent
# kind: constants computed
from pyspark.sql import functions as F


def build(spark):
    customers = spark.table("customers")
    orders = spark.table("orders")
    half = orders.where(
        "(amount >= 100 and amount < 250 or amount > 999.99) and order_ts < timestamp'2024-06-30 00:00:00'"
    )
    return {
        "veterans": customers.where("signup_date < date'2024-01-01'").selectExpr(
            "customer_id", "date'2024-12-31' as as_of", "1 as tier"
        ),
        "rookies": customers.where(
            (F.col("signup_date") >= F.lit("2024-02-29").cast("date"))
            & (F.col("signup_date") < F.lit("2025-01-01").cast("date"))
        ).select("customer_id", F.lit("20241231").alias("batch")),
        "half": half.select("order_id", "amount"),
        "first_week": orders.where(
            "order_ts >= timestamp'2024-01-01' and order_ts < timestamp'2024-01-08'"
        ).select("order_id"),
    }
