from pyspark.sql import functions as F


def build(spark):
    txns = spark.table("transactions").filter(F.col("txn_type") == "debit")
    enriched = (
        txns.join(spark.table("accounts").drop("opened_on"), "account_id")
        .join(spark.table("customers").select("customer_id", "segment"), "customer_id")
        .withColumn("segment", F.coalesce("segment", F.lit("unknown")))
    )
    per_segment = (
        enriched.groupBy("segment")
        .agg(
            F.sum("fee").alias("fee_sum"),
            F.count("fee").alias("fee_n"),
            F.count("*").alias("n_debits"),
            F.sum("amount").alias("debit_amount"),
        )
        .filter(F.col("fee_n") > 0)
        .withColumn("avg_fee", (F.col("fee_sum") / F.col("fee_n")).cast("decimal(12,4)"))
        .select("segment", "n_debits", "debit_amount", "avg_fee")
    )
    return per_segment
