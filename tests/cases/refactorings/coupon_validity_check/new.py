# title: date comparison replaced by a timestamp comparison against midnight of the end date: orders during the last valid day are lost
# expect: inequivalent
# kind: date ranges
from pyspark.sql import functions as F


def code(c):
    return F.upper(F.regexp_replace(F.trim(F.col(c)), "[^A-Za-z0-9]", ""))


def build(spark):
    codes = (
        spark.table("campaigns")
        .where("start_date is not null")
        .select(
            code("campaign_name").alias("code"),
            "campaign_id",
            "budget",
            F.col("start_date").cast("timestamp").alias("valid_from"),
            F.coalesce("end_date", F.lit("9999-12-31").cast("date"))
            .cast("timestamp")
            .alias("valid_to"),
        )
        .where("code <> ''")
    )
    orders = (
        spark.table("orders")
        .where("lower(status) not in ('cancelled', 'returned')")
        .withColumn("code", code("coupon"))
        .where("code <> ''")
    )
    return (
        orders.join(codes, "code")
        .where(
            (F.col("order_ts") >= F.col("valid_from")) & (F.col("order_ts") <= F.col("valid_to"))
        )
        .groupBy("campaign_id", "code")
        .agg(
            F.count(F.lit(1)).alias("uses"),
            F.countDistinct("customer_id").alias("people"),
            F.sum("discount").alias("given"),
            F.max("budget").alias("budget"),
        )
    )
