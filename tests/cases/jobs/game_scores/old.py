from pyspark.sql import Window, functions as F

MODES = ["solo", "duo"]


def build(spark, season_start: str = "2024-01-01"):
    df = spark.table("matches")
    df = df.filter(F.col("mode").isin(MODES))
    df = df.filter(F.to_date("played_at") >= F.lit(season_start).cast("date"))
    df = df.filter(F.col("player_id").isNotNull())
    df = df.withColumn("kills", F.coalesce(F.col("kills"), F.lit(0)))
    df = df.withColumn("deaths", F.coalesce(F.col("deaths"), F.lit(0)))

    w = Window.partitionBy("player_id", "mode").orderBy(F.col("score").desc(), F.col("match_id"))
    df2 = (
        df.withColumn("rn", F.row_number().over(w))
        .filter(F.col("rn") == 1)
        .drop("rn")
        .select("player_id", "mode", "match_id", F.col("score").alias("best_score"))
    )
    df3 = df.groupBy("player_id", "mode").agg(
        F.count("*").alias("matches"),
        F.sum("kills").alias("kills"),
        F.sum("deaths").alias("deaths"),
    )
    players = spark.table("players").filter(~F.col("banned")).select("player_id", "nickname")
    return (
        df2.join(df3, ["player_id", "mode"])
        .join(players, "player_id")
        .withColumn(
            "kd_ratio",
            F.when(F.col("deaths") > 0, F.round(F.col("kills") / F.col("deaths"), 2)),
        )
        .select(
            "player_id",
            "nickname",
            "mode",
            "match_id",
            "best_score",
            "matches",
            "kills",
            "kd_ratio",
        )
    )
