from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, LongType, StringType


@F.udf(StringType())
def order_ref(channel, order_id):
    if not channel:
        return f"ORD-{order_id}"
    return f"{channel[:3]}-{order_id}"


@F.udf(BooleanType())
def is_promo(coupon):
    if coupon is None:
        return False
    return coupon.startswith("SPRING") or "FREE" in coupon or coupon.endswith("5")


@F.udf(StringType())
def size_class(units):
    if units is None:
        return "none"
    return "bulk" if units >= 10 else "single" if units == 1 else "normal"


@F.udf(LongType())
def bucket(customer_id):
    return None if customer_id is None else customer_id % 4


def build(spark):
    units = spark.table("order_items").groupBy("order_id").agg(F.sum("qty").alias("units"))
    return (
        spark.table("orders")
        .join(units, "order_id", "left")
        .withColumn("ref", order_ref("channel", "order_id"))
        .withColumn("promo", is_promo("coupon"))
        .withColumn("size", size_class("units"))
        .withColumn("bucket", bucket("customer_id"))
        .select("order_id", "ref", "promo", "size", "bucket", "units")
    )
