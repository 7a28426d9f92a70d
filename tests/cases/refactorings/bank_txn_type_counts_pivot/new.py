# title: count(when ...) per type replaced by a pivot on the two types, which gives null and not 0 for a type the account never had
# expect: inequivalent
# kind: pivot null zero
from pyspark.sql import functions as F

TYPES = ["credit", "debit"]


def build(spark):
    txns = spark.table("transactions")
    n_by_type = txns.groupBy("account_id").pivot("txn_type", TYPES).agg(F.count(F.lit(1)))
    volume = txns.groupBy("account_id").agg(F.sum("amount").alias("volume"))
    for t in TYPES:
        n_by_type = n_by_type.withColumnRenamed(t, f"n_{t}")
    accounts = spark.table("accounts").select("account_id", "product", "currency")
    return (
        accounts.join(n_by_type, "account_id")
        .join(volume, "account_id")
        .withColumn("debit_heavy", F.expr("n_debit > n_credit"))
        .select("account_id", "product", "currency", "n_credit", "n_debit", "volume", "debit_heavy")
    )
