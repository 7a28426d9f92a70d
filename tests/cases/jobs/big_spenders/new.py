# title: The threshold is applied to single payments instead of the monthly total.
# expect: inequivalent

from pyspark.sql import DataFrame, SparkSession, functions as F

THRESHOLD = 500


def build(spark: SparkSession, threshold: int = THRESHOLD) -> DataFrame:
    payments = (
        spark.table("payments")
        .filter(F.col("paid_at").isNotNull() & (F.col("amount") >= threshold))
        .withColumn("month", F.trunc(F.to_date("paid_at"), "month"))
        .withColumn("is_card", F.col("method") == "card")
    )
    monthly = payments.groupBy("customer_id", "month").agg(
        F.sum("amount").alias("total"),
        F.count("*").alias("payments"),
        F.count(F.when(F.col("is_card"), 1)).alias("card_payments"),
    )
    customers = spark.table("customers").select("customer_id", "name", "vip")
    return (
        monthly.join(customers, "customer_id", "left")
        .withColumn("vip", F.coalesce(F.col("vip"), F.lit(False)))
        .withColumn("only_card", F.col("payments") == F.col("card_payments"))
        .drop("card_payments")
    )
