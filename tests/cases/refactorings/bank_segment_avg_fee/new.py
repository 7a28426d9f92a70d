# title: aggregated per account first and then per segment, but the account count of debits is used as the divisor of the fees (count(*) and not count(fee))
# expect: inequivalent
# kind: sum over count
from pyspark.sql import functions as F


def build(spark):
    per_account = (
        spark.table("transactions")
        .where("txn_type = 'debit'")
        .groupBy("account_id")
        .agg(
            F.sum("fee").alias("fee_sum"),
            F.count("*").alias("n_debits"),
            F.sum("amount").alias("debit_amount"),
        )
    )
    segments = spark.table("customers").selectExpr(
        "customer_id", "coalesce(segment, 'unknown') AS segment"
    )
    return (
        per_account.join(spark.table("accounts").select("account_id", "customer_id"), "account_id")
        .join(segments, "customer_id")
        .groupBy("segment")
        .agg(
            F.sum("n_debits").alias("n_debits"),
            F.sum("debit_amount").cast("decimal(22,2)").alias("debit_amount"),
            F.sum("fee_sum").cast("decimal(20,2)").alias("fees"),
        )
        .where("fees IS NOT NULL")
        .withColumn("avg_fee", (F.col("fees") / F.col("n_debits")).cast("decimal(12,4)"))
        .select("segment", "n_debits", "debit_amount", "avg_fee")
    )
