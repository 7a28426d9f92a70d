from pyspark.sql import functions as F


def build(spark):
    df = (
        spark.table("orders")
        .withColumn("store_code", F.upper(F.trim(F.col("store_code"))))
        .withColumn("region", F.substring("store_code", 1, 1))
        .withColumn("store_no", F.lpad(F.regexp_replace("store_code", "[^0-9]", ""), 4, "0"))
        .withColumn("status", F.lower(F.trim("status")))
        .withColumn("is_open", F.col("status").isin("pending", "paid"))
        .withColumn("net_amount", F.col("amount") - F.coalesce("discount", F.lit(0)))
        .withColumn("order_month", F.date_format("order_ts", "yyyy-MM"))
        .drop("coupon", "discount", "amount", "customer_id", "order_ts", "channel")
    )
    return df.groupBy("region", "order_month", "is_open").agg(
        F.count("*").alias("orders"),
        F.sum("net_amount").alias("net_amount"),
        F.max("store_no").alias("top_store"),
    )
