# title: The code parts are cut in a helper with zero-based positions, so the serial starts at the dash.
# expect: inequivalent
# why: position 0 happens to equal 1 for the family, but substr(4, 4) of ABC-1234 is -123 where substring(5, 4) was 1234.

from pyspark.sql import functions as F

# part -> (offset, length)
PARTS = {"family": (0, 3), "serial": (4, 4)}


def split_sku(df):
    sku = F.col("sku")
    parts = [sku.substr(start, size).alias(name) for name, (start, size) in PARTS.items()]
    return df.select("*", *parts, F.substring_index("sku", "-", -1).alias("suffix"))


def build(spark):
    families = spark.table("sku_families").withColumn("family", F.upper(F.trim("family")))
    items = (
        spark.table("stock_items")
        .withColumn("sku", F.upper(F.trim("sku")))
        .filter(F.col("sku").rlike("^[A-Z]{3}-[0-9]{4,6}"))
        .transform(split_sku)
    )

    return (
        items.join(families, "family", "left")
        .withColumn("label", F.expr("concat_ws(' ', nvl(family_name, 'other'), serial)"))
        .groupBy("family", "label", "suffix")
        .agg(
            F.sum("qty").alias("qty"),
            F.min(F.lpad(F.coalesce("bin", F.lit("0")), 5, "0")).alias("first_bin"),
        )
        .filter(F.col("qty") > 0)
    )
