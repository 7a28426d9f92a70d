from pyspark.sql import functions as F


def build(spark):
    orders = spark.table("orders")
    q1 = orders.filter((F.year("order_ts") == 2024) & (F.quarter("order_ts") == 1))
    may = orders.filter(F.trunc(F.to_date("order_ts"), "MM") == F.lit("2024-05-01").cast("date"))
    leap = orders.filter(F.col("order_ts").cast("date").between("2024-02-28", "2024-03-01"))
    h1_invoices = spark.table("invoices").filter(
        (F.year("issued_on") == 2024) & (F.month("issued_on") <= 6) & F.col("amount").isNotNull()
    )
    cohort = spark.table("customers").filter(
        F.date_format("signup_date", "yyyy-MM").isin("2024-01", "2024-02")
    )
    tagged = (
        q1.select("order_id", "amount", F.lit("q1").alias("period"))
        .unionByName(may.select("order_id", "amount", F.lit("may").alias("period")))
        .unionByName(leap.select("order_id", "amount", F.lit("leap").alias("period")))
    )
    return {
        "orders": tagged.groupBy("period").agg(
            F.count("*").alias("n"), F.sum("amount").alias("amount")
        ),
        "invoices": h1_invoices.groupBy("state").agg(F.sum("amount").alias("amount")),
        "cohort": cohort.select("customer_id", "signup_date"),
    }
