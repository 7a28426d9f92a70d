from pyspark.sql import functions as F


def build(spark):
    df = (
        spark.table("orders")
        .withColumn("store_code", F.upper(F.trim(F.col("store_code"))))
        .withColumn(
            "store_code", F.when(F.col("store_code") == "", None).otherwise(F.col("store_code"))
        )
        .withColumn("store_no", F.lpad(F.regexp_replace("store_code", "[^0-9]", ""), 4, "0"))
        .withColumn("coupon", F.upper(F.translate(F.trim(F.col("coupon")), "-_", "")))
        .withColumn("has_coupon", F.coalesce(F.length("coupon") > 0, F.lit(False)))
        .withColumn("discount", F.coalesce(F.col("discount"), F.lit(0)))
        .withColumn("net_amount", F.col("amount") - F.col("discount"))
        .withColumn("channel", F.lower(F.col("channel")))
        .withColumn("is_digital", F.col("channel").isin("web", "app"))
        .withColumn("order_date", F.to_date("order_ts"))
        .withColumnRenamed("store_code", "store")
    )
    return df.filter(F.col("net_amount") > 0).select(
        "order_id",
        "store",
        "store_no",
        "coupon",
        "has_coupon",
        "net_amount",
        "channel",
        "is_digital",
        "order_date",
    )
