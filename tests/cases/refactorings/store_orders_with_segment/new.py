# title: filters on the right table moved below a left join which was kept as left, so orders of filtered customers come back with a null segment
# expect: inequivalent
# kind: filter pushdown
from pyspark.sql import functions as F


def build(spark):
    orders = spark.table("orders").filter(
        (F.col("order_ts") >= F.lit("2024-01-01").cast("timestamp"))
        & (F.col("order_ts") < F.lit("2025-01-01").cast("timestamp"))
    )
    customers = (
        spark.table("customers")
        .filter(F.col("segment") != "bronze")
        .dropna(subset=["signup_date"])
        .select("customer_id", "segment")
    )
    return (
        orders.join(customers, "customer_id", "left")
        .withColumn("segment", F.lower("segment"))
        .withColumn("month", F.month("order_ts"))
        .groupBy("segment", "month")
        .agg(
            F.count(F.lit(1)).alias("orders"),
            F.sum("amount").alias("amount"),
            F.countDistinct("customer_id").alias("buyers"),
        )
    )
