# title: Long season leaderboard: matches filtered before the joins, self join for referrer, guild roll-up from per-player aggregates (sums of sums), win streak flags by bool aggregates, spender lists by intersect / except against semi / anti joins.
# expect: equivalent
# kind: long job refactor
from functools import reduce

from pyspark.sql import DataFrame, functions as F

TOP = 3


def ranked_games(spark):
    ranked = (
        spark.table("matches").where("mode = 'RANKED'").select("match_id", "season", "map_code")
    )
    stats = spark.table("match_players")
    for c in ("kills", "deaths"):
        stats = stats.withColumn(c, F.expr(f"ifnull({c}, 0)"))
    return (
        stats.join(F.broadcast(ranked), "match_id")
        .withColumn("score", F.expr("2 * kills - deaths"))
        .drop("team")
    )


def aggregate_players(games):
    return games.groupBy("player_id", "season").agg(
        F.count(F.lit(1)).alias("games"),
        F.sum("kills").alias("kills"),
        F.max("kills").alias("best_kills"),
        F.sum("score").alias("score"),
        F.count_if("won").alias("wins"),
        F.size(F.collect_set("map_code")).cast("bigint").alias("maps"),
    )


def segment(left, right, how, name):
    return left.join(right, "player_id", how).distinct().withColumn("segment", F.lit(name))


def build(spark, top=TOP):
    per_player = aggregate_players(ranked_games(spark))
    per_player.createOrReplaceTempView("v_per_player")
    board = spark.sql(
        f"""
        WITH placed AS (
            SELECT *, rank() OVER (PARTITION BY season ORDER BY score DESC, kills DESC) AS place
            FROM v_per_player
        )
        SELECT r.season, r.place, p.handle,
               nvl(g.guild_name, '-') AS guild,
               nvl(q.handle, 'organic') AS referred_by,
               r.games, r.wins, r.score, r.wins = r.games AS undefeated, r.maps
        FROM players p
        JOIN placed r ON r.player_id = p.player_id AND r.place <= {top}
        LEFT JOIN players q ON q.player_id = p.referrer_id
        LEFT JOIN guilds g ON g.guild_id = p.guild_id
        """
    )

    members = (
        spark.table("players")
        .join(spark.table("guilds"), "guild_id")
        .select("player_id", "guild_id", "guild_name")
    )
    guild_board = (
        per_player.join(members, "player_id")
        .groupBy("season", "guild_id", "guild_name")
        .agg(
            F.sum("score").alias("score"),
            F.sum("games").alias("player_games"),
            F.count("*").alias("members"),
            F.max("best_kills").alias("best_kills"),
        )
    )

    spenders = spark.table("purchases").where("status = 'PAID'").select("player_id")
    ids = per_player.select("player_id")
    audience = reduce(
        DataFrame.unionAll,
        [
            segment(ids, spenders, "left_semi", "ranked_spender"),
            segment(ids, spenders, "left_anti", "ranked_free"),
            segment(spenders, ids, "left_anti", "spender_only"),
        ],
    )
    return {"board": board, "guild_board": guild_board, "audience": audience}
