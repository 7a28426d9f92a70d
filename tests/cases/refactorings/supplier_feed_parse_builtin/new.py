# title: int() with try/except replaced by a digits-only rlike and a cast: corrections such as -2 now count as 0
# expect: inequivalent
# kind: UDF to built-in
from pyspark.sql import functions as F


def build(spark):
    qty = F.trim(F.col("qty_text"))
    stock = (
        spark.table("supplier_feed")
        .select(
            F.trim("sku").alias("sku"),
            F.when(qty.rlike("^[0-9]+$"), qty.cast("int")).otherwise(0).alias("qty"),
        )
        .where("sku is not null")
        .groupBy("sku")
        .agg(F.sum("qty").alias("received"), F.count(F.lit(1)).alias("lines"))
    )
    return (
        spark.table("products")
        .join(stock, "sku", "left")
        .fillna(0, subset=["received", "lines"])
        .selectExpr("sku", "upper(brand) as brand", "received", "lines")
    )
