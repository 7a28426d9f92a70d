from pyspark.sql import Window, functions as F


def build(spark, min_balance="0.00"):
    w = Window.partitionBy("account_id").orderBy(
        F.col("updated_at").desc_nulls_last(), F.col("as_of").desc()
    )
    newest = (
        spark.table("balances")
        .withColumn("pos", F.row_number().over(w))
        .where("pos = 1")
        .select("account_id", "as_of", "balance", "updated_at")
    )
    accounts = spark.table("accounts").where(F.col("customer_id").isNotNull())
    per_customer = (
        accounts.join(newest, "account_id", "inner")
        .where(F.col("balance") >= F.lit(min_balance).cast("decimal(14,2)"))
        .groupBy("customer_id")
        .agg(
            F.count("*").alias("n_accounts"),
            F.sum("balance").alias("total_balance"),
            F.max("updated_at").alias("last_update"),
        )
    )
    return per_customer
