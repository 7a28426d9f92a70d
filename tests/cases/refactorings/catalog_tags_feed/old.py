from pyspark.sql import functions as F


def build(spark):
    cat = spark.table("catalog")
    tags = (
        cat.select("sku", F.explode("tags").alias("tag"))
        .withColumn("tag", F.lower(F.trim("tag")))
        .filter(F.col("tag").isNotNull() & (F.col("tag") != ""))
        .distinct()
    )
    feed = (
        cat.withColumn(
            "title",
            F.coalesce(
                F.when(F.trim("title") != "", F.initcap(F.trim("title"))), F.lit("(untitled)")
            ),
        )
        .withColumn("color", F.col("attrs").getItem("color"))
        .withColumn("color", F.when(F.trim("color") == "", None).otherwise(F.trim("color")))
        .withColumn("currency", F.upper(F.coalesce(F.col("price.currency"), F.lit("eur"))))
        .withColumn("net", F.col("price.net"))
        .withColumn("on_sale", F.coalesce(F.array_contains("tags", "sale"), F.lit(False)))
        .withColumn("n_tags", F.when(F.col("tags").isNull(), 0).otherwise(F.size("tags")))
        .filter(~((F.col("net") <= 0) | F.col("net").isNull()))
        .select("sku", "title", "color", "currency", "net", "on_sale", "n_tags")
    )
    popular = tags.groupBy("tag").agg(F.count("*").alias("skus")).filter(F.col("skus") >= 2)
    return {"tags": tags, "feed": feed, "popular": popular}
