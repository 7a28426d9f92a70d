from pyspark.sql import Window, functions as F


def build(spark):
    first_added = Window.partitionBy("user_id", "title_id").orderBy(
        F.col("added_on").asc_nulls_last()
    )
    dedup = (
        spark.table("watchlist")
        .withColumn("rn", F.row_number().over(first_added))
        .where("rn = 1")
        .select("user_id", "title_id", "added_on")
    )
    watched = spark.table("plays").select("user_id", "title_id").dropna().distinct()
    status = (
        dedup.join(watched.withColumn("seen", F.lit(1)), ["user_id", "title_id"], "left")
        .withColumn("status", F.when(F.col("seen") == 1, "SEEN").otherwise("OPEN"))
        .drop("seen")
    )
    backlog = (
        status.join(spark.table("users").select("user_id", "country"), "user_id")
        .join(spark.table("titles").select("title_id", "title_name"), "title_id", "left")
        .select("user_id", "country", "title_id", "title_name", "added_on", "status")
    )
    rated = spark.table("ratings").filter("stars IS NOT NULL").select("user_id", "title_id")
    rated_listed = spark.table("watchlist").select("user_id", "title_id").intersect(rated)
    return {"backlog": backlog, "rated_listed": rated_listed}
