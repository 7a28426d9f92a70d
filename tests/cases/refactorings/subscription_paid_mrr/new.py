# title: SQL view chain rewritten in the DataFrame API; having on the plan moved before the joins (plan is a group key; account_id is the key of accounts)
# expect: equivalent
# kind: SQL vs DataFrame
from pyspark.sql import functions as F


def live_subs(spark):
    return (
        spark.table("subscriptions")
        .filter(F.lower("status").isin("active", "past_due"))
        .filter(~F.col("plan").startswith("trial"))
        .select(
            "sub_id",
            "account_id",
            F.lower("plan").alias("plan"),
            F.coalesce("mrr", F.lit(0)).alias("mrr"),
        )
        .filter(F.col("plan") != "basic")
    )


def paid(spark):
    inv = spark.table("invoices").filter(F.lower("state") == "paid")
    return inv.groupBy("sub_id").agg(
        F.sum("amount").alias("paid"), F.count("*").alias("n_invoices")
    )


def build(spark):
    sub_paid = (
        live_subs(spark)
        .join(paid(spark), "sub_id", "left")
        .withColumn("paid", F.coalesce("paid", F.lit(0)))
        .withColumn("n_invoices", F.coalesce("n_invoices", F.lit(0)))
    )
    accounts = spark.table("accounts").select(
        "account_id", F.upper(F.trim("company")).alias("company")
    )
    return (
        sub_paid.join(accounts, "account_id")
        .groupBy("account_id", "company", "plan")
        .agg(
            F.sum("mrr").alias("mrr"),
            F.sum("paid").alias("paid"),
            F.max("n_invoices").alias("max_invoices"),
            F.count(F.lit(1)).alias("subs"),
        )
        .filter("mrr >= 0")
    )
