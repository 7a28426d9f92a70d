from pyspark.sql import DataFrame, Window, functions as F

IGNORED_STATUS = ["closed", "written_off"]


def latest_balances(balances: DataFrame) -> DataFrame:
    newest_first = Window.partitionBy("account_id").orderBy(F.col("as_of").desc())
    return (
        balances.withColumn("rn", F.row_number().over(newest_first))
        .filter(F.col("rn") == 1)
        .drop("rn")
    )


def build(spark):
    balances = spark.table("balances")
    accounts = spark.table("accounts").filter(
        F.col("status").isNull() | ~F.col("status").isin(IGNORED_STATUS)
    )
    customers = spark.table("customers")

    latest = latest_balances(balances).select(
        "account_id", "as_of", "balance", F.col("source").alias("balance_source")
    )
    headroom = (
        accounts.join(latest, "account_id", "left")
        .withColumn("balance", F.coalesce(F.col("balance"), F.lit(0).cast("decimal(14,2)")))
        .withColumn("limit", F.coalesce(F.col("credit_limit"), F.lit(0).cast("decimal(12,2)")))
        .withColumn("headroom", F.col("balance") + F.col("limit"))
        .withColumn("is_overdrawn", F.col("headroom") < 0)
        .select(
            "account_id",
            "customer_id",
            "product",
            "currency",
            "as_of",
            "balance_source",
            "balance",
            "headroom",
            "is_overdrawn",
        )
    )
    by_segment = (
        headroom.join(customers.select("customer_id", "segment"), "customer_id", "left")
        .withColumn("segment", F.coalesce("segment", F.lit("n/a")))
        .groupBy("segment", "currency")
        .agg(
            F.sum("headroom").alias("headroom"),
            F.count(F.when(F.col("is_overdrawn"), True)).alias("overdrawn"),
            F.max("as_of").alias("latest_as_of"),
        )
    )
    return {"headroom": headroom, "by_segment": by_segment}
