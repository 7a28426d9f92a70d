# title: The SQL over temporary views is rewritten as DataFrame code.
# expect: equivalent

"""Sessions with at least two successful page views, by landing day."""

from pyspark.sql import functions as F


def build(spark):
    views = (
        spark.table("page_views")
        .filter((F.col("status") >= 200) & (F.col("status") < 300))
        .select(
            "session_id",
            "user_id",
            F.lower("url").alias("url"),
            "viewed_at",
            F.coalesce(F.col("duration_ms"), F.lit(0)).alias("duration_ms"),
        )
    )
    users = spark.table("users")

    human_views = (
        views.join(users, views["user_id"] == users["user_id"], "left")
        .filter(users["user_id"].isNull() | ~users["is_bot"])
        .withColumn("country", F.coalesce(F.col("country"), F.lit("ZZ")))
    )

    sessions = (
        human_views.groupBy("session_id", "country")
        .agg(
            F.count("*").alias("views"),
            F.countDistinct("url").alias("pages"),
            F.sum("duration_ms").alias("duration_ms"),
            F.min("viewed_at").alias("started_at"),
        )
        .filter(F.col("views") >= 2)
    )

    return sessions.select(
        "session_id",
        "country",
        F.to_date("started_at").alias("session_date"),
        "views",
        "pages",
        "duration_ms",
        F.when(F.col("duration_ms") < 10000, "short")
        .when(F.col("duration_ms") < 60000, "medium")
        .otherwise("long")
        .alias("length_class"),
    )
