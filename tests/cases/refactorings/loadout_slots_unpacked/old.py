from pyspark.sql import functions as F


def build(spark):
    slots = (
        spark.table("loadouts")
        .select("player_id", F.explode("slots").alias("s"))
        .select("player_id", "s.slot", "s.item_id", "s.lvl")
    )
    per_player = slots.groupBy("player_id").agg(
        F.count("*").alias("n_slots"),
        F.count("item_id").alias("n_filled"),
        F.countDistinct("item_id").alias("n_items"),
        F.max("lvl").alias("top_lvl"),
        F.max(F.coalesce(F.col("slot") == "main", F.lit(False))).alias("has_main"),
    )
    keys = spark.table("loadouts").select("player_id", F.explode(F.map_keys("stats")).alias("k"))
    n_stats = keys.groupBy("player_id").agg(F.count("k").alias("n_stats"))
    out = (
        spark.table("players")
        .select("player_id", "handle")
        .join(per_player, "player_id", "left")
        .join(n_stats, "player_id", "left")
    )
    for c in ["n_slots", "n_filled", "n_items", "n_stats"]:
        out = out.withColumn(c, F.coalesce(F.col(c), F.lit(0)).cast("int"))
    return out.withColumn("has_main", F.coalesce("has_main", F.lit(False)))
