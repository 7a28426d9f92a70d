# title: year/quarter/trunc/date_format conditions rewritten as half-open ranges on the raw columns
# expect: equivalent
# kind: date ranges
from pyspark.sql import functions as F

PERIODS = [
    ("q1", "2024-01-01", "2024-04-01"),
    ("may", "2024-05-01", "2024-06-01"),
    ("leap", "2024-02-28", "2024-03-02"),
]


def in_period(col, start, stop):
    return (F.col(col) >= F.lit(start).cast("timestamp")) & (
        F.col(col) < F.lit(stop).cast("timestamp")
    )


def build(spark):
    orders = spark.table("orders")
    tagged = None
    for name, start, stop in PERIODS:
        part = orders.where(in_period("order_ts", start, stop)).select(
            "order_id", "amount", F.lit(name).alias("period")
        )
        tagged = part if tagged is None else tagged.union(part)
    invoices = spark.table("invoices").where(
        "issued_on between date'2024-01-01' and date'2024-06-30'"
    )
    cohort = spark.table("customers").where(
        "signup_date >= date'2024-01-01' and signup_date < date'2024-03-01'"
    )
    return {
        "orders": tagged.groupBy("period").agg(
            F.count("*").alias("n"), F.sum("amount").alias("amount")
        ),
        "invoices": invoices.dropna(subset=["amount"])
        .groupBy("state")
        .agg(F.sum("amount").alias("amount")),
        "cohort": cohort.select("customer_id", "signup_date"),
    }
