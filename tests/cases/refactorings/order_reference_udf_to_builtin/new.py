# title: four Python UDFs replaced with built-in functions; Python modulo is pmod, empty or null channel falls back to ORD
# expect: equivalent
# kind: UDF to built-in
from pyspark.sql import functions as F


def build(spark):
    units = spark.table("order_items").groupBy("order_id").agg(F.sum("qty").alias("units"))
    coupon = F.col("coupon")
    promo = coupon.startswith("SPRING") | coupon.contains("FREE") | coupon.endswith("5")
    prefix = F.coalesce(F.expr("nullif(left(channel, 3), '')"), F.lit("ORD"))
    return (
        spark.table("orders")
        .join(units, "order_id", "left")
        .select(
            "order_id",
            F.concat_ws("-", prefix, F.col("order_id").cast("string")).alias("ref"),
            F.coalesce(promo, F.lit(False)).alias("promo"),
            F.when(F.col("units").isNull(), "none")
            .when(F.col("units") >= 10, "bulk")
            .when(F.col("units") == 1, "single")
            .otherwise("normal")
            .alias("size"),
            F.expr("pmod(customer_id, 4)").alias("bucket"),
            "units",
        )
    )
