from pyspark.sql import functions as F


def build(spark):
    orders = spark.table("orders")
    customers = spark.table("customers")
    joined = orders.join(customers, "customer_id", "left")
    joined = joined.filter((F.col("segment") != "bronze") & F.col("signup_date").isNotNull())
    joined = joined.filter(F.year("order_ts") == 2024)
    by_segment = joined.groupBy(
        F.lower("segment").alias("segment"), F.month("order_ts").alias("month")
    ).agg(
        F.count("*").alias("orders"),
        F.sum("amount").alias("amount"),
        F.countDistinct("customer_id").alias("buyers"),
    )
    return by_segment
