from pyspark.sql import functions as F


def build(spark):
    codes = (
        spark.table("campaigns")
        .filter(F.col("start_date").isNotNull())
        .select(
            F.upper(F.regexp_replace(F.trim("campaign_name"), "[^A-Za-z0-9]", "")).alias("code"),
            "campaign_id",
            "start_date",
            "end_date",
            "budget",
        )
        .filter(F.col("code") != "")
    )
    o = spark.table("orders").filter(~F.lower("status").isin("cancelled", "returned"))
    o = o.withColumn(
        "code", F.upper(F.regexp_replace(F.trim("coupon"), "[^A-Za-z0-9]", ""))
    ).filter(F.col("code") != "")
    hits = o.join(codes, "code").filter(
        (F.to_date("order_ts") >= F.col("start_date"))
        & (F.col("end_date").isNull() | (F.to_date("order_ts") <= F.col("end_date")))
    )
    return hits.groupBy("campaign_id", "code").agg(
        F.count("*").alias("uses"),
        F.countDistinct("customer_id").alias("people"),
        F.sum("discount").alias("given"),
        F.max("budget").alias("budget"),
    )
