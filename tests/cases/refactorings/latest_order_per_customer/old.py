from pyspark.sql import Window, functions as F


def build(spark, countries=("GB", "DE")):
    w = Window.partitionBy("customer_id").orderBy(
        F.col("order_ts").desc_nulls_last(), F.col("order_id").desc()
    )
    totals = Window.partitionBy("customer_id")
    enriched = (
        spark.table("orders")
        .withColumn("rn", F.row_number().over(w))
        .withColumn("lifetime", F.sum("amount").over(totals))
        .withColumn("n_orders", F.count("*").over(totals))
        .join(spark.table("customers").select("customer_id", "country", "segment"), "customer_id")
    )
    latest = enriched.filter(
        (F.col("rn") == 1)
        & F.upper("country").isin(*countries)
        & ~F.col("customer_id").between(90, 99)
    )
    return latest.select(
        "customer_id",
        "order_id",
        "order_ts",
        "lifetime",
        "n_orders",
        F.initcap("segment").alias("segment"),
    )
