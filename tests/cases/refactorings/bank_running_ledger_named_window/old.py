from pyspark.sql import Window, functions as F


def signed(amount="amount", kind="txn_type"):
    return (
        F.when(F.col(kind) == "credit", F.col(amount))
        .when(F.col(kind) == "debit", -F.col(amount))
        .otherwise(F.lit(0).cast("decimal(12,2)"))
    )


def build(spark):
    txns = spark.table("transactions").withColumn("signed_amount", signed())
    by_account = Window.partitionBy("account_id").orderBy("booked_at", "txn_id")
    so_far = by_account.rowsBetween(Window.unboundedPreceding, Window.currentRow)

    ledger = (
        txns.withColumn("seq", F.row_number().over(by_account))
        .withColumn("running_balance", F.sum("signed_amount").over(so_far))
        .withColumn("fees_so_far", F.sum(F.coalesce("fee", F.lit(0))).over(so_far))
        .withColumn("paid_fees_so_far", F.count("fee").over(so_far))
        .withColumn("prev_booked_at", F.lag("booked_at").over(by_account))
        .withColumn("next_type", F.lead("txn_type", 1, "none").over(by_account))
        .withColumn("new_low", F.col("running_balance") == F.min("running_balance").over(so_far))
    )
    out = ledger.join(
        spark.table("accounts").select("account_id", "currency", "product"), "account_id", "left"
    )
    return out.select(
        "txn_id",
        "account_id",
        "currency",
        "product",
        "seq",
        "signed_amount",
        "running_balance",
        "fees_so_far",
        "paid_fees_so_far",
        "prev_booked_at",
        "next_type",
        "new_low",
    )
