from pyspark.sql import functions as F


def build(spark):
    cat = spark.table("catalog").withColumn(
        "currency", F.upper(F.coalesce(F.col("price.currency"), F.lit("eur")))
    )
    tags = cat.select("sku", "currency", F.explode_outer("tags").alias("tag"))
    tags = tags.withColumn("tag", F.coalesce(F.lower(F.trim("tag")), F.lit("untagged")))
    tags = tags.withColumn(
        "shelf",
        F.when(F.col("tag").isin("sale", "new"), "promo")
        .when(F.col("tag") == "untagged", "none")
        .otherwise("regular"),
    )
    return tags.groupBy("currency", "shelf").agg(
        F.countDistinct("sku").alias("skus"), F.count("*").alias("tags")
    )
