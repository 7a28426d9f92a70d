# title: Watchlist titles not yet watched: EXCEPT (distinct) against an anti join without distinct, so titles listed twice come out twice.
# expect: inequivalent
# kind: except vs anti join
from pyspark.sql import functions as F


def build(spark, min_seconds=60):
    seen = spark.table("plays").where(F.col("watched_s") >= min_seconds)
    unseen = spark.table("watchlist").join(
        seen.select("user_id", "title_id"), ["user_id", "title_id"], "left_anti"
    )
    n_genres = F.when(F.col("genres").isNull(), 0).otherwise(F.size("genres"))
    return (
        unseen.join(spark.table("users"), "user_id")
        .join(F.broadcast(spark.table("titles")), "title_id", "left")
        .select("user_id", "country", "title_name", n_genres.alias("n_genres"))
    )
