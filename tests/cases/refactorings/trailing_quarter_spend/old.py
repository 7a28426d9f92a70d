from pyspark.sql import functions as F


def build(spark, as_of="2024-03-31"):
    cutoff = F.date_sub(F.lit(as_of).cast("date"), 90)
    recent = spark.table("orders").filter(
        (F.to_date("order_ts") >= cutoff) & (F.to_date("order_ts") <= F.lit(as_of).cast("date"))
    )
    recent = recent.filter(~F.lower("status").isin("cancelled", "returned"))
    spend = recent.groupBy("customer_id").agg(
        F.sum("amount").alias("spend"),
        F.count("order_id").alias("orders"),
        F.max("order_ts").alias("last_order"),
    )
    return (
        spark.table("customers")
        .join(spend, "customer_id", "left")
        .withColumn("orders", F.coalesce("orders", F.lit(0)))
        .select("customer_id", F.upper("country").alias("country"), "orders", "spend", "last_order")
    )
