# title: newest balance found by joining with max(updated_at); two balances of an account updated at the same time are both kept (and unset updated_at lost)
# expect: inequivalent
# kind: latest per key
from pyspark.sql import functions as F


def build(spark, min_balance="0.00"):
    balances = spark.table("balances")
    last_update = balances.groupBy("account_id").agg(F.max("updated_at").alias("updated_at"))
    newest = balances.join(last_update, ["account_id", "updated_at"]).select(
        "account_id", "as_of", "balance", "updated_at"
    )
    accounts = spark.table("accounts").where("customer_id IS NOT NULL")
    return (
        accounts.join(newest, "account_id")
        .where(F.expr(f"balance >= cast('{min_balance}' as decimal(14,2))"))
        .groupBy("customer_id")
        .agg(
            F.count(F.lit(1)).alias("n_accounts"),
            F.sum("balance").alias("total_balance"),
            F.max("updated_at").alias("last_update"),
        )
    )
