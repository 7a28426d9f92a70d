# title: Products are filtered before their tags are exploded and the set size becomes a distinct count.
# expect: equivalent

from pyspark.sql import functions as F


def build(spark):
    products = (
        spark.table("products")
        .filter(F.col("category").isNotNull() & (F.col("price") > 0))
        .select("category", "brand", "price", "tags")
    )
    blocked = spark.table("blocked_tags").select(F.lower("tag").alias("tag"))

    tagged = (
        products.withColumn("tag", F.explode("tags"))
        .withColumn("tag", F.lower(F.trim(F.col("tag"))))
        .drop("tags")
        .filter(F.col("tag") != "")
        .join(blocked, "tag", "left_anti")
    )
    by_category = (
        tagged.groupBy("category")
        .agg(
            F.countDistinct("tag").cast("int").alias("tag_count"),
            F.countDistinct("brand").cast("int").alias("brand_count"),
            F.sort_array(F.collect_set("tag")).alias("tag_list"),
            F.max("price").alias("max_price"),
        )
        .withColumn("tag_list", F.concat_ws(",", "tag_list"))
    )
    return by_category.withColumn(
        "variety",
        F.when(F.col("tag_count") >= 10, "wide")
        .when(F.col("tag_count") >= 3, "normal")
        .otherwise("narrow"),
    )
