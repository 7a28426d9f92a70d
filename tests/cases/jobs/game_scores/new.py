# title: The best match per player is taken with rank over a unique order; temporaries are renamed.
# expect: equivalent

from pyspark.sql import Window, functions as F

MODES = ["solo", "duo"]
KEYS = ["player_id", "mode"]


def build(spark, season_start: str = "2024-01-01"):
    season = (
        spark.table("matches")
        .filter(F.col("player_id").isNotNull() & F.col("mode").isin(MODES))
        .filter(F.to_date("played_at") >= F.lit(season_start).cast("date"))
        .fillna(0, subset=["kills", "deaths"])
    )
    active_players = spark.table("players").filter(~F.col("banned")).select("player_id", "nickname")

    by_score = Window.partitionBy(*KEYS).orderBy(F.desc("score"), F.asc("match_id"))
    best = (
        season.withColumn("position", F.rank().over(by_score))
        .filter(F.col("position") == 1)
        .select(*KEYS, "match_id", F.col("score").alias("best_score"))
    )
    totals = season.groupBy(*KEYS).agg(
        F.count("*").alias("matches"),
        F.sum("kills").alias("kills"),
        F.sum("deaths").alias("deaths"),
    )
    kd_ratio = F.when(F.col("deaths") > 0, F.round(F.col("kills") / F.col("deaths"), 2))
    return (
        best.join(totals, KEYS)
        .join(active_players, "player_id")
        .select(
            "player_id",
            "nickname",
            "mode",
            "match_id",
            "best_score",
            "matches",
            "kills",
            kd_ratio.alias("kd_ratio"),
        )
    )
