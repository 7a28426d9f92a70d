from pyspark.sql import functions as F


def build(spark):
    blocked = spark.table("blocked_customers")
    customers = spark.table("customers")
    accounts = spark.table("accounts").filter("status = 'open'")

    eligible = customers.join(blocked, "customer_id", "left_anti")
    offers = (
        eligible.join(accounts, "customer_id", "left")
        .groupBy("customer_id", "segment")
        .agg(
            F.count("account_id").alias("open_accounts"),
            F.max("credit_limit").alias("max_limit"),
            F.countDistinct("currency").alias("currencies"),
        )
        .withColumn(
            "offer",
            F.when(F.col("open_accounts") == 0, "reactivation")
            .when(F.col("max_limit") >= 1000, "upgrade")
            .otherwise("none"),
        )
    )
    return offers.select("customer_id", "segment", "open_accounts", "currencies", "offer")
