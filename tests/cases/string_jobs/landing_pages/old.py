from pyspark.sql import functions as F


def build(spark):
    hits = spark.table("page_hits").filter(F.col("hit_on") >= F.lit("2024-03-01").cast("date"))

    parsed = (
        hits.withColumn("host", F.lower(F.regexp_extract("url", "^https?://([^/?#]+)", 1)))
        .withColumn("host", F.regexp_replace("host", r"^www\.", ""))
        .withColumn("path", F.regexp_extract("url", "^https?://[^/?#]+([^?#]*)", 1))
        .withColumn("path", F.regexp_replace("path", "/+$", ""))
        .withColumn("path", F.when(F.col("path") == "", F.lit("/")).otherwise(F.col("path")))
        .withColumn("utm_source", F.regexp_extract("url", "[?&]utm_source=([^&#]+)", 1))
        .filter(F.col("host") != "")
    )
    classified = parsed.withColumn(
        "source",
        F.when(F.col("utm_source") != "", F.lower(F.col("utm_source")))
        .when(F.col("referrer").isNull() | (F.trim(F.col("referrer")) == ""), "direct")
        .when(F.lower(F.col("referrer")).contains("google."), "search")
        .otherwise("referral"),
    )

    return (
        classified.groupBy("host", "path", "source")
        .agg(
            F.count("*").alias("hits"),
            F.countDistinct("visitor_id").alias("visitors"),
            F.max(F.length("url")).alias("longest_url"),
        )
        .filter(F.col("hits") >= 2)
    )
