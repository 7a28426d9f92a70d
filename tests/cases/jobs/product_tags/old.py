from pyspark.sql import functions as F


def build(spark):
    products = spark.table("products")
    blocked = spark.table("blocked_tags").select(F.lower("tag").alias("tag"))

    tagged = (
        products.withColumn("tag", F.explode("tags"))
        .withColumn("tag", F.lower(F.trim(F.col("tag"))))
        .drop("tags")
        .filter(F.col("category").isNotNull())
        .filter(F.col("price") > 0)
        .filter(F.col("tag") != "")
        .join(blocked, "tag", "left_anti")
    )
    by_category = (
        tagged.groupBy("category")
        .agg(
            F.size(F.collect_set("tag")).alias("tag_count"),
            F.size(F.collect_set("brand")).alias("brand_count"),
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
