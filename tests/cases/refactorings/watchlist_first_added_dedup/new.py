# title: Watchlist deduplicated by (user, title) with earliest date via min and groupBy against row_number ordered by added_on nulls last (only keys and the date kept); likes via intersect against distinct semi join.
# expect: equivalent
# kind: dedup by keys
from pyspark.sql import functions as F

PAIR = ["user_id", "title_id"]


def build(spark):
    listed = spark.table("watchlist").groupBy(*PAIR).agg(F.min("added_on").alias("added_on"))
    users = spark.table("users").select("user_id", "country")
    titles = spark.table("titles").select("title_id", "title_name")
    seen = (
        spark.table("plays")
        .join(listed, PAIR, "left_semi")
        .groupBy(*PAIR)
        .agg(F.count("*").alias("n_plays"))
    )
    backlog = (
        users.join(listed, "user_id")
        .join(titles, "title_id", "left")
        .join(seen, PAIR, "left")
        .select(
            "user_id",
            "country",
            "title_id",
            "title_name",
            "added_on",
            F.expr("IF(n_plays IS NULL, 'OPEN', 'SEEN')").alias("status"),
        )
    )
    rated = spark.table("ratings").where(F.col("stars").isNotNull())
    rated_listed = listed.select(*PAIR).join(rated, PAIR, "left_semi")
    return {"backlog": backlog, "rated_listed": rated_listed}
