from pyspark.sql import Window, functions as F


def build(spark, as_of: str = "2024-07-01"):
    changes = (
        spark.table("price_changes")
        .filter(F.col("valid_from") <= F.lit(as_of).cast("date"))
        .filter(F.col("price").isNotNull())
        .withColumn("currency", F.upper(F.coalesce(F.col("currency"), F.lit("EUR"))))
    )
    newest = Window.partitionBy("sku", "currency").orderBy(
        F.col("valid_from").desc(), F.col("change_id").desc()
    )
    current = (
        changes.withColumn("rn", F.row_number().over(newest))
        .filter(F.col("rn") == 1)
        .select("sku", "currency", "price", "valid_from")
    )
    items = spark.table("items")
    listed = (
        items.join(current, "sku", "left")
        .withColumn("has_price", F.col("price").isNotNull())
        .withColumn("category", F.coalesce(F.col("category"), F.lit("none")))
    )
    by_category = listed.groupBy("category").agg(
        F.count("*").alias("items"),
        F.count(F.when(F.col("has_price"), 1)).alias("priced"),
        F.max("valid_from").alias("last_change"),
    )
    return {"price_list": listed, "by_category": by_category}
