from pyspark.sql import functions as F


def build(spark):
    families = spark.table("sku_families").withColumn("family", F.upper(F.trim(F.col("family"))))
    items = (
        spark.table("stock_items")
        .withColumn("sku", F.upper(F.trim(F.col("sku"))))
        .filter(F.col("sku").rlike("^[A-Z]{3}-[0-9]{4,6}"))
        .withColumn("family", F.substring("sku", 1, 3))
        .withColumn("serial", F.substring("sku", 5, 4))
        .withColumn("suffix", F.reverse(F.substring_index(F.reverse("sku"), "-", 1)))
    )

    enriched = (
        items.join(families, "family", "left")
        .withColumn("family_name", F.coalesce(F.col("family_name"), F.lit("other")))
        .withColumn("bin", F.lpad(F.coalesce(F.col("bin"), F.lit("0")), 5, "0"))
        .withColumn("label", F.concat_ws(" ", "family_name", "serial"))
    )
    return (
        enriched.groupBy("family", "label", "suffix")
        .agg(
            F.sum("qty").alias("qty"),
            F.min("bin").alias("first_bin"),
        )
        .filter(F.col("qty") > 0)
    )
