from pyspark.sql import Window, functions as F


def build(spark):
    subs = spark.table("subscriptions").filter(
        F.col("account_id").isNotNull() & (F.col("account_id") < 50)
    )
    w = Window.partitionBy("account_id").orderBy(
        F.col("started_on").desc_nulls_last(), F.col("sub_id").desc()
    )
    latest = subs.withColumn("rn", F.row_number().over(w)).filter("rn = 1")
    live = latest.filter(F.lower("status").isin("active", "past_due"))
    accounts = spark.table("accounts").select("account_id", F.trim("company").alias("company"))
    out = accounts.join(live, "account_id", "left")
    return out.select(
        "account_id",
        "company",
        "sub_id",
        F.upper("plan").alias("plan"),
        F.coalesce("mrr", F.lit(0)).alias("mrr"),
    )
