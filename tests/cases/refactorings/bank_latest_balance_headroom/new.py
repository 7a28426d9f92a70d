# title: latest balance per account taken as max(struct(as_of, ...)) instead of row_number = 1 (account_id, as_of is the key), overdrawn counted by sum of 1/0
# expect: equivalent
# kind: latest per key
from pyspark.sql import functions as F

IGNORED_STATUS = ["closed", "written_off"]


def latest_balances(balances):
    return (
        balances.groupBy("account_id")
        .agg(F.max(F.struct("as_of", "balance", "source")).alias("last"))
        .select("account_id", "last.as_of", "last.balance", "last.source")
        .withColumnRenamed("source", "balance_source")
    )


def build(spark):
    latest = latest_balances(spark.table("balances"))
    excluded = ", ".join(f"'{s}'" for s in IGNORED_STATUS)
    accounts = spark.table("accounts").where(f"coalesce(status NOT IN ({excluded}), true)")

    headroom = accounts.join(latest, on="account_id", how="left_outer").selectExpr(
        "account_id",
        "customer_id",
        "product",
        "currency",
        "as_of",
        "balance_source",
        "coalesce(balance, cast(0 as decimal(14,2))) AS balance",
        "coalesce(balance, cast(0 as decimal(14,2))) + coalesce(credit_limit, cast(0 as decimal(12,2))) AS headroom",
    )
    headroom = headroom.withColumn("is_overdrawn", F.expr("headroom < 0"))

    segments = spark.table("customers").select("customer_id", "segment")
    by_segment = (
        headroom.join(segments, "customer_id", "left")
        .fillna({"segment": "n/a"})
        .groupBy("segment", "currency")
        .agg(
            F.sum("headroom").alias("headroom"),
            F.sum(F.when(F.col("is_overdrawn"), 1).otherwise(0)).alias("overdrawn"),
            F.max("as_of").alias("latest_as_of"),
        )
    )
    return {"headroom": headroom, "by_segment": by_segment}
