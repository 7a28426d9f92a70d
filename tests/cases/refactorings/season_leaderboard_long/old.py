from pyspark.sql import Window, functions as F


def build(spark):
    players = spark.table("players")
    guilds = spark.table("guilds")
    matches = spark.table("matches")
    mp = spark.table("match_players")
    buys = spark.table("purchases")

    games = (
        mp.join(matches, mp.match_id == matches.match_id, "inner")
        .drop(matches.match_id)
        .filter(F.col("mode") == "RANKED")
        .withColumn("kills", F.coalesce("kills", F.lit(0)))
        .withColumn("deaths", F.coalesce("deaths", F.lit(0)))
        .withColumn("score", F.col("kills") * 2 - F.col("deaths"))
        .withColumn("won_game", F.coalesce(F.col("won"), F.lit(False)))
    )
    per_player = games.groupBy("season", "player_id").agg(
        F.count("*").alias("games"),
        F.sum("kills").alias("kills"),
        F.sum("score").alias("score"),
        F.sum(F.when(F.col("won_game"), 1).otherwise(0)).alias("wins"),
        F.bool_and("won_game").alias("undefeated"),
        F.countDistinct("map_code").alias("maps"),
    )
    ranked = per_player.withColumn(
        "place",
        F.rank().over(Window.partitionBy("season").orderBy(F.desc("score"), F.desc("kills"))),
    )
    referrer = players.select(
        F.col("player_id").alias("referrer_id"), F.col("handle").alias("referred_by")
    )
    board = (
        ranked.join(players, "player_id")
        .join(guilds, "guild_id", "left")
        .join(referrer, "referrer_id", "left")
        .filter(F.col("place") <= 3)
        .select(
            "season",
            "place",
            "handle",
            F.coalesce("guild_name", F.lit("-")).alias("guild"),
            F.coalesce("referred_by", F.lit("organic")).alias("referred_by"),
            "games",
            "wins",
            "score",
            "undefeated",
            "maps",
        )
    )

    guild_board = (
        games.join(players, "player_id")
        .join(guilds, "guild_id")
        .groupBy("season", "guild_id", "guild_name")
        .agg(
            F.sum("score").alias("score"),
            F.count("*").alias("player_games"),
            F.countDistinct("player_id").alias("members"),
            F.max("kills").alias("best_kills"),
        )
    )

    spenders = buys.filter(F.col("status") == "PAID").select("player_id")
    ranked_ids = ranked.select("player_id")
    audience = (
        ranked_ids.intersect(spenders)
        .withColumn("segment", F.lit("ranked_spender"))
        .union(ranked_ids.subtract(spenders).withColumn("segment", F.lit("ranked_free")))
        .union(spenders.subtract(ranked_ids).withColumn("segment", F.lit("spender_only")))
    )
    return {"board": board, "guild_board": guild_board, "audience": audience}
