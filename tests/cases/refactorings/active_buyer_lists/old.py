from pyspark.sql import functions as F


def build(spark):
    orders = spark.table("orders").filter(F.col("amount") > 0)
    customers = spark.table("customers")
    buyers = orders.select("customer_id").distinct()
    active = customers.join(buyers, "customer_id", "inner").select(
        "customer_id", F.upper("country").alias("country")
    )
    pairs = orders.select("customer_id", F.lower("channel").alias("channel")).distinct()
    countries = active.select("country").filter(F.col("country") != "").distinct()
    subs = spark.table("subscriptions").select(F.col("account_id").alias("customer_id")).distinct()
    both = buyers.intersect(subs)
    return {
        "active": active,
        "pairs": pairs,
        "countries": countries,
        "both": both.filter("customer_id is not null"),
    }
