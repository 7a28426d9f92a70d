from pyspark.sql import functions as F


def build(spark):
    hits = (
        spark.table("hits")
        .withColumn("hit_date", F.to_date("hit_at"))
        .withColumn("page", F.regexp_replace("page", "/+$", ""))
        .withColumn("from_search", F.coalesce(F.col("referrer").contains("search"), F.lit(False)))
    )
    pages = spark.table("pages").withColumn("section", F.coalesce("section", F.lit("misc")))

    daily = (
        hits.join(pages, "page")
        .groupBy("section", "hit_date")
        .agg(
            F.count("*").alias("views"),
            F.countDistinct("visitor_id").alias("visitors"),
            F.count(F.when(F.col("from_search"), 1)).alias("search_views"),
        )
    )
    return (
        daily.withColumn("search_share", F.round(F.col("search_views") / F.col("views"), 3))
        .withColumn("is_busy", F.col("visitors") >= 3)
        .filter(F.col("section") != "internal")
    )
