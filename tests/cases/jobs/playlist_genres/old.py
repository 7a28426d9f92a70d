from pyspark.sql import functions as F


def build(spark, since: str = "2024-01-01"):
    plays = (
        spark.table("plays")
        .filter(F.col("played_on") >= F.lit(since).cast("date"))
        .filter(~F.coalesce(F.col("skipped"), F.lit(False)))
        .groupBy("track_id")
        .agg(F.count("*").alias("plays"), F.countDistinct("listener_id").alias("listeners"))
    )
    tracks = (
        spark.table("tracks")
        .filter(F.col("seconds") >= 30)
        .select("track_id", "artist", F.explode_outer("genres").alias("genre"))
        .withColumn("genre", F.coalesce(F.lower(F.trim("genre")), F.lit("unclassified")))
        .distinct()
    )

    return (
        tracks.join(plays, "track_id")
        .groupBy("genre")
        .agg(
            F.count("*").alias("tracks"),
            F.countDistinct("artist").alias("artists"),
            F.sum("plays").alias("plays"),
            F.max("listeners").alias("top_listeners"),
        )
        .withColumn("plays_per_track", F.round(F.col("plays") / F.col("tracks"), 2))
    )
