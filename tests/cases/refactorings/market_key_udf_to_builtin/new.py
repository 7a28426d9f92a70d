# title: UDF default for null or empty country replaced by coalesce, which leaves the empty text as its own market
# expect: inequivalent
# kind: UDF to built-in
from pyspark.sql import functions as F


def build(spark):
    c = spark.table("customers").select(
        "customer_id",
        F.concat_ws(
            "/",
            F.coalesce(F.upper("country"), F.lit("XX")),
            F.coalesce(F.lower("segment"), F.lit("none")),
        ).alias("market"),
    )
    o = (
        spark.table("orders")
        .where("status not in ('cancelled', 'returned') and amount is not null")
        .groupBy("customer_id")
        .agg(F.count("*").alias("orders"), F.sum("amount").alias("revenue"))
    )
    return (
        c.join(o, "customer_id", "left")
        .groupBy("market")
        .agg(
            F.count("customer_id").alias("customers"),
            F.coalesce(F.sum("orders"), F.lit(0)).alias("orders"),
            F.coalesce(F.sum("revenue"), F.lit(0)).cast("decimal(22,2)").alias("revenue"),
        )
    )
