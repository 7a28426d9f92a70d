# title: filters on the partition key (and the join on it) moved below the window; unordered window totals replaced by an aggregate join
# expect: equivalent
# kind: filter through window
from pyspark.sql import Window, functions as F


def build(spark, countries=("GB", "DE")):
    customers = (
        spark.table("customers")
        .where(F.upper("country").isin(*countries))
        .where("customer_id < 90 or customer_id > 99")
        .selectExpr("customer_id", "initcap(segment) as segment")
    )
    orders = spark.table("orders").join(customers, "customer_id")
    w = Window.partitionBy("customer_id").orderBy(F.desc_nulls_last("order_ts"), F.desc("order_id"))
    totals = orders.groupBy("customer_id").agg(
        F.sum("amount").alias("lifetime"), F.count(F.lit(1)).alias("n_orders")
    )
    latest = orders.withColumn("rn", F.row_number().over(w)).where("rn = 1").drop("rn")
    return latest.join(totals, "customer_id").select(
        "customer_id", "order_id", "order_ts", "lifetime", "n_orders", "segment"
    )
