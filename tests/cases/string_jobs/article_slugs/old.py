from pyspark.sql import functions as F


def build(spark):
    articles = spark.table("articles").filter(F.col("title").isNotNull())
    languages = spark.table("languages")

    slugged = (
        articles.withColumn("lang", F.lower(F.trim(F.col("lang"))))
        .withColumn("lang", F.translate("lang", "_", "-"))
        .withColumn("lang", F.substring_index("lang", "-", 1))
        .withColumn("slug", F.lower(F.trim(F.col("title"))))
        .withColumn("slug", F.regexp_replace("slug", "[^a-z0-9 -]", ""))
        .withColumn("slug", F.regexp_replace("slug", r"[\s-]+", "-"))
        .withColumn("slug", F.substring("slug", 1, 60))
        .filter(F.col("slug") != "")
    )
    published = (
        slugged.join(languages, "lang", "left")
        .withColumn("language", F.coalesce(F.col("language"), F.lit("Other")))
        .withColumn("url_path", F.concat_ws("/", F.lit(""), F.col("lang"), F.col("slug")))
    )

    return published.groupBy("url_path", "language").agg(
        F.count("*").alias("articles"),
        F.min("article_id").alias("canonical_id"),
        F.max("published_on").alias("last_published_on"),
    )
