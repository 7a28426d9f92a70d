from pyspark.sql import functions as F


def n_of(kind):
    return F.count(F.when(F.col("txn_type") == kind, 1)).alias(f"n_{kind}")


def build(spark):
    counts = (
        spark.table("transactions")
        .groupBy("account_id")
        .agg(n_of("credit"), n_of("debit"), F.sum("amount").alias("volume"))
    )
    return (
        spark.table("accounts")
        .select("account_id", "product", "currency")
        .join(counts, "account_id")
        .withColumn("debit_heavy", F.col("n_debit") > F.col("n_credit"))
        .select("account_id", "product", "currency", "n_credit", "n_debit", "volume", "debit_heavy")
    )
