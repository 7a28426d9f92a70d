# title: chain of withColumn collapsed into one select with helper expressions; nullif replaces when, coalesce(length > 0, false) replaced by not null and not empty
# expect: equivalent
# kind: withColumn vs select
from pyspark.sql import functions as F

DIGITAL = ("web", "app")


def clean_store(c):
    return F.expr(f"nullif(upper(trim({c})), '')")


def build(spark):
    store = clean_store("store_code")
    coupon = F.upper(F.translate(F.trim("coupon"), "-_", ""))
    net = F.col("amount") - F.coalesce(F.col("discount"), F.lit(0))
    channel = F.lower("channel")
    return (
        spark.table("orders")
        .where(net > 0)
        .select(
            "order_id",
            store.alias("store"),
            F.lpad(F.regexp_replace(store, "[^0-9]", ""), 4, "0").alias("store_no"),
            coupon.alias("coupon"),
            (coupon.isNotNull() & (coupon != "")).alias("has_coupon"),
            net.alias("net_amount"),
            channel.alias("channel"),
            ((channel == DIGITAL[0]) | (channel == DIGITAL[1])).alias("is_digital"),
            F.col("order_ts").cast("date").alias("order_date"),
        )
    )
