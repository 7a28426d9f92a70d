# title: The keyword clean-up becomes a shared helper applied inside the array, and distinct plus count becomes a distinct count.
# expect: equivalent
# why: transforming before or after explode gives the same elements, and product_id is never null so count(distinct) equals the distinct rows.

from pyspark.sql import functions as F


def normalised(keyword):
    return F.regexp_replace(F.lower(F.trim(keyword)), " +", "-")


def build(spark):
    blocked = spark.table("blocked_keywords").select(normalised(F.col("keyword")).alias("keyword"))
    keywords = F.transform(F.split("keywords", "[,;]"), normalised)

    allowed = (
        spark.table("products")
        .filter(F.col("category").isNotNull())
        .select(
            F.upper(F.trim("category")).alias("category"),
            "product_id",
            F.explode(keywords).alias("keyword"),
        )
        .filter(F.length("keyword").between(1, 20))
        .join(blocked, "keyword", "left_anti")
    )

    return (
        allowed.groupBy("category", "keyword")
        .agg(
            F.countDistinct("product_id").alias("products"),
            F.min("product_id").alias("example_id"),
        )
        .select(
            "*",
            F.concat_ws("/", F.rpad("category", 3, "_"), "keyword").alias("label"),
        )
    )
