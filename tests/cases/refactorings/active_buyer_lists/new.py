# title: distinct replaced with groupBy / dropDuplicates, inner join with distinct keys and intersect replaced by semi joins
# expect: equivalent
# kind: distinct vs semi join
from pyspark.sql import functions as F


def build(spark):
    orders = spark.table("orders").where("amount > 0")
    subs = spark.table("subscriptions")
    active = (
        spark.table("customers")
        .join(orders, "customer_id", "left_semi")
        .select("customer_id", F.expr("upper(country) as country"))
    )
    pairs = (
        orders.groupBy("customer_id", F.lower("channel").alias("channel"))
        .agg(F.count("*").alias("n"))
        .drop("n")
    )
    countries = active.dropDuplicates(["country"]).select("country").where("country <> ''")
    both = (
        orders.select("customer_id")
        .join(subs, orders["customer_id"] == subs["account_id"], "leftsemi")
        .dropDuplicates()
    )
    return {"active": active, "pairs": pairs, "countries": countries, "both": both}
