from pyspark.sql import Window, functions as F


def build(spark, currency="EUR"):
    accounts = spark.table("accounts").filter(F.col("currency") == currency)
    txns = (
        spark.table("transactions")
        .filter(F.col("txn_type").isin("credit", "debit"))
        .withColumn(
            "delta",
            F.when(F.col("txn_type") == "credit", F.col("amount")).otherwise(-F.col("amount")),
        )
    )
    w = (
        Window.partitionBy("account_id")
        .orderBy("booked_at", "txn_id")
        .rowsBetween(Window.unboundedPreceding, 0)
    )
    running = (
        txns.join(accounts.select("account_id", "credit_limit"), "account_id")
        .withColumn("balance_after", F.sum("delta").over(w))
        .withColumn("ops_so_far", F.count(F.lit(1)).over(w))
    )
    breaches = running.filter(
        F.col("balance_after") < -F.coalesce(F.col("credit_limit"), F.lit(0).cast("decimal(12,2)"))
    ).select("account_id", "txn_id", "balance_after")
    return {
        "ledger": running.select("txn_id", "account_id", "delta", "balance_after", "ops_so_far"),
        "breaches": breaches,
    }
