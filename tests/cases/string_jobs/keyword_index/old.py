from pyspark.sql import functions as F


def build(spark):
    blocked = (
        spark.table("blocked_keywords")
        .withColumn("keyword", F.lower(F.trim(F.col("keyword"))))
        .withColumn("keyword", F.regexp_replace("keyword", " +", "-"))
        .select("keyword")
    )
    products = spark.table("products").withColumn("category", F.upper(F.trim(F.col("category"))))

    exploded = (
        products.withColumn("keyword", F.explode(F.split("keywords", "[,;]")))
        .withColumn("keyword", F.lower(F.trim(F.col("keyword"))))
        .withColumn("keyword", F.regexp_replace("keyword", " +", "-"))
        .filter(F.col("keyword") != "")
        .filter(F.length("keyword") <= 20)
        .filter(F.col("category").isNotNull())
    )
    allowed = exploded.join(blocked, "keyword", "left_anti")

    return (
        allowed.select("category", "product_id", "keyword")
        .distinct()
        .groupBy("category", "keyword")
        .agg(
            F.count("*").alias("products"),
            F.min("product_id").alias("example_id"),
        )
        .withColumn("label", F.concat_ws("/", F.rpad("category", 3, "_"), F.col("keyword")))
    )
